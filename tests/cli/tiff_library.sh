# libtiff is loaded only for a TIFF. If it cannot be loaded, a sentence says so.
. "$CLI/lib"
need_format tiff
cp "$TESTDATA/photo.png" photo.png
stencilcli blur photo.png photo.tif -q
mkdir broken
: >broken/libtiff.so.6
LD_LIBRARY_PATH=$PWD/broken
export LD_LIBRARY_PATH
try blur photo.tif out.png -q
try blur photo.png out.tif -q
try blur photo.png out.png -q
ls
