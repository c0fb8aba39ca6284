# Metadata of a TIFF: carried to another TIFF byte for byte, private tags and GeoTIFF too; between
# TIFF, PNG and JPEG what both can hold; one warning names the rest.
. "$CLI/lib"
need_format tiff
cat >make.py <<'PYTHON'
import os, struct, sys
sys.path.insert(0, os.environ["CLI"])
from tiff_maker import *

def profile(space, size=600):
    body = bytearray(i % 251 for i in range(size))
    body[0:4] = struct.pack(">I", size)
    body[16:20] = space
    body[36:40] = b"acsp"
    return bytes(body)

tags = {270: (ASCII, b"a description\0"), 271: (ASCII, b"Maker\0"), 272: (ASCII, b"M\0"),
        282: (RATIONAL, [3000, 10, ]), 283: (RATIONAL, [150, 1]), 296: (SHORT, [2]),
        305: (ASCII, b"Software 1.0\0"), 306: (ASCII, b"2026:01:02 03:04:05\0"),
        700: (BYTE, b"<x:xmpmeta/>"), 33432: (ASCII, b"Copyright\0"),
        33550: (DOUBLE, [0.5, 0.5, 0.0]), 33922: (DOUBLE, [0.0, 0.0, 0.0, 440720.0, 3751320.0, 0.0]),
        34264: (DOUBLE, [i / 7 for i in range(16)]), 34675: (UNDEFINED, profile(b"RGB ")),
        34735: (SHORT, [1, 1, 0, 1, 1024, 0, 1, 1]), 34736: (DOUBLE, [6378137.0, 298.25]),
        34737: (ASCII, b"WGS 84 / UTM|\0"), 42112: (ASCII, b"<GDALMetadata/>\0"),
        42113: (ASCII, b"-9999\0"), 51234: (LONG, [1, 2, 3, 4000000000]),
        51235: (SHORT, [258]), 51236: (RATIONAL, [1, 3, 2, 5])}
exif = {33434: (RATIONAL, [1, 250]), 36864: (UNDEFINED, b"0232"), 37500: (UNDEFINED, b"maker note"),
        34855: (SHORT, [400])}
rows = [[(x * y) % 256 for x in range(30)] for y in range(8)]
for order, big in (("<", False), (">", False), ("<", True), (">", True)):
    make(f"all{'LB'[order == '>']}{'Cb'[big]}.tif", rows, 3, order=order, big=big, tags=tags,
         exif=exif, compression=LZW)
make("plain.tif", rows, 3)
make("turned.tif", rows, 3, tags={274: (SHORT, [6]), 282: (RATIONAL, [300, 1]),
                                  283: (RATIONAL, [72, 1])})
make("gray_rgb.tif", rows, 1, tags={34675: tags[34675], 37724: (UNDEFINED, b"layers"),
                                    330: (LONG, [8]), 320: (SHORT, [1, 2, 3])})
make("metric.tif", rows, 1, tags={34675: (UNDEFINED, profile(b"GRAY")), 296: (SHORT, [3]),
                                  282: (RATIONAL, [118, 1]), 283: (RATIONAL, [118, 1])})
make("ratio.tif", rows, 1, tags={282: (RATIONAL, [2, 1]), 283: (RATIONAL, [1, 1]),
                                 296: (SHORT, [1])})
PYTHON
cat >show.py <<'PYTHON'
import os, sys
sys.path.insert(0, os.environ["CLI"])
from tiff_maker import *
STORED = {256, 257, 258, 259, 262, 273, 274, 277, 278, 279, 284, 317, 338}

def show(tag, entry, order="<", indent="  "):
    kind, data = entry
    values = numbers(entry, order) if kind not in (ASCII, BYTE, UNDEFINED) else data
    if tag in (34665, 34853): # its place depends on the length of the compressed samples
        values = "a directory"
    if len(data) > 40:
        values = f"{len(data)} bytes, {zlib.crc32(data):08x}"
    print(f"{indent}{tag} type {kind}:", values)

for name in sys.argv[1:]:
    data = open(name, "rb").read()
    tags, _ = read(name)
    print(name)
    for tag, entry in tags.items():
        if tag in STORED:
            continue
        show(tag, entry)
        if tag in (34665, 34853):
            for inner in tags_at(data, numbers(entry)[0])[0].items():
                show(*inner, indent="    ")
PYTHON
python3 make.py
for name in allLC allBC allLb allBb; do
    stencilcli blur $name.tif out-$name.tif
    cmp out-$name.tif out-allLC.tif
done
stencilcli blur gray_rgb.tif out-gray_rgb.tif
stencilcli blur turned.tif out-turned.tif
python3 show.py out-allLC.tif out-gray_rgb.tif out-turned.tif
try blur plain.tif plain.png
try blur allLC.tif a.png
try blur allBb.tif a.jpg
try blur allLC.tif a.ppm
try blur gray_rgb.tif gray_rgb.png
for name in metric ratio; do
    stencilcli blur $name.tif $name.png
    stencilcli blur $name.png back-$name.tif
done
echo from PNG and JPEG
stencilcli blur a.png png.tif
stencilcli blur a.jpg jpg.tif
python3 show.py png.tif jpg.tif back-metric.tif back-ratio.tif
stencilcli blur png.tif a2.png
stencilcli blur a.png a3.png
python3 - <<'PYTHON'
import re
def chunks(name):
    data, at, found = open(name, "rb").read(), 8, {}
    while at < len(data):
        n = int.from_bytes(data[at:at + 4], "big")
        found[data[at + 4:at + 8]] = data[at + 8:at + 8 + n]
        at += n + 12
    return found
one, two = chunks("a2.png"), chunks("a3.png")
print({k.decode(): one.get(k) == two.get(k) for k in (b"iCCP", b"iTXt", b"pHYs")})
PYTHON
