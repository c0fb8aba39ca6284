# Every border, read three cells to the left and to the right of a row of four; then with a mask
# wider than the picture, so that indices fold several times.
. "$CLI/lib"
echo 'P2 4 1 255 10 20 30 40' >row.pgm
echo 'P2 1 1 255 7' >cell.pgm
for border in replicate zero constant:99 constant:50% reflect mirror wrap; do
    echo "$border"
    for mask in '1 0 0 0 0 0 0' '0 0 0 0 0 0 1'; do
        stencilcli convolve row.pgm out.pgm --mask "$mask" --border $border
        samples out.pgm | tail -n 1
    done
    stencilcli convolve row.pgm out.pgm --border $border \
        --mask '1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0'
    samples out.pgm | tail -n 1
    stencilcli convolve cell.pgm out.pgm --mask '1 0 0; 0 0 0; 0 0 0' --border $border
    samples out.pgm | tail -n 1
done
# The default is replicate.
stencilcli convolve row.pgm out.pgm --mask '1 0 0 0 0 0 0'
samples out.pgm | tail -n 1
refuses 2 256 convolve row.pgm out2.pgm --mask 1 --border constant:256
[ ! -e out2.pgm ]
