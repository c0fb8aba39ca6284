# A single bright cell shows the mask in the output: turned by 180 degrees normally (correlation),
# as written with --flip (true convolution). The anchor turns with the mask.
. "$CLI/lib"
cat >dot.pgm <<'END'
P2 5 5 255
0 0 0 0 0
0 0 0 0 0
0 0 1 0 0
0 0 0 0 0
0 0 0 0 0
END
mask='1 2 3; 4 5 6; 7 8 9'
stencilcli convolve dot.pgm out.pgm --mask "$mask" --border zero
samples out.pgm
stencilcli convolve dot.pgm out.pgm --mask "$mask" --border zero --flip
samples out.pgm
# A mask of even width: its default anchor is column 1 of 2, flipped column 0.
stencilcli convolve dot.pgm out.pgm --mask '1 2; 3 4' --border zero
samples out.pgm
stencilcli convolve dot.pgm out.pgm --mask '1 2; 3 4' --border zero --flip
samples out.pgm
stencilcli convolve dot.pgm out.pgm --mask '1 2; 3 4' --border zero --anchor 0,0
samples out.pgm
