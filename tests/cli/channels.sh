# --channels: the given channels are filtered, the others copied.
. "$CLI/lib"
cat >in.ppm <<'END'
P3 2 1 255
10 20 30  50 60 70
END
for channels in r g b rb rgb 0 12 0,2; do
    stencilcli convolve in.ppm out.ppm --mask '1 1 1' --divisor 3 --channels $channels
    echo "$channels: $(samples out.ppm | tail -n 1)"
done
refuses 2 --channels convolve in.ppm never.ppm --mask 1 --channels rx
refuses 2 --channels convolve in.ppm never.ppm --mask 1 --channels a
refuses 2 --channels convolve in.ppm never.ppm --mask 1 --channels 3
refuses 2 --channels convolve "$TESTDATA/textbook.pgm" never.pgm --mask 1 --channels b
alone in.ppm out.ppm
