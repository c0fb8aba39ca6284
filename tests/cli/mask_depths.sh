# A Gaussian has finer weights for pictures of 16 bits: with --depth `stencilcli mask` prints the
# mask that a picture of this depth is filtered with, also in a chain and in a folder that has
# pictures of both depths. By hand, as in mask_print.sh: 65536/(1 + 2g) = 29613.3 and 17961.4, and
# the centre gets the missing unit.
. "$CLI/lib"
stencilcli mask --sigma 1 --radius 1 --depth 16 | grep -v '^#'
stencilcli mask --sigma 1 >8.txt
stencilcli mask --sigma 1 --depth 8 | cmp - 8.txt
stencilcli mask --sigma 1 --depth 16 >16.txt
stencilcli mask --sigma 1 --amount 0.5 --depth 16 >sharp.txt
stencilcli mask --sigma 1 --depth 16 --json | grep -o '"divisor":"[0-9]*"' | head -1
mkdir in out
cp "$TESTDATA/deep.ppm" "$TESTDATA/tenbit.pgm" "$TESTDATA/gray.png" in
stencilcli gauss in out --sigma 1 -q
for picture in deep.ppm tenbit.pgm gray.png; do
    bits=16
    [ $picture = gray.png ] && bits=8
    stencilcli convolve in/$picture one.${picture#*.} --mask $bits.txt
    cmp one.${picture#*.} out/$picture
    stencilcli chain in/$picture chain.${picture#*.} 'gauss --sigma 1'
    cmp one.${picture#*.} chain.${picture#*.}
done
stencilcli unsharp in/deep.ppm a.ppm --sigma 1 --amount 0.5
stencilcli convolve in/deep.ppm b.ppm --mask sharp.txt
cmp a.ppm b.ppm
refuses 2 depth mask --sigma 1 --depth 12
