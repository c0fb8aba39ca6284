# WebP headers that promise more than the file or the memory holds, holes of gigabytes in place of
# chunks or data, and animations end with one sentence within a second.
. "$CLI/lib"
need_format webp
cat >make.py <<'EOP'
import struct

def chunk(kind, data, told=None):
    return kind + struct.pack("<I", len(data) if told is None else told) + data + b"\0" * (len(data) % 2)

def picture(name, *chunks, told=None, hole=0):
    body = b"WEBP" + b"".join(chunks)
    with open(name + ".webp", "wb") as file:
        file.write(b"RIFF" + struct.pack("<I", len(body) if told is None else told) + body)
        if hole:
            file.truncate(hole)

def lossless(width, height, rest=b"\0" * 8):
    return b"\x2f" + struct.pack("<I", width - 1 | height - 1 << 14) + rest

def vp8x(flags, width, height):
    return chunk(b"VP8X", bytes([flags, 0, 0, 0]) + struct.pack("<I", width - 1)[:3] +
                 struct.pack("<I", height - 1)[:3])

LARGE = 0xfffffff0
picture("hole", vp8x(0, 16, 16), told=LARGE, hole=LARGE + 8)
picture("hole_picture", chunk(b"VP8L", lossless(16, 16), LARGE - 12), told=LARGE, hole=LARGE + 8)
picture("hole_profile", vp8x(32, 16, 16), chunk(b"ICCP", b"x", LARGE - 60), told=LARGE,
        hole=LARGE + 8)
picture("promise", chunk(b"VP8L", lossless(16, 16)), told=LARGE)
picture("chunk_promise", chunk(b"VP8L", lossless(16, 16), 4000))
picture("canvas", vp8x(0, 1 << 24, 1 << 24), chunk(b"VP8L", lossless(16, 16)))
picture("empty_data", chunk(b"VP8L", lossless(160, 160)))
picture("animated", vp8x(2, 16, 16), chunk(b"ANIM", b"\0" * 6))
picture("largest", chunk(b"VP8L", lossless(16383, 16383)))
EOP
python3 make.py
for file in *.webp; do
    [ $file != largest.webp ] || continue
    refuses 1 $file blur $file out.ppm
done
for file in promise chunk_promise canvas empty_data animated; do
    refuses 1 'standard input' blur - out.ppm <$file.webp
done
try blur animated.webp out.png
try blur - out.png <animated.webp
# shellcheck disable=SC3045
ulimit -v 1500000
stencilcli --version >version 2>&1 || exit 0 # a sanitizer needs more addresses
refuses 1 'largest.webp: no memory for 16383 x 16383 pixels' blur largest.webp out.ppm
