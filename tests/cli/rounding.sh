# Halves round up, even below zero before the clamp; values out of range are clamped.
. "$CLI/lib"
row() {
    printf 'P2 %s 1 255\n%s\n' "$1" "$2" >in.pgm
    shift 2
    stencilcli convolve in.pgm out.pgm "$@" -q
    samples out.pgm | tail -n 1
}
row 6 '0 1 2 3 4 5' --mask '1/2'
row 6 '0 1 2 3 4 5' --mask '-1/2' --offset 2
row 6 '0 1 2 3 4 5' --mask 0.5 --offset 0.25
row 6 '0 1 2 3 4 5' --mask 1 --divisor 3
row 6 '0 1 2 3 4 5' --mask 1 --divisor -3 --offset 1
row 6 '0 85 127 128 200 255' --mask 2
row 6 '0 85 127 128 200 255' --mask -1 --offset 100%
row 6 '0 85 127 128 200 255' --mask 0 --offset 50%
row 3 '1 2 3' --mask 1e-3 --divisor 1e-3
