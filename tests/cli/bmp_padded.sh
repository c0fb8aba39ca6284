# ImageMagick writes the rows of a run-length BMP to a multiple of 4 pixels: the rest is ignored.
. "$CLI/lib"
python3 - <<'PYTHON'
import struct
def bmp(name, width, rows):
    palette = bytes(range(64)) * 16
    open(name, "wb").write(b"BM" + struct.pack("<IHHI", 0, 0, 0, 1078) + struct.pack(
        "<IiiHHIIiiII", 40, width, 2, 1, 8, 1, 0, 0, 0, 0, 0) + palette + rows + b"\0\1")
bmp("padded.bmp", 5, b"\5\1\3\2\0\0" + b"\0\10\0\1\2\3\4\5\6\7\0\0")
bmp("plain.bmp", 5, b"\5\1\0\0" + b"\0\5\0\1\2\3\4\0\0\0")
bmp("longer.bmp", 5, b"\5\1\4\2\0\0" + b"\5\1\0\0")
PYTHON
for name in padded plain; do
    stencilcli convolve $name.bmp $name.ppm --mask 1 -q
done
cmp padded.ppm plain.ppm
refuses 1 'longer.bmp: damaged BMP: its compressed pixels leave the picture' convolve longer.bmp x.ppm --mask 1
