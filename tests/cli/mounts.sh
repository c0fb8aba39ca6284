# A folder may have several paths (mount --bind): originals are never overwritten through another.
. "$CLI/lib"
command -v unshare >unshare.txt && unshare -rm true 2>unshare.txt || skip "no right to mount"
mkdir -p in/sub other part two
cp "$TESTDATA/textbook.pgm" in/a.pgm
cp "$TESTDATA/textbook.pgm" in/sub/b.pgm
cp "$TESTDATA/photo.png" in/c.png
export STENCILCLI
cat >run.sh <<'END'
. "$CLI/lib"
mount --bind in other
mount --bind in/sub part
try blur in other
try blur in other/new
try blur in part
try blur in part/new
try blur in two -q
rm -r two/sub
ln -s ../part two/sub
try blur in two -q
try blur other two/more --exclude sub -q
try compare in/a.pgm two/a.pgm --diff other/a.pgm
try compare in/a.pgm two/a.pgm --diff other/new.ppm
try compare in two --diff other/new
mkdir left right draw
cp in/c.png left
stencilcli blur in/c.png right/c.png
mkdir left/sub
cp in/c.png left/sub
mount --bind left/sub draw
try compare left right --diff draw -q
cmp left/sub/c.png in/c.png
try compare in/a.pgm two/a.pgm --junit other/a.pgm
printf -- '- - true\n' >in/golden.txt
echo 1 >in/mask.txt
try golden check in --html other/golden.txt
try convolve in/a.pgm other/mask.txt --mask in/mask.txt
rm in/golden.txt in/mask.txt
END
unshare -rm sh -eu run.sh
cmp in/a.pgm "$TESTDATA/textbook.pgm"
cmp in/sub/b.pgm "$TESTDATA/textbook.pgm"
cmp in/c.png "$TESTDATA/photo.png"
find in -name '*new*'
# A dangling symlink in OUTPUT that points into INPUT.
mkdir three
ln -s ../in/created.pgm three/a.pgm
try blur in three -q
[ ! -e in/created.pgm ]
