# A build without libwebp says how to get WebP: for reading (exit status 1) and writing (2), and in
# the list of formats. A folder run passes such files over.
. "$CLI/lib"
stencilcli list formats | grep -q '^webp  *not in this build: ' || skip 'built with webp'
stencilcli list formats | grep '^webp'
stencilcli list formats --json | grep webp
mkdir in
printf 'RIFF\044\0\0\0WEBPVP8L' >in/x.webp
cp in/x.webp y.png
try blur in/x.webp out.png
try blur y.png out.png
try blur in out.webp/ --ext webp
cp "$TESTDATA/textbook.pgm" a.pgm
try blur a.pgm out.webp
try blur a.pgm - --format webp
try blur a.pgm out.xyz
try blur a.pgm out/ --ext webp
try blur in out
alone a.pgm in y.png
