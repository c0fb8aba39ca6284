# --verify: the reference agrees, and one line says so; output and exit status do not change.
. "$CLI/lib"
cp "$TESTDATA/cutout.png" in.png
stencilcli blur in.png a.png
try blur in.png b.png --verify
cmp a.png b.png
try blur in.png b.png --verify -q
stencilcli emboss in.png c.png --verify --border mirror --threads 2 --repeat 2 -q
stencilcli blur in.png b.png --verify -q --json | grep -o '"verified":true'
echo 1 2 3 >in.txt
try signal in.txt out.txt --mask '1 2 1' --verify
# A folder: one line for all files.
mkdir in
cp in.png in/a.png
cp in.png in/b.png
stencilcli blur in out --verify 2>&1 | grep verified
stencilcli blur in out --verify --force -q
stencilcli blur in out --verify 2>&1 | grep -c verified || echo 'nothing was verified'
