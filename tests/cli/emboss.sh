# `emboss` makes a relief: flat areas become middle gray, however bright they are; a bright square
# is light at its top left edge and dark at its bottom right edge.
. "$CLI/lib"
printf 'P2\n8 8\n255\n' >square.pgm
for y in 0 1 2 3 4 5 6 7; do
    case $y in
    [2-5]) echo '10 10 90 90 90 90 10 10' ;;
    *) echo '10 10 10 10 10 10 10 10' ;;
    esac
done >>square.pgm
stencilcli emboss square.pgm relief.pgm
samples relief.pgm
# The mask of the same name is the same relief.
stencilcli convolve square.pgm same.pgm --mask emboss
cmp relief.pgm same.pgm
