# The textbook's 2D example: 321 at the centre, 112 at row 1, column 0 (Figs. 7.4 and 7.5), with
# every kernel that runs here.
. "$CLI/lib"
mask='1 2 3 2 1; 2 3 4 3 2; 3 4 5 4 3; 2 3 4 3 2; 1 2 3 2 1'
stencilcli convolve "$TESTDATA/textbook.pgm" out.pgm --mask "$mask" --border zero
samples out.pgm
running_kernels >names
[ -s names ]
while read -r kernel; do
    stencilcli convolve "$TESTDATA/textbook.pgm" "$kernel.pgm" --mask "$mask" --border zero \
        --kernel "$kernel" --verify -q
    cmp out.pgm "$kernel.pgm"
done <names
