# cwebp writes the bytes that this program writes, and dwebp reads the samples that it reads: all
# sizes near a block's, all qualities, with and without alpha.
. "$CLI/lib"
need_format webp
command -v cwebp >found && command -v dwebp >found || skip 'no cwebp, no dwebp'
count=0
stencilcli convolve "$TESTDATA/photo.png" photo.ppm --mask identity
stencilcli convolve "$TESTDATA/cutout.png" cutout.pam --mask identity --alpha plain
for size in 1x1 1x40 33x1 17x15 100x75; do
    python3 - "${size%x*}" "${size#*x}" <<'END'
import sys
width, height = map(int, sys.argv[1:])
def crop(name, out, channels, header):
    data = open(name, "rb").read()
    full = {3: (256, 192), 4: (160, 180)}[channels]
    pixels = data[-full[0] * full[1] * channels:]
    left, top = (60 if channels == 3 else 0) * channels, 40
    rows = b"".join(pixels[(top + y) * full[0] * channels + left:][:width * channels]
                    for y in range(height))
    open(out, "wb").write(header.encode() + rows)
crop("photo.ppm", "crop.ppm", 3, f"P6\n{width} {height}\n255\n")
crop("cutout.pam", "crop.pam", 4, f"P7\nWIDTH {width}\nHEIGHT {height}\nDEPTH 4\nMAXVAL 255\n"
     "TUPLTYPE RGB_ALPHA\nENDHDR\n")
END
    for picture in crop.ppm crop.pam; do
        stencilcli convolve $picture picture.png --mask identity --alpha plain
        for way in '-lossless -m 0' '-lossless -m 6' '-q 0' '-q 60' '-q 100' '-q 30 -mt -f 50' \
            '-q 50 -alpha_q 20' '-q 80 -m 0 -segments 1' '-near_lossless 40' '-q 40 -sharp_yuv'; do
            # shellcheck disable=SC2086
            cwebp -quiet -exact $way picture.png -o in.webp
            dwebp -quiet in.webp -${picture#*.} -o theirs
            stencilcli convolve in.webp - --mask identity --alpha plain --format ${picture#*.} >ours
            cmp theirs ours || echo "$size $picture $way"
            count=$((count + 1))
        done
    done
    for quality in 1 50 75 100; do
        cwebp -quiet -q $quality crop.ppm -o in.webp
        stencilcli convolve crop.ppm out.webp --mask identity --quality $quality
        cmp in.webp out.webp || echo "$size quality $quality"
    done
    cwebp -quiet -lossless -exact -m 4 -q 20 crop.ppm -o in.webp
    stencilcli convolve crop.ppm out.webp --mask identity
    cmp in.webp out.webp || echo "$size lossless"
done
echo $count
