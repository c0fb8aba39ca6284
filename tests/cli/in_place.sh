# INPUT and OUTPUT may be one file, even under two names.
. "$CLI/lib"
cp "$TESTDATA/photo.png" one.png
cp one.png two.png
stencilcli blur one.png expected.png -q
stencilcli blur one.png one.png -q
cmp expected.png one.png
ln -s two.png link.png
stencilcli blur two.png link.png -q
cmp expected.png two.png
[ -L link.png ]
alone expected.png link.png one.png two.png
