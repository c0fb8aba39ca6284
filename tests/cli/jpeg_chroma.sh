# Colour is sampled as in the input if it is a JPEG (turned with the picture). Otherwise 2 x 2 pixels
# share their colour up to quality 90.
. "$CLI/lib"
cat >sampling.py <<'EOF'
import sys
file = open(sys.argv[1], "rb").read()
place = 2
while file[place + 1] != 0xc0:
    place += 2 + file[place + 2] * 256 + file[place + 3]
print(*(f"{file[place + 11 + 3 * i]:02x}" for i in range(file[place + 9])))
EOF
for quality in 1 90 91 100; do
    stencilcli blur "$TESTDATA/photo.png" $quality.jpg --quality $quality
    python3 sampling.py $quality.jpg
done
for input in 1 100 ; do
    for quality in 50 95; do
        stencilcli blur $input.jpg out.jpg --quality $quality
        python3 sampling.py out.jpg
    done
done
stencilcli blur "$TESTDATA/progressive.jpg" out.jpg
python3 sampling.py out.jpg
stencilcli blur "$TESTDATA/gray.png" out.jpg --quality 95
python3 sampling.py out.jpg
