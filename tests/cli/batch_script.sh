# scripts/batch, in plain shell, makes the same tree as the program.
. "$CLI/lib"
export STENCILCLI
batch="$CLI/../../scripts/batch"
mkdir -p "in/a b" in/c
newline=$(printf 'two\nlines')
for name in a.pgm "a b/$newline.pgm" 'a b/-v.PGM' 'c/quote"s $HOME.pgm'; do
    cp "$TESTDATA/textbook.pgm" "in/$name"
done
echo text >in/notes.txt
stencilcli blur in expected -q --mask '1 2 1; 2 4 2; 1 2 1' --divisor 16
"$batch" blur in/ out --mask '1 2 1; 2 4 2; 1 2 1' --divisor 16
rm expected/.stencilcli*
diff -r expected out
# Finished outputs stay; changed inputs are done again; failures are named, and the others continue.
touch -d 2001-01-01 in/a.pgm
find out -exec touch -h -d 2002-01-01 {} +
find in -exec touch -h -d 2001-01-01 {} +
touch -d 2003-01-01 in/a.pgm
echo broken >in/c/broken.png
code=0
JOBS=1 "$batch" blur in out || code=$?
echo "exit $code"
find out -type f -newermt 2002-06-01
"$batch" blur missing out || echo "exit $?"
# Without the program on the path, one sentence; installed scripts have names of their own.
mkdir bin nothing
cp "$batch" bin/stencilcli-batch
cp "${batch%batch}slurm_batch" bin/stencilcli-slurm-batch
for script in "$batch" bin/stencilcli-batch "${batch%batch}slurm_batch" bin/stencilcli-slurm-batch; do
    (unset STENCILCLI && PATH=$PWD/nothing && "$script" blur in out) 2>&1 || echo "exit $?"
    STENCILCLI=stencil-cli "$script" blur in out 2>&1 || echo "exit $?"
done
bin/stencilcli-batch blur 2>&1 || echo "exit $?"
bin/stencilcli-slurm-batch blur >usage 2>&1 || echo "exit $?"
grep '^  ' usage
# A folder with a name like an option
mkdir ./-in
cp in/a.pgm ./-in/a.pgm
"$batch" blur -in -out
cmp ./-out/a.pgm out/a.pgm
