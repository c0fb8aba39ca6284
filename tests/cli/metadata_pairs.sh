# Every kind of metadata, through all pairs of PNG, JPEG, TIFF and WebP, and from PSD: a tag is
# kept, or a warning names it; the picture is turned upright, and EXIF and XMP data say so.
# scripts/check_metadata does this with real pictures and exiftool.
. "$CLI/lib"
need_format tiff
need_format webp
stencilcli convolve "$TESTDATA/photo.png" plain.png --mask 1 -q
for extension in jpg webp; do
    stencilcli convolve plain.png plain.$extension --mask 1 -q
done
cat >make.py <<'PYTHON'
import os, struct, sys
sys.path.insert(0, os.environ["CLI"])
import tiff_maker as tiff
import metadata_maker as maker

texts = {270: (tiff.ASCII, b"a description\0"), 271: (tiff.ASCII, b"Maker\0"),
         305: (tiff.ASCII, b"Software 1\0"), 306: (tiff.ASCII, b"2026:01:02 03:04:05\0"),
         315: (tiff.ASCII, b"Artist\0"), 33432: (tiff.ASCII, b"Copyright\0")}
print_size = {282: (tiff.RATIONAL, [300, 1]), 283: (tiff.RATIONAL, [150, 1]), 296: (tiff.SHORT, [2])}
more = {269: (tiff.ASCII, b"Document\0"), 18246: (tiff.SHORT, [4]),
        40091: (tiff.BYTE, b"T\0i\0\0\0"), 274: (tiff.SHORT, [6])}
shot = {33434: (tiff.RATIONAL, [1, 250]), 34855: (tiff.SHORT, [400]),
        37500: (tiff.UNDEFINED, b"Apple iOS\0\0\1MM"), 37510: (tiff.UNDEFINED, b"ASCII\0\0\0text")}
place = {0: (tiff.BYTE, b"\2\3\0\0"), 1: (tiff.ASCII, b"N\0"), 2: (tiff.RATIONAL, [52, 1, 30, 1, 0, 1])}
xmp = b'<x:xmpmeta><rdf:Description tiff:Orientation="6"/><tiff:Orientation>6</tiff:Orientation></x:xmpmeta>'
sides = 256, 192
for order in "<>":
    parts = {"exif": maker.exif(texts | print_size | more, {34665: shot, 34853: place},
                                order, b"small"),
             "xmp": xmp, "icc": maker.profile(b"RGB "), "comment": b"a comment"}
    name = {"<": "little", ">": "big"}[order]
    for extension, write in (("png", maker.write_png), ("jpg", maker.write_jpeg)):
        data = write(open("plain." + extension, "rb").read(), parts)
        open(f"{name}.{extension}", "wb").write(data)
    open(name + ".webp", "wb").write(maker.write_webp(open("plain.webp", "rb").read(), parts, sides))
    open(name + ".psd", "wb").write(maker.write_psd(parts, (12, 8)))
    rows = [[(x * y) % 256 for x in range(36)] for y in range(8)]
    tags = texts | print_size | more | {700: (tiff.BYTE, xmp), 34675: (7, parts["icc"])}
    tiff.make(name + ".tif", rows, 3, order=order, exif=shot, tags=tags)
    tiff.make("texts.tif", rows, 3, tags=texts | print_size)
plain = open("plain.png", "rb").read()
def png(name, *chunks):
    open(name, "wb").write(plain[:33] + b"".join(maker.chunk(*c) for c in chunks) + plain[33:])
png("dots.png", (b"pHYs", struct.pack(">IIB", 11811, 5906, 1)))
png("raw.png", (b"zTXt", b"Raw profile type iptc\0\0x"), (b"tEXt", b"Raw profile type exif\0x"))
png("turned.png", (b"pHYs", struct.pack(">IIB", 300, 200, 1)),
    (b"eXIf", maker.exif({274: (tiff.SHORT, [6])}, {})))
png("titled.png", (b"tEXt", b"Comment\0one"), (b"tEXt", b"Title\0two"))
jpeg = open("plain.jpg", "rb").read()
shot[37500] = (tiff.UNDEFINED, b"\1\0\1\0\7\0\4\0\0\0\0\2\0\0")
notes = {"exif": maker.exif(texts, {34665: shot})}
open("notes.jpg", "wb").write(maker.write_jpeg(jpeg, notes))
for name, comment in ("umlaut", "\u00fc".encode()), ("latin", b"\xfc"), ("zero", b"text\0"):
    open(name + ".jpg", "wb").write(maker.write_jpeg(jpeg, {"comment": comment}))
PYTHON
cat >show.py <<'PYTHON'
# Prints what differs from the input, which has to be upright and without the small picture.
import os, sys
sys.path.insert(0, os.environ["CLI"])
import metadata_maker as maker
STORED = {254, 256, 257, 258, 259, 262, 273, 277, 278, 279, 284, 317, 338, 34665, 34853}
source, output = sys.argv[1:]
before, after = maker.read(source.replace(".psd", ".png")), maker.read(output)
old, new = (maker.exif_tags(parts["exif"]) if "exif" in parts else {} for parts in (before, after))
if source.endswith("psd"):
    del before["comment"]
if "xmp" in before:
    before["xmp"] = before["xmp"].replace(b"6", b"1")
if old.pop((0, 274), [1]) != [1]:
    old[0, 282], old[0, 283] = old[0, 283], old[0, 282]
    if new.get((0, 274), [1]) != [1]:
        print("  is not upright")
new.pop((0, 274), None)
for name in ("xmp", "icc", "comment"):
    if before.get(name) != after.get(name):
        print(" ", name, before.get(name), "->", after.get(name))
for key in sorted(set(old) | set(new)):
    if old.get(key) != new.get(key) and not (key[0] == 0 and key[1] in STORED) and key[0] != 1:
        print(f"  {key[0]}/{key[1]}: {old.get(key)} -> {new.get(key)}")
if any(key[0] == 1 for key in new):
    print("  has a small picture")
if "dots" in after and after["dots"] != (1, 1, 0):
    print("  dots", *after["dots"])
PYTHON
python3 make.py
for name in little big texts dots; do
    for from in png jpg webp tif psd; do
        [ -e $name.$from ] || continue
        for to in png jpg webp tif; do
            try convolve $name.$from out.$to --mask 1
            python3 show.py $name.$from out.$to
        done
    done
done
# Other programs' ways to hold metadata in texts; several texts; notes that refer to places.
for pair in raw.png:raw.jpg titled.png:titled.jpg titled.jpg:out.png notes.jpg:out.png \
    notes.jpg:out.tif out.tif:out.webp umlaut.jpg:out.png latin.jpg:out.png zero.jpg:out.png; do
    try convolve "${pair%:*}" "${pair#*:}" --mask 1
    python3 show.py "${pair%:*}" "${pair#*:}"
done
# A PNG on its side.
try convolve turned.png upright.png --mask 1
try convolve turned.png upright.tif --mask 1
stencilcli compare upright.png upright.tif -q
python3 - <<'PYTHON'
import os, sys
sys.path.insert(0, os.environ["CLI"])
import metadata_maker as maker
print(maker.read("upright.png")["dots"], maker.exif_tags(maker.read("upright.png")["exif"]))
PYTHON
