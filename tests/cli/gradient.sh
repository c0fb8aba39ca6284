# sobel, prewitt and scharr: the largest n with (2n-1)^2 * d^2 <= 4*(gx^2 + gy^2), clamped. For a step
# of height 10 in x, gx is 4, 3 and 16 times 10; at its corner both gx and gy count. d is 4 for scharr.
. "$CLI/lib"
cat >step.pgm <<'END'
P2 4 4 255
0 0 10 10
0 0 10 10
0 0 0 0
0 0 0 0
END
for filter in sobel prewitt scharr; do
    stencilcli $filter step.pgm out.pgm
    samples out.pgm
done
stencilcli scharr step.pgm out.pgm --divisor 1
samples out.pgm
stencilcli sobel step.pgm out.pgm --divisor 16 # 2.5 becomes 3
samples out.pgm
refuses 2 --mask sobel step.pgm never.pgm --mask box3
[ ! -e never.pgm ]
