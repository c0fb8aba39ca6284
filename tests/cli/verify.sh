# --verify: the reference agrees; output and exit status do not change.
. "$CLI/lib"
cp "$TESTDATA/cutout.png" in.png
stencilcli blur in.png a.png
stencilcli blur in.png b.png --verify
cmp a.png b.png
stencilcli emboss in.png c.png --verify --border mirror --threads 2 --repeat 2
