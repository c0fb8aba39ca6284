# Headers that promise more than the file or the memory holds, and holes of 20 GB in place of
# segments or data, end with one sentence within a second and in little memory.
. "$CLI/lib"
cat >make.py <<'EOF'
import os, struct

def segment(marker, data):
    return b"\xff" + bytes([marker]) + struct.pack(">H", len(data) + 2) + data

code = bytes([1] + [0] * 15 + [0])
tables = segment(0xdb, b"\0" + b"\1" * 64) + segment(0xc4, b"\0" + code + b"\x10" + code)

def picture(kind, width, height, components, *scans):
    frame = bytes([8]) + struct.pack(">HHB", height, width, components)
    frame += b"".join(bytes([i + 1, 0x11, 0]) for i in range(components))
    return b"\xff\xd8" + tables + segment(0xc0 + kind, frame) + b"".join(
        segment(0xda, bytes([components]) + bytes(b for i in range(components) for b in (i + 1, 0))
                + bytes(scan)) for scan in scans)

files = {"start": b"\xff\xd8", "marker": b"\xff\xd8\xff", "app": b"\xff\xd8\xff\xe1",
         "comment": b"\xff\xd8" + segment(0xfe, b"x"), "tables": b"\xff\xd8" + tables,
         "small": picture(0, 16, 16, 1, (0, 63, 0)),
         "progressive": picture(2, 16, 16, 1, (0, 0, 0))}
for name, head in files.items():
    with open(name + ".jpg", "wb") as file:
        file.write(head)
        file.truncate(20 << 30)
with open("huge.jpg", "wb") as file: # a hole that could hold its data
    file.write(picture(2, 65500, 65500, 3, (0, 0, 0)))
    file.truncate(1 << 30)
with open("short.jpg", "wb") as file:
    file.write(picture(0, 65500, 65500, 3, (0, 63, 0)) + bytes(1000))
EOF
python3 make.py
for file in *.jpg; do
    [ $file != huge.jpg ] || continue
    refuses 1 $file blur $file out.ppm
    refuses 1 'standard input' blur - out.ppm <$file
done
# shellcheck disable=SC3045
ulimit -v 2000000
stencilcli --version >version 2>&1 || exit 0 # a sanitizer needs more addresses
refuses 1 'huge.jpg: no memory for 65500 x 65500 pixels: it takes' blur huge.jpg out.ppm
