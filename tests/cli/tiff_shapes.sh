# TIFF files of all shapes, written by the tests' own code: byte orders, BigTIFF, strips and tiles,
# planes, compressions, depths, palettes, kinds of alpha, orientations. One folder run reads them.
. "$CLI/lib"
need_format tiff
mkdir in
cat >make.py <<'PYTHON'
import json, os, random, sys
sys.path.insert(0, os.environ["CLI"])
from tiff_maker import *

rng = random.Random(20)
expected = {}


def picture(width, height, channels, bits):
    # Partly smooth, so that compression and prediction have something to do.
    return [[(x * 3 + y * 5 + rng.randrange(4) if y % 4 else rng.randrange(1 << bits)) % (1 << bits)
             for x in range(width * channels)] for y in range(height)]


def case(name, rows, channels, want, want_channels, most, **how):
    make(f"in/{name}.tif", rows, channels, **how)
    expected[name] = want_channels, most, want


count = 0
for channels, bits in [(c, b) for c in (1, 2, 3, 4) for b in (8, 16)]:
    rows = picture(37, 29, channels, bits)
    for compression, predictor in [(NONE, 0), (LZW, 0), (LZW, 1), (DEFLATE, 0), (DEFLATE, 1),
                                   (PACKBITS, 0)]:
        for layout in [{"strip": 1}, {"strip": 7}, {}, {"tile": (16, 16)}, {"tile": (32, 48)}]:
            for planar in (False, True)[:1 if channels == 1 else 2]:
                count += 1
                order, big, fill = "<>"[count % 2], count % 3 == 0, 1 + (count % 7 == 0)
                if fill == 2 and compression == DEFLATE:
                    fill = 1
                where = "-".join(f"{k}{v}" for k, v in layout.items()).replace(" ", "")
                case(f"{channels}x{bits}-{compression}-{predictor}-{where}-{planar}-{count}", rows,
                     channels, rows, channels, (1 << bits) - 1, bits=bits, planar=planar, big=big,
                     order=order, compression=compression, predictor=predictor, fill=fill,
                     extra=2 if channels in (2, 4) else None, **layout)
for bits in (1, 2, 4):
    top = (1 << bits) - 1
    for width in (1, 7, 8, 33):
        rows = picture(width, 11, 1, bits)
        gray = [[v * 255 // top for v in row] for row in rows]
        inverted = [[255 - v for v in row] for row in gray]
        for fill in (1, 2):
            for compression in (NONE, PACKBITS, LZW):
                name = f"gray{bits}-{width}-{fill}-{compression}"
                case(name, rows, 1, gray, 1, 255, bits=bits, fill=fill, compression=compression,
                     strip=4)
                case("white" + name, rows, 1, inverted, 1, 255, bits=bits, fill=fill,
                     compression=compression, photometric=0)
for bits in (8, 16):
    top = (1 << bits) - 1
    rows = picture(21, 9, 1, bits)
    case(f"white{bits}", rows, 1, [[top - v for v in row] for row in rows], 1, top, bits=bits,
         photometric=0)
    rows = picture(21, 9, 2, bits)
    case(f"whitealpha{bits}", rows, 2,
         [[v if i % 2 else top - v for i, v in enumerate(row)] for row in rows], 2, top, bits=bits,
         photometric=0, extra=2)
for bits in (1, 2, 4, 8):
    for kind in ("doubled", "bytes", "high", "wide"):
        n = 1 << bits
        rows = picture(19, 13, 1, bits)
        entry = [rng.randrange(256) for _ in range(3 * n)]
        table = [v * 257 for v in entry] if kind == "doubled" else entry
        if kind == "high": # as Pillow writes them
            table = [v * 256 for v in entry]
        if kind == "wide":
            table = [v * 256 + 1 for v in entry]
        want = [[(table if kind == "wide" else entry)[c * n + v] for v in row for c in range(3)]
                for row in rows]
        case(f"palette{bits}-{kind}", rows, 1, want, 3, 65535 if kind == "wide" else 255,
             bits=bits, photometric=3, tags={320: (SHORT, table)})
for orientation in range(1, 9):
    for channels, bits in ((3, 8), (1, 16), (4, 16)):
        width, height = 13, 37
        rows = picture(width, height, channels, bits)
        pixel = lambda x, y: rows[y][x * channels:(x + 1) * channels]
        back_x = orientation in (2, 3, 7, 8)
        back_y = orientation in (3, 4, 6, 7)
        stored = [[pixel(width - 1 - x if back_x else x, height - 1 - y if back_y else y)
                   for x in range(width)] for y in range(height)]
        if orientation >= 5:
            stored = [[stored[y][x] for y in range(height)] for x in range(width)]
        # STORED above is what an upright picture looks like whose stored rows are ROWS.
        want = [[v for p in row for v in p] for row in stored]
        case(f"turned{orientation}-{channels}", rows, channels, want, channels, (1 << bits) - 1,
             bits=bits, tags={274: (SHORT, [orientation])}, extra=2 if channels == 4 else None)
# Premultiplied alpha is divided out, with rounding.
for bits in (8, 16):
    top = (1 << bits) - 1
    rows = [[v for x in range(40) for a in [rng.choice((0, top, rng.randrange(top + 1)))]
             for v in [rng.randrange(a + 1) for _ in range(3)] + [a]] for y in range(10)]
    want = [[min(top, (2 * row[i] * top + row[i | 3]) // (2 * row[i | 3])) if row[i | 3] and
             i % 4 < 3 else row[i] if i % 4 == 3 else 0 for i in range(160)] for row in rows]
    case(f"premultiplied{bits}", rows, 4, want, 4, top, bits=bits, extra=1)
case("long", [[i % 251] * 3 for i in range(3000)], 3, [[i % 251] * 3 for i in range(3000)], 3, 255,
     compression=LZW)
json.dump(expected, open("expected.json", "w"))
PYTHON
python3 make.py
"$STENCILCLI" convolve in out --mask 1 --alpha plain --ext pam 2>messages || cat messages
cat >check.py <<'PYTHON'
import json, os, sys
sys.path.insert(0, os.environ["CLI"])
from tiff_maker import *
expected = json.load(open("expected.json"))
wrong = [name for name, want in expected.items()
         if not os.path.exists(f"out/{name}.pam") or list(pam(f"out/{name}.pam")) != want]
print(len(expected), "files, wrong:", wrong[:20])
PYTHON
python3 check.py
stencilcli convolve in/premultiplied8.tif out.png --mask 1 2>&1
