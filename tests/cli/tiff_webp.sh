# Colour profile, EXIF and XMP data go from TIFF to WebP and back; a picture on its side is upright.
. "$CLI/lib"
need_format webp
need_format tiff
python3 - <<'PYTHON'
import os, struct, sys
sys.path.insert(0, os.environ["CLI"])
from tiff_maker import *

profile = bytearray(i % 251 for i in range(600))
profile[0:4], profile[16:20], profile[36:40] = struct.pack(">I", 600), b"RGB ", b"acsp"
rows = [[(x * y) % 256 for x in range(30)] for y in range(8)]
make("in.tif", rows, 3, tags={271: (ASCII, b"Maker\0"), 274: (SHORT, [6]),
                              700: (BYTE, b"<x:xmpmeta/>"), 34675: (UNDEFINED, bytes(profile))},
     exif={33434: (RATIONAL, [1, 250]), 34855: (SHORT, [400])})
PYTHON
copy() {
    stencilcli convolve "$1" "$2" --mask identity
}
copy in.tif there.webp
copy there.webp back.tif
copy back.tif again.webp
cmp there.webp again.webp
stencilcli compare in.tif there.webp -q
stencilcli compare there.webp back.tif -q
python3 - <<'PYTHON'
data, at = open("there.webp", "rb").read(), 12
while at < len(data):
    size = int.from_bytes(data[at + 4:at + 8], "little")
    print(data[at:at + 4].decode(), "" if data[at:at + 3] == b"VP8" else size)
    at += 8 + size + size % 2
PYTHON
