# TIFF files that are written: samples of all shapes and compressions come back, read by the tests'
# own code; the compression is the input's unless it is given; the bytes are the same at any number
# of threads, and through a pipe.
. "$CLI/lib"
need_format tiff
cat >check.py <<'PYTHON'
import os, sys
sys.path.insert(0, os.environ["CLI"])
from tiff_maker import *
name, compression, source = sys.argv[1:]
tags, rows = read(name)
channels, most, want = pam(source)
print(name, "right" if rows == want else "WRONG",
      *[numbers(tags[t]) for t in (258, 259, 262, 277, 317, 338) if t in tags],
      "strips:", len(numbers(tags[273])))
assert sorted(tags) == list(tags), "the order of tags"
assert numbers(tags[259]) == [int(compression)], tags[259]
PYTHON
stencilcli convolve "$TESTDATA/gray.png" 1.pam --mask 1 -q
stencilcli convolve "$TESTDATA/photo.png" 3.pam --mask 1 -q
stencilcli convolve "$TESTDATA/cutout.png" 4.pam --mask 1 -q
stencilcli convolve "$TESTDATA/deep.ppm" 316.pam --mask 1 -q --format pam
stencilcli convolve "$TESTDATA/deep_alpha.pam" 416.pam --mask 1 -q
python3 - <<'PYTHON'
open("2.pam", "wb").write(b"P7\nWIDTH 9\nHEIGHT 50\nDEPTH 2\nMAXVAL 255\nTUPLTYPE "
                          b"GRAYSCALE_ALPHA\nENDHDR\n" + bytes(i * 7 % 256 for i in range(900)))
PYTHON
for picture in 1 2 3 4 316 416; do
    for way in none=1 lzw=5 deflate=8 packbits=32773; do
        word=${way%=*}
        stencilcli convolve $picture.pam $picture-$word.tif --mask 1 -q --alpha plain \
            --tiff-compression $word
        python3 check.py $picture-$word.tif "${way#*=}" $picture.pam
    done
done
echo the compression of the input
for word in none lzw deflate packbits; do
    stencilcli convolve 3-$word.tif again.tif --mask 1 -q
    cmp again.tif 3-$word.tif
done
stencilcli convolve 3.pam again.tif --mask 1 -q
cmp again.tif 3-deflate.tif
echo many strips
python3 - <<'PYTHON'
with open("large.ppm", "wb") as out:
    out.write(b"P6 1500 900 255\n")
    for y in range(900):
        out.write(bytes((x * y >> 7) % 256 for x in range(4500)))
PYTHON
for word in none lzw deflate zstd packbits; do
    stencilcli blur large.ppm one.tif -q -t 1 --tiff-compression $word 2>message ||
        { none "lacks the compression" message && continue; }
    for threads in 2 5; do
        stencilcli blur large.ppm more.tif -q -t $threads --tiff-compression $word
        cmp one.tif more.tif
    done
    stencilcli blur - - -q --format tiff --tiff-compression $word <large.ppm | cat >pipe.tif
    cmp one.tif pipe.tif
    stencilcli blur large.ppm out.ppm -q
    cat one.tif | stencilcli convolve - - --mask 1 -q --format ppm | cmp - out.ppm
    STENCILCLI_BAND_ROWS=7 stencilcli convolve one.tif bands.ppm --mask 1 -q
    cmp bands.ppm out.ppm
done
stencilcli blur 3.pam x.tif --tiff-compression jpeg 2>&1 || echo exit $?
