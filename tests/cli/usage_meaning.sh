# Words that other programs use: the error names the word, the option or the command line that does
# this here, or says that stencilcli does not do it.
. "$CLI/lib"
filters='gaussian Gaussian_Blur blur5 mean smooth usm canny laplacian conv filter diff benchmark'
for word in $filters sobelx gauss5 gauss11 dilation minimum percentile denoise bilateralfilter resize convert gray info; do
    try "$word" in.png out.png
done
try blur in.png out.png --mask gauss11 | sed 's/looked in .*)/looked in .../'
try blur in.png out.png --mask box9 | sed 's/looked in .*)/looked in .../'
try blur in.png out.png --mask gaussian | sed 's/looked in .*)/looked in .../'
try blur in.png out.png --mask blur7 | sed 's/looked in .*)/looked in .../'
try blur in.png out.png --mask box255 | sed 's/looked in .*)/looked in .../'
try blur in.png out.png --mask sobelx | sed 's/looked in .*)/looked in .../'
try blur in.png out.png --mask gauss9999 | sed 's/looked in .*)/looked in .../'
try blur in.png out.png --kernel-size 5
try blur in.png out.png --size 5
try blur in.png out.png --std 2
try blur in.png out.png --padding reflect
try blur in.png --output out.png
try blur in.png -o out.png
try blur in.png out.png -s 2
try blur in.png out.png --gpu
try --blur in.png out.png
try blur in.png out.png --border edge
try blur in.png out.png --border symmetric
try blur in.png out.png --border fill:3
try blur in.png out.png --device gpu
try blur in.png out.png --alpha premultiplied
try blur in.png out.png --kernel gauss5 | sed 's/expected .*;/expected ...;/'
try list gpus
# The option that an error proposes makes a mask of this size.
for size in 11 13 15 17 21 85 251; do
    for kind in gauss box; do
        option=$(stencilcli mask $kind$size 2>&1 | sed 's/.*\(--[a-z]* [0-9.]*\)?/\1/')
        # shellcheck disable=SC2086
        stencilcli mask $option | grep -q "^# size $size x $size," || echo "$kind$size: $option"
    done
done
