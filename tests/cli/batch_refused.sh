# Requests that make no sense are refused before any file is read or written.
. "$CLI/lib"
mkdir -p in/sub tree/in/in
cp "$TESTDATA/textbook.pgm" in/a.pgm
cp "$TESTDATA/textbook.pgm" in/sub/b.pgm
cp "$TESTDATA/textbook.pgm" tree/in/in/c.pgm
ln -s in link
echo text >file
# Outputs that would be inputs of the next run.
for output in in in/ in/new in/sub ./in/../in/sub/deep link link/new; do
    try blur in $output
done
try blur tree/in tree
ln -s "$PWD/in" tree/sub
try blur in tree -q
[ -z "$(find in tree/in -newer file -type f)" ]
# Inputs that are symlinks to outputs: such an input would be overwritten.
mkdir -p far/in far/out
cp in/a.pgm far/in/b.pgm
echo old >far/out/b.pgm
ln -s ../out far/in/link
try blur far/in far/out --follow -q
echo b.pgm | stencilcli blur far/in far/out --follow --files-from - --plan -q
rm far/out/b.pgm
cp in/a.pgm far/c.pgm
ln -s ../c.pgm far/in/c.pgm
try blur far/in far/out --follow -q
cmp in/a.pgm far/c.pgm
try blur far/in far --follow -q
cmp in/a.pgm far/c.pgm
# Two inputs with one output name.
cp in/a.pgm in/a.pnm
try blur in out --ext png
rm in/a.pnm
# An output that leads back into the inputs.
mkdir back
ln -s ../in/a.pgm back/a.pgm
try blur in back -q
cmp in/a.pgm "$TESTDATA/textbook.pgm"
# Options and operands that contradict each other.
try blur in file
try blur in -
try blur in
try blur in --plan
try blur in/a.pgm out.pgm --include '*.pgm'
try blur in/a.pgm out.pgm --force
try blur file out --files-from -
try blur in out --null
try blur in out --include ''
try blur in out --ext gif
try blur in out --max-failures 0
try blur in out --mask - --files-from -
try blur in out --mask '1 x'
try blur in out --shard 0/3
try blur in out --shard 4/3
try blur in out --shard auto
# A manifest that is not a regular file: it is not waited for and not written.
mkdir pipe
mkfifo pipe/.stencilcli-manifest.jsonl
refuses 1 manifest.jsonl blur in pipe -q
mkfifo pipe/.stencilcli-manifest-1-of-2.jsonl
rm pipe/.stencilcli-manifest.jsonl
refuses 1 manifest-1-of-2.jsonl blur in pipe -q
mkdir empty
try blur empty out
# The output folder is checked before the input folder is listed, which would take minutes here.
try blur / out
# A sentence about one picture names it, though it is about an option.
mkdir two
cp "$TESTDATA/textbook.pgm" two/small.pgm
cp "$TESTDATA/photo.png" two/
try blur two named --region 30,30,4,4 -q
try blur missing out
[ ! -e out ]
# A missing device is reported once, however many files have asked for it.
for letter in b c d e f g; do cp in/a.pgm in/$letter.pgm; done
for round in 1 2 3 4 5; do refuses 3 cuda:99 blur in out$round --device cuda:99 -t 7 -q; done
# Only folders accept several devices.
try blur in/a.pgm out.pgm --device cuda:0,1
try blur in out --device cuda:0,x
try blur in out --device cuda:0,
try bench --device cuda:0,1
