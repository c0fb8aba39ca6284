# scripts/make_huge: its PNG, in more than one strip, holds the pixels of its PPM.
. "$CLI/lib"
command -v "${CC:-cc}" >/dev/null || { echo "no C compiler"; exit 77; }
make_huge=$CLI/../../scripts/make_huge
for size in "1 1" "5 1029" "1500 700"; do
    # shellcheck disable=SC2086
    { "$make_huge" $size in.png; "$make_huge" $size expected.ppm; }
    stencilcli convolve in.png out.ppm --mask identity
    cmp expected.ppm out.ppm
    stencilcli convolve expected.ppm copy.ppm --mask identity
    cmp expected.ppm copy.ppm
done
"$make_huge" 0 5 bad.png && exit 1
"$make_huge" 5 5 bad.gif && exit 1
"$make_huge" 5 5 none/bad.png && exit 1
[ ! -e bad.png ]
[ ! -e bad.gif ]
# Different seeds give different pictures; a seed gives the same picture alone and among several.
"$make_huge" 70 50 'seed{}.png' --seed 7 --count 3
"$make_huge" 70 50 alone.png --seed 8
cmp alone.png seed8.png
for other in seed7.png seed9.png; do
    cmp -s seed8.png $other && exit 1
done
"$make_huge" 5 5 one.png --count 2 && exit 1
"$make_huge" 5 5 one.png --seed -1 && exit 1
[ ! -e one.png ]
