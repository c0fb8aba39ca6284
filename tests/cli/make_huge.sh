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
