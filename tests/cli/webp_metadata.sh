# Metadata of WebP: carried to WebP, PNG and JPEG and from them, and the picture turned upright; one
# warning names what is lost.
. "$CLI/lib"
need_format webp
cat >make.py <<'END'
import os, struct, subprocess

def chunk(kind, data):
    return kind + struct.pack("<I", len(data)) + data + b"\0" * (len(data) % 2)

def profile(space, size):
    body = bytearray(i % 251 for i in range(size))
    body[0:4] = struct.pack(">I", size)
    body[16:20] = space
    body[36:40] = b"acsp"
    return bytes(body)

def tiff(orientation):
    return b"MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0" + bytes([orientation]) + bytes(6)

plain = open("plain.webp", "rb").read()[12:]

def picture(name, flags, before=b"", after=b""):
    vp8x = struct.pack("<I", flags) + struct.pack("<I", 47)[:3] + struct.pack("<I", 39)[:3]
    body = b"WEBP" + chunk(b"VP8X", vp8x) + before + plain + after
    open(name + ".webp", "wb").write(b"RIFF" + struct.pack("<I", len(body)) + body)

rgb = chunk(b"ICCP", profile(b"RGB ", 201))
exif, xmp = chunk(b"EXIF", tiff(1)), chunk(b"XMP ", b"<x:xmpmeta/>x")
picture("all", 44, rgb, exif + xmp)
picture("head", 8, b"", chunk(b"EXIF", b"Exif\0\0" + tiff(1)))
picture("gray_profile", 32, chunk(b"ICCP", profile(b"GRAY", 200)))
picture("unsound", 12, b"", chunk(b"EXIF", b"MM") + chunk(b"XMP ", b""))
picture("twice", 44, rgb + rgb, exif + chunk(b"EXIF", tiff(6)) + xmp + xmp)
picture("long", 4, b"", chunk(b"XMP ", bytes(9 << 20)))
for i in range(1, 10):
    picture(f"turned{i}", 8, b"", chunk(b"EXIF", tiff(i)))
END
cat >show.py <<'END'
import sys, zlib

def chunks(data):
    place = 12
    while place < len(data):
        size = int.from_bytes(data[place + 4:place + 8], "little")
        yield data[place:place + 4].decode(), data[place + 8:place + 8 + size]
        place += 8 + size + size % 2

data = open(sys.argv[1], "rb").read()
assert int.from_bytes(data[4:8], "little") + 8 == len(data)
for kind, content in chunks(data):
    if kind == "VP8X":
        print("  flags", content[0])
    elif kind in ("ICCP", "EXIF", "XMP "):
        print(" ", kind, len(content), f"{zlib.crc32(content):08x}")
END
copy() {
    stencilcli convolve "$1" "$2" --mask identity 2>&1
}
copy "$TESTDATA/lossless.webp" plain.webp
python3 make.py
for name in all head gray_profile unsound twice long; do
    echo "$name"
    copy $name.webp out.webp
    python3 show.py out.webp
    copy $name.webp out.png
    copy out.png back.webp
    cmp out.webp back.webp || echo 'by PNG: others'
    copy $name.webp out.jpg
    copy out.jpg jpeg.webp
    python3 show.py jpeg.webp >by_jpeg
    python3 show.py out.webp | cmp - by_jpeg || echo 'by JPEG: others'
done
echo 'lossy, with alpha'
stencilcli convolve "$TESTDATA/cutout.png" alpha.webp --mask identity --alpha plain --quality 50
python3 show.py alpha.webp
copy all.webp out.pam
# Gray becomes RGB, which a profile for gray does not suit.
copy "$TESTDATA/gray.png" plain.jpg
python3 - <<'END'
from make import profile
icc = b"ICC_PROFILE\0\1\1" + profile(b"GRAY", 200)
data = open("plain.jpg", "rb").read()
open("gray.jpg", "wb").write(data[:20] + b"\xff\xe2" + (len(icc) + 2).to_bytes(2, "big") + icc + data[20:])
END
copy gray.jpg gray.webp
python3 show.py gray.webp
# All orientations give what a JPEG's give: turning by n and by the opposite gives the stored picture.
for i in 1 2 3 4 5 6 7 8 9; do
    copy turned$i.webp upright$i.webp
    python3 show.py upright$i.webp
    copy upright$i.webp - | stencilcli convolve - upright$i.ppm --mask identity -q
done | sort | uniq -c
cat >turn.py <<'END'
import sys
def read(name):
    kind, width, height, top, data = open(name, "rb").read().split(maxsplit=4)
    width, height = int(width), int(height)
    data = data[-3 * width * height:]
    return [[data[3 * (y * width + x):][:3] for x in range(width)] for y in range(height)]
stored = read("upright1.ppm")
flip, mirror = lambda p: p[::-1], lambda p: [row[::-1] for row in p]
turn = lambda p: [list(row) for row in zip(*p)]
for i, expected in enumerate([stored, mirror(stored), flip(mirror(stored)), flip(stored), turn(stored),
                              mirror(turn(stored)), flip(mirror(turn(stored))), flip(turn(stored)),
                              stored]):
    if read(f"upright{i + 1}.ppm") != expected:
        print("orientation", i + 1)
END
python3 turn.py
