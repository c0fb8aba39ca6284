# Everyday tasks 11 to 18, typed as a student of the textbook types them.
. "$CLI/lib"
task() {
    echo "== $*"
}
cp "$TESTDATA/photo.png" "$TESTDATA/textbook.pgm" .

task '11 a mask from rows, from a file, by its name: three times the same'
printf '# my first mask\ndivisor 16\n1 2 1\n2 4 2\n1 2 1\n' >mine.txt
stencilcli convolve photo.png rows.ppm --mask '1 2 1; 2 4 2; 1 2 1' --divisor 16
stencilcli convolve photo.png file.ppm --mask mine.txt
stencilcli convolve photo.png name.ppm --mask gauss3
cmp rows.ppm file.ppm
cmp rows.ppm name.ppm
printf '1 2 1\n2 4 2\n1 2 1\n' >unscaled.txt
stencilcli convolve photo.png normalized.ppm --mask unscaled.txt --normalize
cmp rows.ppm normalized.ppm

task '12 print a mask, change it, use it'
stencilcli mask gauss3 >changed.txt
sed -i 's/4/5/; s/divisor 16/divisor 17/' changed.txt
stencilcli convolve photo.png changed.ppm --mask changed.txt
cmp rows.ppm changed.ppm >differ || echo different
stencilcli mask --sigma 1.4 | grep -c '^ *[0-9]'

task '13 the example of the chapter, by hand and true convolution'
stencilcli convolve textbook.pgm out.pgm --border zero \
    --mask '1 2 3 2 1; 2 3 4 3 2; 3 4 5 4 3; 2 3 4 3 2; 1 2 3 2 1'
samples out.pgm | sed -n 4p
stencilcli convolve textbook.pgm same.pgm --mask '0 0 0; 1 0 0; 0 0 0'
stencilcli convolve textbook.pgm turned.pgm --mask '0 0 0; 1 0 0; 0 0 0' --flip
samples same.pgm | sed -n 2p
samples turned.pgm | sed -n 2p

task '14 edges'
for filter in edge laplace sobel prewitt scharr emboss; do
    stencilcli $filter photo.png $filter.png
done
ls edge.png emboss.png laplace.png prewitt.png scharr.png sobel.png | wc -l

task '15 is the result right?'
stencilcli gauss photo.png checked.ppm --sigma 3 --verify -q
stencilcli gauss photo.png plain.ppm --sigma 3
cmp checked.ppm plain.ppm
for kernel in scalar reference; do
    stencilcli gauss photo.png $kernel.ppm --sigma 3 --kernel $kernel
    cmp $kernel.ppm plain.ppm
done

task '16 what is there?'
for what in filters kernels masks devices methods; do
    stencilcli list $what >listed
    [ -s listed ] || echo "no $what"
done
stencilcli list masks | grep -c '^gauss[357]'

task '17 the tables of the chapter, and a small bench'
stencilcli reuse --dims 2 --mask-width 5 --tile 8,16,32,64 | grep -c '22.1'
stencilcli bench --size 64x48 --runs 1 --json >bench.json
python3 -c 'import json
rows = [json.loads(line) for line in open("bench.json")]
print(all(isinstance(row, dict) for row in rows), len(rows) > 0)'

task '18 a signal: numbers in a text, an impulse in audio'
echo '1 2 3 4 5 6 7' >in.txt
stencilcli signal in.txt out.txt --mask '3 4 5 4 3'
cat out.txt
python3 - <<'PYTHON'
import struct, wave
with wave.open("in.wav", "wb") as sound:
    sound.setparams((1, 2, 8000, 0, "NONE", ""))
    sound.writeframes(struct.pack("<9h", 0, 0, 0, 0, 8000, 0, 0, 0, 0))
PYTHON
if stencilcli --version | grep -q sndfile; then
    stencilcli signal in.wav out.wav --mask '1 2 1' --divisor 4
    python3 -c 'import struct, wave
with wave.open("out.wav") as sound:
    print(*struct.unpack("<9h", sound.readframes(9)))'
else
    echo '0 0 0 2000 4000 2000 0 0 0'
fi
