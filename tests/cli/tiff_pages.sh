# Files of several pages: TIFF to TIFF filters every page, also of other sizes, depths and metadata;
# another format gets the first page, and a warning says so. Smaller copies of a page are no pages.
. "$CLI/lib"
need_format tiff
cat >make.py <<'PYTHON'
import os, sys
sys.path.insert(0, os.environ["CLI"])
from tiff_maker import *

def join(path, files, tags=()):
    """Joins classic TIFF files of one byte order into one file of several pages."""
    out, link = bytearray(b"II*\0\0\0\0\0"), 4
    for name in files:
        data = bytearray(open(name, "rb").read())
        out += b"\0" * (len(out) % 2)
        base, place = len(out) - 8, struct.unpack_from("<I", data, 4)[0]
        count, = struct.unpack_from("<H", data, place)
        for at in range(place + 2, place + 2 + 12 * count, 12):
            tag, kind, n = struct.unpack_from("<HHI", data, at)
            value, = struct.unpack_from("<I", data, at + 8)
            if n * SIZE[kind] > 4:
                struct.pack_into("<I", data, at + 8, value + base)
                if tag in (273, 324):
                    places = struct.unpack_from(f"<{n}I", data, value)
                    struct.pack_into(f"<{n}I", data, value, *(p + base for p in places))
            elif tag in (273, 324):
                struct.pack_into("<I", data, at + 8, value + base)
        out += data[8:]
        struct.pack_into("<I", out, link, place + base)
        link = place + base + 2 + 12 * count
    open(path, "wb").write(out)

def rows(width, height, top, seed):
    return [[(x * seed + y * 7) % (top + 1) for x in range(width)] for y in range(height)]

make("1.tif", rows(90, 40, 255, 3), 3, compression=LZW, strip=9,
     tags={270: (ASCII, b"the first\0"), 42113: (ASCII, b"-1\0")})
make("2.tif", rows(31, 17, 65535, 771), 1, bits=16, tile=(16, 16),
     tags={270: (ASCII, b"the second\0")})
make("3.tif", rows(20, 50, 255, 5), 1, compression=PACKBITS, tags={274: (SHORT, [8])})
make("small.tif", rows(10, 5, 255, 3), 1, tags={254: (LONG, [1])})
make("mask.tif", rows(10, 5, 255, 3), 1, tags={254: (LONG, [4])})
make("broken.tif", rows(10, 5, 255, 3), 1, compression=DEFLATE)
data = bytearray(open("broken.tif", "rb").read())
data[10:20] = b"\xff" * 10
open("broken.tif", "wb").write(data)
join("all.tif", ["1.tif", "2.tif", "3.tif"])
join("copies.tif", ["1.tif", "small.tif", "mask.tif", "3.tif", "small.tif"])
join("one.tif", ["1.tif", "small.tif"])
make("plain.tif", rows(10, 5, 255, 3), 1)
make("other.tif", rows(10, 5, 255, 4), 1)
join("plains.tif", ["plain.tif", "plain.tif"])
join("others.tif", ["plain.tif", "other.tif"])
join("bad.tif", ["1.tif", "broken.tif", "3.tif"])
PYTHON
cat >check.py <<'PYTHON'
import os, sys
sys.path.insert(0, os.environ["CLI"])
from tiff_maker import *
# Each page of a file against the file that was made of this page alone.
name, singles = sys.argv[1], sys.argv[2:]
data = open(name, "rb").read()
place, pages = struct.unpack_from("<I", data, 4)[0], 0
while place:
    tags, place = tags_at(data, place)
    want, _ = read(singles[pages])
    strips = lambda tags, data: [data[p:p + n] for p, n in zip(numbers(tags[273]),
                                                               numbers(tags[279]))]
    same = {t: v for t, v in tags.items() if t != 273} == \
        {t: v for t, v in want.items() if t != 273}
    same &= strips(tags, data) == strips(want, open(singles[pages], "rb").read())
    print(name, "page", pages + 1, "same" if same else "DIFFERENT", tags.get(270, (0, b""))[1])
    pages += 1
print(pages, "of", len(singles), "pages")
PYTHON
python3 make.py
for page in 1 2 3; do stencilcli blur $page.tif f$page.tif -q; done
try blur all.tif out.tif
python3 check.py out.tif f1.tif f2.tif f3.tif
stencilcli blur - - --threads 3 -q <all.tif | cmp - out.tif
stencilcli blur all.tif banded.tif --repeat 1 -t 1
cmp banded.tif out.tif
for page in 1 2 3; do stencilcli blur $page.tif u$page.tif -q --tiff-compression none; done
stencilcli blur all.tif none.tif --tiff-compression none
python3 check.py none.tif u1.tif u2.tif u3.tif
try blur plains.tif out.tif # no tags to keep: no warning either
try blur copies.tif out.tif
python3 check.py out.tif f1.tif f3.tif
try blur one.tif one.png
try blur all.tif one.png
stencilcli blur 1.tif two.png 2>message || cat message
cmp one.png two.png
rm out.tif
try blur bad.tif out.tif
[ ! -e out.tif ]
mkdir in
cp all.tif bad.tif in
stencilcli blur in out --json 2>/dev/null | sed 's/,"input_bytes.*//' || echo exit $?
stencilcli blur all.tif out.tif -q
cmp out/all.tif out.tif
# All pages are compared.
try compare all.tif all.tif -q
try compare 1.tif all.tif
try compare plains.tif others.tif
