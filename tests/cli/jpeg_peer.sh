# Reads what libjpeg-turbo's cjpeg writes as its djpeg does, and writes the bytes that cjpeg writes.
. "$CLI/lib"
command -v cjpeg >tools && command -v djpeg >tools || skip 'cjpeg and djpeg are not installed'
cat >crop.py <<'EOF'
import sys
width, height = int(sys.argv[1]), int(sys.argv[2])
file = open("photo.ppm", "rb").read()
rows = [file[15 + 768 * y:15 + 768 * y + 3 * width] for y in range(height)]
sys.stdout.buffer.write(b"P6\n%d %d\n255\n" % (width, height) + b"".join(rows))
EOF
stencilcli convolve "$TESTDATA/photo.png" photo.ppm --mask identity
same() { # same OPTIONS OF CJPEG...: a file made with them is read as by djpeg
    cjpeg "$@" -outfile in.jpg crop.ppm
    djpeg -dct int -outfile expected.ppm in.jpg
    stencilcli convolve in.jpg out.ppm --mask identity --format pnm
    cmp expected.ppm out.ppm || echo "$size $*"
    count=$((count + 1))
}
count=0
for size in '1 1' '17 9' '8 16' '97 71'; do
    # shellcheck disable=SC2086
    python3 crop.py $size >crop.ppm
    for quality in 35 96; do
        for way in -optimize -progressive '-restart 1' '-progressive -restart 3B'; do
            for sampling in 1x1 2x1 1x2 2x2 4x1 4x2; do
                same -quality $quality $way -sample $sampling
            done
            same -quality $quality $way -gray
        done
    done
    printf '0;\n1;\n2;\n' >scans
    same -scans scans
    same -rgb
    for quality in 1 75 90 91 100; do
        sampling=1x1
        [ $quality -gt 90 ] || sampling=2x2
        cjpeg -dct int -quality $quality -baseline -sample $sampling -outfile in.jpg crop.ppm
        stencilcli convolve crop.ppm out.jpg --mask identity --quality $quality
        cmp in.jpg out.jpg || echo "$size quality $quality"
    done
done
echo $count
