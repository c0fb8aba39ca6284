# A report replaces only a report; a drawing replaces no compared picture.
. "$CLI/lib"
cp "$TESTDATA/textbook.pgm" a.pgm
stencilcli blur a.pgm b.pgm
printf -- '- - true\n' >golden.txt
cp golden.txt golden.before
try compare a.pgm b.pgm --junit a.pgm
try golden check golden.txt --junit golden.txt
try golden check golden.txt --html golden.txt
try bench a.pgm --runs 1 --kernel scalar --plot a.pgm
try compare a.pgm b.pgm --diff ./b.pgm
ln b.pgm linked.pgm
try compare a.pgm b.pgm --diff linked.pgm
cmp a.pgm "$TESTDATA/textbook.pgm"
cmp golden.txt golden.before
cmp b.pgm linked.pgm
# The report of an earlier run is replaced, and so is an empty file.
: >r.xml
for turn in 1 2; do
    stencilcli golden check golden.txt --junit r.xml --html r.html -q
done
head -c 5 r.xml
