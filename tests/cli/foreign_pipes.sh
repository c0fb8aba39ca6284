# The commands that the sentences about files in other formats name really work, for each kind of
# which a program here can make a file.
. "$CLI/lib"
mkdir bin
ln -s "$STENCILCLI" bin/stencilcli
PATH=$PWD/bin:$PATH
tried=0
works() { # works FILE: the command in the sentence about FILE makes a picture
    tried=$((tried + 1))
    "$STENCILCLI" blur "$1" - --format pam >/dev/null 2>message && echo "$1 was read"
    command=$(sed -n 's/.*; try: \(.*\) FILTER - OUTPUT$/\1/p' message)
    rm -f out.png
    sh -c "$command blur - out.png -q" 2>messages || { echo "$1: $command"; cat messages; }
    stencilcli compare out.png out.png >/dev/null 2>&1 || echo "$1: no picture"
}
there() { # there PROGRAM: it is installed, and not a stand-in that lacks formats
    command -v "$1" >found && { [ "$1" != convert ] || convert -list format >formats 2>/dev/null; }
}
{ printf 'P6 64 48 255\n' && head -c 9216 "$TESTDATA/photo.png"; } >small.ppm
if there convert; then
    for kind in heic avif jp2 j2k exr hdr dpx fits dds xpm sgi pcx ico; do
        # A program may lack a library for a kind. Then it warns, or writes a PPM.
        convert small.ppm "x.$kind" 2>messages && [ ! -s messages ] || continue
        [ "$(head -c 2 "x.$kind" | tr -d '\000')" != P6 ] || continue
        works x.$kind
    done
    cp x.jp2 "a: b's [1].jpg"
    works "a: b's [1].jpg"
    convert small.ppm -colorspace CMYK "a b's.psd"
    works "a b's.psd"
    for name in gray.psd right_to_left.tga palette_first.tga; do
        works "$TESTDATA/hostile/$name"
    done
fi
if there ffmpeg; then
    for kind in qoi jxl mp4 avi; do
        ffmpeg -v error -i small.ppm x.$kind 2>messages || continue
        works x.$kind
    done
fi
echo '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30"><path d="M1 2L3 9z"/></svg>' \
    >x.svg
if there djpeg && there cjpeg; then
    works "$TESTDATA/hostile/cmyk.jpg"
    cjpeg -arithmetic -outfile "an a.jpg" small.ppm
    works "an a.jpg"
fi
# A build without WebP names convert.
if there cwebp && there webpmux &&
    { stencilcli list formats | grep -q '^webp *reads' || there convert; }; then
    cwebp -quiet "$TESTDATA/photo.png" -o one.webp
    webpmux -frame one.webp +100 -frame one.webp +100 -o two.webp 2>messages
    works two.webp
fi
if there rsvg-convert; then
    works x.svg
    if there pdftoppm; then
        rsvg-convert -f pdf -o x.pdf x.svg
        works x.pdf
    fi
fi
if there dcraw_emu; then
    python3 - <<'PYTHON'
import struct
WIDTH, HEIGHT = 64, 48
samples = b"".join(struct.pack("<H", (x * 37 + y * 91) % 4096)
                   for y in range(HEIGHT) for x in range(WIDTH))
SIZE = {1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 10: 8}
tags = {254: (4, b"\0\0\0\0"), 256: (4, WIDTH), 257: (4, HEIGHT), 258: (3, 16), 259: (3, 1),
        262: (3, 32803), 271: (2, b"Maker\0"), 272: (2, b"Model\0"), 273: (4, 0), 274: (3, 1),
        277: (3, 1), 278: (4, HEIGHT), 279: (4, len(samples)), 284: (3, 1),
        33421: (3, struct.pack("<HH", 2, 2)), 33422: (1, bytes([0, 1, 1, 2])),
        50706: (1, bytes([1, 4, 0, 0])), 50708: (2, b"Maker Model\0"), 50714: (3, 0),
        50717: (3, 4095),
        50721: (10, b"".join(struct.pack("<ii", i % 4 == 0, 1) for i in range(9))),
        50728: (5, struct.pack("<II", 1, 1) * 3)}
place, entries, rest = 8 + 2 + 12 * len(tags) + 4, b"", b""
long = sum(len(v) for _, v in tags.values() if isinstance(v, bytes) and len(v) > 4)
for tag, (kind, value) in sorted(tags.items()):
    if tag == 273:
        value = place + long
    data = value if isinstance(value, bytes) else struct.pack("<H" if kind == 3 else "<I", value)
    entries += struct.pack("<HHI", tag, kind, len(data) // SIZE[kind])
    entries += struct.pack("<I", place + len(rest)) if len(data) > 4 else data.ljust(4, b"\0")
    rest += data if len(data) > 4 else b""
with open("x.dng", "wb") as out:
    out.write(b"II*\0" + struct.pack("<IH", 8, len(tags)) + entries + b"\0\0\0\0" + rest + samples)
PYTHON
    works x.dng
fi
[ $tried -gt 0 ] || skip 'none of convert, ffmpeg, djpeg, rsvg-convert, dcraw_emu is installed'
