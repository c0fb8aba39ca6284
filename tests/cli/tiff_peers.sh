# TIFF files of libtiff's own tools (all compressions that they write) hold the samples that these
# tools read from them, and Pillow and libtiff read what the program writes.
. "$CLI/lib"
need_format tiff
command -v tiffcp >found || skip 'no tiffcp (libtiff-tools)'
plain() { stencilcli convolve "$1" "$2" --mask 1 -q --alpha plain; }
plain "$TESTDATA/photo.png" base.tif
plain "$TESTDATA/cutout.png" alpha.tif
plain "$TESTDATA/deep.ppm" deep.tif 2>messages
tried=0
for file in base alpha deep; do
    for options in '-c jpeg:r' '-c jpeg' '-c jpeg -t -w 64 -l 32' '-c zstd:2 -t -w 64 -l 64' \
        '-c lzw:2 -p separate' '-c zip:2 -B -t -w 16 -l 16' '-c packbits -8 -r 5' '-c lzma' \
        '-c none -p separate -B' '-c lzw -f lsb2msb' '-c none -f lsb2msb -B' '-c zip -s -r 1'; do
        # shellcheck disable=SC2086
        tiffcp $options $file.tif in.tif 2>messages || continue # not of this kind of picture
        tiffcp -c none -s in.tif want.tif 2>messages || continue
        plain in.tif in.pam
        plain want.tif want.pam
        cmp in.pam want.pam || echo "$file.tif by tiffcp $options"
        plain in.tif out.tif
        tiffcp -c none -s out.tif again.tif
        plain again.tif again.pam
        cmp again.pam want.pam || echo "$file.tif by tiffcp $options, written"
        tried=$((tried + 1))
    done
done
[ $tried -gt 15 ] || echo "only $tried files"
python3 -c 'from PIL import Image, features; assert features.check("libtiff")' 2>messages || exit 0
cat >pillow.py <<'PYTHON'
import os, subprocess
from PIL import Image
picture = Image.open(os.environ["TESTDATA"] + "/photo.png")
def check(name):
    subprocess.run([os.environ["STENCILCLI"], "convolve", name, "out.png", "--mask", "1", "-q",
                    "--alpha", "plain"], check=True)
    ours, theirs = Image.open("out.png"), Image.open(name)
    if ours.tobytes() != theirs.convert(ours.mode).tobytes():
        print(name, ours.mode, theirs.mode, "differ")
for name, mode, how in [("jpeg", "RGB", "jpeg"), ("ycbcr", "YCbCr", "jpeg"), ("lzw", "RGB", "tiff_lzw"),
                        ("raw", "RGB", None), ("fax", "1", "group4"), ("palette", "P", None),
                        ("alpha", "LA", "tiff_deflate"), ("gray", "L", "packbits")]:
    picture.convert(mode).save(name + ".tif", compression=how)
    check(name + ".tif")
for name in ("base.tif", "alpha.tif"):
    check(name)
PYTHON
python3 pillow.py
