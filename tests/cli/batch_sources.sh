# No output of a folder run or of several files replaces the mask, the list of names or, through a
# symlink, another file that the run reads.
. "$CLI/lib"
mkdir in out
cp "$TESTDATA/textbook.pgm" in/a.pgm
cp "$TESTDATA/textbook.pgm" in/b.pgm
echo '1 2 1' >mask.txt
printf 'a.pgm\nb.pgm\n' >names
for file in in/a.pgm in/b.pgm mask.txt names; do cp $file before.$(basename $file); done
# links TARGET ARGUMENTS: a run whose output a.pgm is a symlink to the target, which must be kept.
links() {
    ln -s "../$1" out/a.pgm
    shift
    code=0
    stencilcli convolve "$@" -q 2>message.txt || code=$?
    echo "convolve $*: exit $code: $(cat message.txt)"
    for kept in in/a.pgm in/b.pgm mask.txt names; do
        cmp $kept before.$(basename $kept) || cp before.$(basename $kept) $kept
    done
    rm -rf out/* out/.s*
}
links mask.txt in out --mask mask.txt
links mask.txt in/a.pgm in/b.pgm out --mask mask.txt
links mask.txt in/a.pgm out --mask mask.txt
links mask.txt in/a.pgm out/ --mask mask.txt
links names in out --files-from names --mask '1 2 1'
links in/b.pgm in/a.pgm in/b.pgm out --mask '1 2 1'
links in/b.pgm in out --mask '1 2 1'
# The mask lies in OUTPUT, under the name of an output.
cp mask.txt out/a.pgm
try convolve in out --mask out/a.pgm -q
try convolve in/a.pgm out --mask out/a.pgm -q
cmp mask.txt out/a.pgm
# The manifest is a symlink to an input, or to nothing.
rm -rf out/* out/.s*
for target in a.pgm new.pgm; do
    ln -s "../in/$target" out/.stencilcli-manifest.jsonl
    try blur in out -q
    rm -f out/* out/.s*
done
cmp in/a.pgm before.a.pgm
[ ! -e in/new.pgm ]
