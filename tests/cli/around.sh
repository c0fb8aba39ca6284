# What surrounds a filter: --light, --region, --where and --nodata.
. "$CLI/lib"
python3 "$CLI/around.py" "$STENCILCLI" 60 1

# Linear light: every code comes back, at 8 and at 16 bits.
python3 - <<'END'
open("all8.pgm", "wb").write(b"P5\n256 1\n255\n" + bytes(range(256)))
open("all16.pgm", "wb").write(b"P5\n256 256\n65535\n" +
                              b"".join(i.to_bytes(2, "big") for i in range(65536)))
for bits, most, size in ((8, 255, 1), (16, 65535, 2)):
    row = bytes(8 * size) + b"\xff" * (8 * size)
    open(f"edge{bits}.pgm", "wb").write(b"P5\n16 3\n%d\n" % most + 3 * row)
END
for bits in 8 16; do
    stencilcli convolve all$bits.pgm same.pgm --mask 1 --light linear
    cmp all$bits.pgm same.pgm
    # Half the light of white is brighter than half the code.
    stencilcli convolve edge$bits.pgm grey.pgm --mask '1 1' --normalize --light linear
    tail -c $((16 * bits / 8)) grey.pgm | od -An -v -t u$((bits / 8)) --endian=big
done

# --where: black keeps the input's samples, white takes the filter's.
stencilcli blur "$TESTDATA/photo.png" blur.ppm
stencilcli convolve "$TESTDATA/photo.png" photo.ppm --mask 1
stencilcli convolve "$TESTDATA/photo.png" black.ppm --mask 0
python3 - <<'END'
width, height = open("photo.ppm", "rb").read().split()[1:3]
for name, value in (("black", 0), ("white", 255)):
    open(name + ".pgm", "wb").write(b"P5 %s %s 255\n" % (width, height) +
                                    bytes([value]) * (int(width) * int(height)))
END
for rows in -1 7; do
    export STENCILCLI_BAND_ROWS=$rows
    stencilcli blur "$TESTDATA/photo.png" out.ppm --where black.pgm --threads 2
    cmp photo.ppm out.ppm
    stencilcli blur "$TESTDATA/photo.png" out.ppm --where white.pgm --threads 2
    cmp blur.ppm out.ppm
    # --region: outside it the input's samples, inside the filter's.
    stencilcli blur "$TESTDATA/photo.png" out.ppm --region 20,30,50,40 --threads 2
    python3 - <<'END'
photo, blur, out = (open(name, "rb").read() for name in ("photo.ppm", "blur.ppm", "out.ppm"))
width, height = map(int, photo.split()[1:3])
start = len(photo) - width * height * 3
for i in range(width * height):
    inside = 20 <= i % width < 70 and 30 <= i // width < 70
    pixel = slice(start + 3 * i, start + 3 * i + 3)
    if out[pixel] != (blur if inside else photo)[pixel]:
        print("pixel", i, "is wrong")
        break
END
done
unset STENCILCLI_BAND_ROWS

cp "$TESTDATA/gray.png" in.png
cp "$TESTDATA/photo.png" colour.png
# The plan names them; a folder takes them, and a change makes its files new.
stencilcli gauss in.png out.png --sigma 1 --light linear --region 1,2,30,40 --plan |
    grep -E '^(light|region|border)'
stencilcli gauss all16.pgm out.pgm --light linear --plan --device cpu | grep -E '^(light|method)'
stencilcli box "$TESTDATA/gray.png" out.png --nodata 0 --plan --json |
    python3 -c 'import json, sys; print({k: v for k, v in json.load(sys.stdin).items() if k in ("light", "region", "where", "nodata")})'
mkdir in
cp "$TESTDATA/gray.png" in/a.png
stencilcli blur in out --region 0,0,9,9 2>&1 | grep -o '1 file: 1 done'
stencilcli blur in out --region 0,0,9,9 2>&1 | grep -o '1 file: 0 done'
stencilcli blur in out --region 0,0,9,8 2>&1 | grep -o '1 file: 1 done'

# Wrong values.
for region in 1 1,2,3 1,2,3,4,5 -1,2,3,4 1,2,0,4 1,2,3,x 1,2,3,9999999999; do
    try blur in.png out.png --region $region
done
try blur in.png out.png --region 1000,0,5,5
try blur in.png out.png --where missing.png
try blur in.png out.png --where colour.png
try blur in.png out.png --where black.pgm
try blur in.png out.png --where -
try blur in.png in.png --where in.png
try blur black.pgm white.pgm --where white.pgm
for nodata in x -1 1.5 65536 300; do
    try blur in.png out.png --nodata $nodata
done
try sharpen in.png out.png --nodata 0
try median in.png out.png --nodata 0
try sobel in.png out.png --nodata 0
try blur in.png out.png --nodata 0 --light linear
try blur in.png out.png --light dark
try median in.png out.png --light linear
try blur in.png out.png --light linear --alpha plain
try blur in.png out.png --nodata 0 --method bytes
try chain in.png out.png blur 'sobel --nodata 1'
try chain in.png out.png blur sobel --region 1,1,5,5
printf 'YUV4MPEG2 W4 H2 F25:1 C420jpeg\nFRAME\n------------' >video.y4m
try blur video.y4m out.y4m --region 0,0,1,1
