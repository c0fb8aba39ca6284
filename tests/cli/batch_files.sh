# Several files into a folder, in the manner of cp: nothing is lost, whatever the names are.
. "$CLI/lib"
mkdir in sub
cp "$TESTDATA/photo.png" a.png
cp "$TESTDATA/gray.png" b.png
cp "$TESTDATA/textbook.pgm" sub/a.png
cp "$TESTDATA/textbook.pgm" sub/c.pgm
stencilcli blur a.png whole_a.png
stencilcli blur b.png whole_b.png
stencilcli blur sub/c.pgm whole_c.pgm
cksum a.png b.png sub/a.png sub/c.pgm >before
unchanged() {
    cksum a.png b.png sub/a.png sub/c.pgm | cmp - before
}
summary() { # of several files, without the times
    stencilcli "$@" 2>messages || echo "exit $?"
    sed '/of work on/d; s/;.*megapixels.*//' messages
}
# A folder that is there, or is made; the bytes of single runs; no manifest, and nothing is skipped.
mkdir out
for round in 1 2; do
    summary blur a.png sub/c.pgm b.png out
    summary blur a.png sub/c.pgm b.png new/deep/
done
summary blur a.png sub/c.pgm b.png other
for folder in out new/deep other; do
    cmp $folder/a.png whole_a.png
    cmp $folder/b.png whole_b.png
    cmp $folder/c.pgm whole_c.pgm
    (cd $folder && alone a.png b.png c.pgm)
done
# One file: silent, as into a file. A folder that was made for a file that fails is removed.
try blur a.png one/
try blur b.png one
(cd one && alone a.png b.png)
cmp one/a.png whole_a.png
stencilcli blur a.png one --ext jpg --json | grep -o '"output":"[^"]*"'
try blur missing.png two/
echo broken >broken.png
try blur broken.png two/
[ ! -e two ]
try blur missing.png one
# In the order of the words; a failure is named, and the others continue.
stencilcli blur b.png missing.png a.png broken.png three --json 2>messages | cut -d, -f1-3
sed '/of work on/d; s/;.*megapixels.*//' messages
stencilcli blur missing.png broken.png a.png four -q --fail-fast -t 1 2>messages || echo "exit $?"
cat messages
[ ! -e four/a.png ]
# Two files of one name: the first gets it. A file named twice is filtered once.
try blur a.png sub/a.png five -q
cmp five/a.png whole_a.png
summary blur a.png ./a.png sub/../a.png b.png six
try blur a.png b.png seven --ext jpg -q
try blur sub/c.pgm sub/a.png eight --ext png -q
(cd eight && alone a.png c.png)
ln -s a.png link.png
summary blur a.png link.png eight
# An output never replaces an input: its own, another's, through a link.
try blur a.png b.png . -q
try blur a.png .
try blur sub/c.pgm b.png . -q
rm c.pgm
try blur sub/a.png a.png b.png ./ -q
ln -s ../b.png out/d.png
cp a.png d.png
try blur d.png b.png out -q
mkdir hard
ln a.png hard/a.png
try blur a.png b.png hard -q
unchanged
# Folders among the files, standard input.
try blur a.png sub out -q
try blur sub in out -q
try blur - a.png out -q <b.png
try blur - out <b.png
# An output that is no folder.
echo old >file
try blur a.png b.png file
try blur a.png b.png file/
try blur a.png sub/c.pgm b.png
try blur a.png sub/c.pgm new.png
try blur sub new.png
try blur a.png b.png -
try blur a.png sub/c.pgm out.PNG/ -q
[ -d out.PNG ] && [ ! -e new.png ] && [ "$(cat file)" = old ]
try blur a.png noextension
unchanged
# Options: those for folders are refused, a plan writes nothing.
try blur a.png b.png out --include '*.png'
try blur a.png b.png out --files-from names
try blur a.png b.png out --force
try blur a.png out.png --ext png
try blur a.png b.png nine --plan -q
try blur a.png nine/ --plan --json >plan
grep -c '"picture\|"input":"a.png"' plan
[ ! -e nine ]
try blur a.png b.png out --ext gif
# Names that look like options, names with blanks and newlines, a damaged output.
cp a.png ./-v.png
cp a.png 'two
lines.png'
try blur -q -- -v.png 'two
lines.png' ten
(cd ten && ls -N | sort)
# Hundreds of files.
mkdir many
for number in $(seq 100 399); do cp sub/c.pgm many/$number.pgm; done
summary blur many/*.pgm eleven
[ "$(ls eleven | wc -l)" = 300 ]
