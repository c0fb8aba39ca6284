# A build without libtiff says how to get TIFF and BigTIFF, as webp_absent.sh tests in full. A RAW
# photograph, which begins as a TIFF does, is still named by what it is.
. "$CLI/lib"
stencilcli list formats | grep -q '^tiff  *not in this build: ' || skip 'built with tiff'
stencilcli list formats | grep '^tiff'
stencilcli list formats --json | grep tiff
printf 'II*\0' >x.tif
printf 'MM\0+' >big.png
cp x.tif x.NEF
for name in x.tif big.png x.NEF; do try blur $name out.png; done
cp "$TESTDATA/textbook.pgm" a.pgm
try blur a.pgm out.tif
try blur a.pgm - --format tiff
alone a.pgm big.png x.NEF x.tif
