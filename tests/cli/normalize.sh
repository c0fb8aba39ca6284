# --normalize divides by the sum of the weights. A mask that makes flat areas brighter gets a warning
# if it makes more than 1 % of the samples 0 or the largest value.
. "$CLI/lib"
cat >in.pgm <<'END'
P2 5 4 255
90 80 70 60 50
91 81 71 61 0
92 82 72 62 255
93 83 73 63 53
END
stencilcli convolve in.pgm normalized.pgm --mask '1 2 1; 2 4 2; 1 2 1' --normalize
stencilcli convolve in.pgm divided.pgm --mask '1 2 1; 2 4 2; 1 2 1' --divisor 16
cmp normalized.pgm divided.pgm
stencilcli gauss in.pgm normalized.pgm --sigma 50 --normalize
stencilcli gauss in.pgm divided.pgm --sigma 50
cmp normalized.pgm divided.pgm
stencilcli mask '1 2 3' --normalize | grep -v '^#'

try convolve in.pgm out.pgm --mask '1 2 1; 2 4 2; 1 2 1'
try convolve in.pgm out.pgm --mask '1 2 1; 2 4 2; 1 2 1' -q
try convolve in.pgm out.pgm --mask 1/2 # no sample gets there: no warning
try convolve in.pgm out.pgm --mask '1 -1'
try edge in.pgm out.pgm --normalize
try sobel in.pgm out.pgm --normalize
try blur in.pgm out.pgm --normalize --divisor 3

# Bands and several threads count the same; a folder counts its files.
python3 -c 'import sys; sys.stdout.buffer.write(b"P6 600 300 255\n" + b"\x64" * 540000)' >large.ppm
try convolve large.ppm out.ppm --mask '1 1 1' -t 2
mkdir folder
cp large.ppm folder/a.ppm
cp in.pgm folder/b.pgm
stencilcli convolve folder out --mask '1 1 1' 2>&1 | grep clipped

# A chain names the first step that clips, in bands and whole, also where the last step hides it.
try chain large.ppm out.ppm blur 'convolve --mask "1 1 1"' 'convolve --mask 1/2' -t 2
try chain in.pgm out.pgm 'convolve --mask "1 1 1" --normalize' blur
try chain in.pgm out.pgm 'convolve --mask "1 2 1; 2 4 2; 1 2 1"' sharpen
try chain in.pgm out.pgm sharpen 'convolve --mask 4 --repeat 2' 'convolve --mask 4'
cat large.ppm large.ppm >two.ppm
try chain two.ppm out.ppm blur 'convolve --mask 4' blur
