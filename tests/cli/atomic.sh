# A failed run leaves the old output unchanged and no other file.
. "$CLI/lib"
cp "$TESTDATA/textbook.pgm" good.pgm
head -c 200 good.pgm >short.pgm
head -c 4000 "$TESTDATA/photo.png" >short.png
echo 'old' >out.pgm
for input in short.pgm short.png missing.pgm; do
    refuses 1 $input blur $input out.pgm
    echo 'old' | cmp - out.pgm
done
refuses 2 x blur good.pgm out.pgm --mask '1 x; 2 3'
echo 'old' | cmp - out.pgm
alone good.pgm out.pgm short.pgm short.png
# A successful run replaces the output and keeps its mode; a new file gets the mode set by umask.
chmod 640 out.pgm
stencilcli blur good.pgm out.pgm
stat -c %a out.pgm
(umask 077 && stencilcli blur good.pgm new.pgm)
stat -c %a new.pgm
cmp out.pgm new.pgm
# A symlink is kept; its target is replaced.
mkdir folder
echo 'old' >folder/target.pgm
ln -s folder/target.pgm link.pgm
stencilcli blur good.pgm link.pgm
[ -L link.pgm ]
cmp out.pgm folder/target.pgm
[ "$(ls folder)" = target.pgm ]
