# A large TIFF is filtered in little memory: it holds a row of tiles, or a strip, and the bands of
# the pipeline, but not the picture (6000 x 6000 pixels in RGB: 108 MB).
. "$CLI/lib"
need_format tiff
cat >make.py <<'PYTHON'
import struct, sys, zlib
SIDE, TILE = 6000, 256
across = -(-SIDE // TILE)
tile = zlib.compress(bytes((x + y * 3) % 256 for y in range(TILE) for x in range(3 * TILE)), 1)
places = [16 + len(tile) * i for i in range(across * across)]
with open("large.tif", "wb") as out:
    end = 16 + len(tile) * len(places)
    out.write(struct.pack("<2sHHHQ", b"II", 43, 8, 0, end + 16 * len(places)))
    out.write(tile * len(places))
    out.write(struct.pack(f"<{len(places)}Q", *places))
    out.write(struct.pack(f"<{len(places)}Q", *[len(tile)] * len(places)))
    entries = [(256, 4, 1, SIDE), (257, 4, 1, SIDE), (258, 3, 3, 8 | 8 << 16 | 8 << 32),
               (259, 3, 1, 8), (262, 3, 1, 2), (277, 3, 1, 3), (284, 3, 1, 1), (322, 4, 1, TILE),
               (323, 4, 1, TILE), (324, 16, len(places), end),
               (325, 16, len(places), end + 8 * len(places))]
    out.write(struct.pack("<Q", len(entries)))
    out.write(b"".join(struct.pack("<HHQQ", *entry) for entry in entries) + bytes(8))
PYTHON
python3 make.py
cat >run.py <<'PYTHON'
import os, resource, subprocess, sys
subprocess.run([os.environ["STENCILCLI"], *sys.argv[1:]], check=True)
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
sanitized = b"__asan_init" in open(os.environ["STENCILCLI"], "rb").read()
if peak > 40 and not sanitized:
    print(*sys.argv[1:], "took", peak, "MB")
PYTHON
python3 run.py blur large.tif out.tif -q --device cpu -t 2
python3 run.py blur out.tif none.tif -q --device cpu -t 2 --tiff-compression none
python3 run.py blur none.tif again.tif -q --device cpu -t 2 --tiff-compression lzw
python3 run.py blur again.tif last.ppm -q --device cpu -t 2
stencilcli blur large.tif whole.ppm -q --repeat 4
cmp whole.ppm last.ppm
