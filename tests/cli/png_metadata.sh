# Metadata of a PNG is copied to another PNG unchanged. Not copied: invalid, repeated or misplaced
# chunks, and chunks that do not suit the pixels. PNM gets no metadata.
. "$CLI/lib"
cat >make.py <<'EOF'
import struct, sys, zlib

def chunk(kind, data):
    return (struct.pack(">I", len(data)) + kind + data
            + struct.pack(">I", zlib.crc32(kind + data)))

def profile(space, length=None):
    body = bytearray(200)
    body[0:4] = struct.pack(">I", length or len(body))
    body[16:20] = space
    body[36:40] = b"acsp"
    return b"mine\0\0" + zlib.compress(bytes(body))

def picture(name, colour, before, behind=()):
    samples = {0: 1, 2: 3, 3: 1, 6: 4}[colour]
    rows = b"".join(b"\0" + bytes(range(y, y + 4 * samples)) for y in range(3))
    if colour == 3:
        rows = b"\0\0\0\0\0" * 3
    with open(name, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n"
                   + chunk(b"IHDR", struct.pack(">IIBBBBB", 4, 3, 8, colour, 0, 0, 0))
                   + b"".join(chunk(*c) for c in before) + chunk(b"IDAT", zlib.compress(rows))
                   + b"".join(chunk(*c) for c in behind) + chunk(b"IEND", b""))

red = (b"PLTE", b"\xff\0\0")
exif = (b"eXIf", b"II*\0\x08\0\0\0\0\0\0\0\0\0")
ten = [(b"gAMA", struct.pack(">I", 100000)), (b"cHRM", struct.pack(">8I", *range(1, 9))),
       (b"sRGB", b"\1"), (b"iCCP", profile(b"RGB ")), (b"cICP", b"\x09\x10\0\1"),
       (b"pHYs", struct.pack(">IIB", 2835, 2835, 1)), exif, (b"tEXt", b"Title\0one"),
       (b"zTXt", b"Comment\0\0" + zlib.compress(b"two")), (b"iTXt", b"Author\0\0\0en\0\0three"),
       (b"tIME", bytes(7)), (b"vpAg", b"private")]
picture("all.png", 2, ten)
picture("palette.png", 3, [ten[3], red, ten[0], ten[5]], [ten[5], exif, (b"tEXt", b"End\0x")])
picture("twice.png", 2, [ten[0], (b"gAMA", struct.pack(">I", 50000)), ten[3], ten[3]])
picture("gray.png", 0, [(b"iCCP", profile(b"GRAY")), ten[5]])
picture("gray_rgb.png", 0, [ten[3], ten[5]])
picture("rgba.png", 6, [ten[3]])
picture("unsound.png", 2, [(b"gAMA", bytes(4)), (b"sRGB", b"\4"), (b"iCCP", profile(b"RGB ", 9)),
                           (b"cICP", b"\x09\x10\0"), (b"eXIf", b"II*"), (b"tEXt", b"\0x"),
                           (b"zTXt", b"Comment\0\1x"), (b"iTXt", b"Author\0\2\0\0\0x")])
picture("not_deflated.png", 2, [(b"iCCP", b"mine\0\0never deflated")])
picture("large.png", 2, [(b"tEXt", b"A\0" + bytes(9 << 20)), (b"tEXt", b"B\0kept")])
picture("many.png", 2, [(b"tEXt", b"%d\0x" % i) for i in range(300)])
EOF
cat >chunks.py <<'EOF'
import sys
data = {name: open(name, "rb").read() for name in sys.argv[1:3]}
listed = []
for name, file in data.items():
    place, chunks = 8, []
    while place < len(file):
        size = 12 + int.from_bytes(file[place:place + 4], "big")
        chunks.append(file[place:place + size])
        place += size
    listed.append(chunks)
before, after = listed
kept = [c for c in after if c[4:8] not in (b"IHDR", b"IDAT", b"IEND")]
print(*(f"{c[4:8].decode()}" + ("" if c in before else " changed") for c in kept[:12]), len(kept))
print("behind the header" if after[1:len(kept) + 1] == kept else "elsewhere")
EOF
python3 make.py
for name in all palette twice gray gray_rgb rgba unsound not_deflated large many; do
    try blur $name.png out.png --mask gauss5
    python3 chunks.py $name.png out.png
done
try blur all.png out.png --repeat 2
python3 chunks.py all.png out.png
try blur all.png out.ppm
try blur rgba.png out.jpg --alpha drop
try blur rgba.png out.png --alpha drop -q
python3 chunks.py rgba.png out.png
