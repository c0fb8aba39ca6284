# Metadata of a JPEG: copied to another JPEG, upright; between JPEG and PNG what both can hold; one
# warning names the rest.
. "$CLI/lib"
cat >make.py <<'EOF'
import os, struct, subprocess

def segment(marker, data):
    return b"\xff" + bytes([marker]) + struct.pack(">H", len(data) + 2) + data

def profile(space, size=200):
    body = bytearray(i % 251 for i in range(size))
    body[0:4] = struct.pack(">I", size)
    body[16:20] = space
    body[36:40] = b"acsp"
    return bytes(body)

def pieces(body, count):
    size = -(-len(body) // count)
    return [segment(0xe2, b"ICC_PROFILE\0" + bytes([i + 1, count]) + body[i * size:(i + 1) * size])
            for i in range(count)]

def tiff(orientation):
    return b"MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0" + bytes([orientation, 0, 0, 0, 0, 0, 0])

def picture(name, plain, *segments, jfif=None):
    start = plain[:20] if jfif is None else plain[:13] + jfif + plain[18:20]
    with open(name, "wb") as file:
        file.write(start + b"".join(segments) + plain[20:])

def plain(source, *options):
    subprocess.run([os.environ["STENCILCLI"], "convolve", source, "plain.jpg", "--mask", "identity",
                    "-q", *options], check=True)
    return open("plain.jpg", "rb").read()

exif = segment(0xe1, b"Exif\0\0" + tiff(6))
xmp = segment(0xe1, b"http://ns.adobe.com/xap/1.0/\0<x:xmpmeta/>")
more = segment(0xe1, b"http://ns.adobe.com/xmp/extension/\0" + bytes(40))
iptc = segment(0xed, b"Photoshop 3.0\x008BIM")
comment = segment(0xfe, b"a comment")
colour = plain(os.environ["TESTDATA"] + "/progressive.jpg")
gray = plain(os.environ["TESTDATA"] + "/gray.png")
rgb = profile(b"RGB ", 70000)
dpi = b"\1\1\x2c\0\x96"  # inches: 300 and 150
picture("all.jpg", colour, exif, xmp, iptc, *pieces(rgb, 2), comment, comment, jfif=dpi)
picture("turned.jpg", colour, *pieces(rgb, 3)[::-1], exif)
picture("extended.jpg", colour, xmp, more)
picture("second.jpg", colour, exif, segment(0xe1, b"Exif\0\0" + tiff(3)), xmp, xmp)
picture("incomplete.jpg", colour, *pieces(rgb, 3)[:2])
picture("gray.jpg", gray, *pieces(profile(b"GRAY"), 1), jfif=b"\2\0\x76\0\x76")
picture("gray_rgb.jpg", gray, *pieces(rgb, 2))
picture("unsound.jpg", colour, segment(0xe1, b"Exif\0\0MM"), segment(0xe2, b"ICC_PROFILE\0"))
picture("large.jpg", colour, *[segment(0xfe, bytes(65533))] * 130, *pieces(rgb, 2))
picture("other.jpg", colour, segment(0xe0, b"JFXX\0\x10"), segment(0xe2, b"MPF\0MM"),
        segment(0xec, b"Ducky"), b"\xff\xff\xff", comment)
EOF
cat >show.py <<'EOF'
import struct, sys, zlib

def show(kind, data):
    print(" ", kind, len(data), f"{zlib.crc32(data):08x}")

def jpeg(file):
    place, profile, comments = 2, b"", 0
    print(f"  density {file[13]}: {file[14] * 256 + file[15]} {file[16] * 256 + file[17]}")
    while file[place + 1] != 0xda:
        size = struct.unpack(">H", file[place + 2:place + 4])[0]
        marker, data = file[place + 1], file[place + 4:place + 2 + size]
        place += 2 + size
        if marker == 0xe2 and data.startswith(b"ICC_PROFILE\0"):
            profile += data[14:]
        elif marker == 0xe1 and data.startswith(b"Exif"):
            show("exif", data[6:])
        elif marker == 0xe1 and data.startswith(b"http://ns.adobe.com/xap"):
            show("xmp", data[29:])
        elif marker == 0xfe:
            comments += 1
        elif marker in (0xe1, 0xe2, 0xec, 0xed):
            show(f"{marker:02x}", data)
        elif marker == 0xc0:
            print("  sampling", *(f"{data[7 + 3 * i]:02x}" for i in range(data[5])))
    if profile:
        show("icc", profile)
    if comments:
        print("  comments", comments)

def png(file):
    place = 8
    while place < len(file):
        size = int.from_bytes(file[place:place + 4], "big")
        kind, data = file[place + 4:place + 8], file[place + 8:place + 8 + size]
        assert file[place + 8 + size:place + 12 + size] == struct.pack(">I", zlib.crc32(kind + data))
        place += 12 + size
        if kind == b"iCCP":
            show("icc", zlib.decompress(data[data.index(b"\0") + 2:]))
        elif kind == b"iTXt":
            show("xmp", data[22:])
        elif kind == b"eXIf":
            show("exif", data)
        elif kind == b"pHYs":
            print("  pHYs", *struct.unpack(">IIB", data))

data = open(sys.argv[1], "rb").read()
(png if data[1:4] == b"PNG" else jpeg)(data)
EOF
python3 make.py
python3 show.py all.jpg
for name in all turned extended second incomplete gray gray_rgb unsound large other; do
    for format in jpg png; do
        try blur $name.jpg out.$format
        python3 show.py out.$format
    done
done
# Back again, and formats without metadata.
stencilcli blur all.jpg out.png
try blur out.png back.jpg
python3 show.py back.jpg
try blur out.png out.ppm
try blur all.jpg out.ppm
try blur gray.jpg out.bmp
# A segment holds 64 KiB.
python3 - <<'EOF'
import struct, zlib
file = open("out.png", "rb").read()
exif = b"eXIf" + b"II*\0" + bytes(70000)
exif = struct.pack(">I", len(exif) - 4) + exif + struct.pack(">I", zlib.crc32(exif))
place = file.index(b"eXIf") - 4
end = place + 12 + int.from_bytes(file[place:place + 4], "big")
open("large.png", "wb").write(file[:place] + exif + file[end:])
EOF
try blur large.png back.jpg
python3 show.py back.jpg
# Print size: a PNG counts per metre.
stencilcli blur gray.jpg out.png
try blur out.png back.jpg
python3 show.py back.jpg
