# A picture that a format cannot hold is refused with a suggestion, and no file is written.
. "$CLI/lib"
cp "$TESTDATA/cutout.png" rgba.png
cp "$TESTDATA/photo.png" rgb.png
printf 'P7\nWIDTH 1\nHEIGHT 1\nDEPTH 2\nMAXVAL 255\nTUPLTYPE GRAYSCALE_ALPHA\nENDHDR\nab' >ga.pam
printf 'P5 1 1 65535\nab' >gray16.pgm
printf 'P6 1 1 65535\nabcdef' >rgb16.ppm
refused() { # WAY_OUT ARGS...
    way=$1
    shift
    refuses 1 "$way" convolve "$@" --mask 1
    alone ga.pam gray16.pgm rgb.png rgb16.ppm rgba.png
}
refused '--alpha drop' rgba.png out.ppm
refused '--alpha drop' rgba.png out.jpg
refused '--alpha drop' ga.pam out.pgm
refused '.ppm' rgb.png out.pgm
refused 'out.jpg' rgb16.ppm out.jpg
refused 'out.bmp' rgb16.ppm out.bmp
# With the suggestion the pictures are written.
stencilcli convolve rgba.png a.ppm --mask 1 --alpha drop
stencilcli convolve rgba.png a.jpg --mask 1 --alpha drop
stencilcli convolve ga.pam a.pgm --mask 1 --alpha drop
alone a.jpg a.pgm a.ppm ga.pam gray16.pgm rgb.png rgb16.ppm rgba.png
