# TGA is read and written; of GIF the first picture is read, of PSD the merged one.
. "$CLI/lib"
mkdir in
cp "$TESTDATA/palette.tga" "$TESTDATA/animated.gif" "$TESTDATA/cutout.psd" in
try convolve in/palette.tga palette.png --mask 1
try convolve in/animated.gif animated.png --mask 1
try convolve in/cutout.psd cutout.png --mask 1
# The samples are those that ImageMagick and Pillow give: the checksums were compared with theirs.
for name in palette animated cutout; do
    stencilcli convolve $name.png $name.pam --mask 1
    cksum <$name.pam
done
# TGA holds gray and colour, with and without alpha.
for picture in "$TESTDATA/gray.png" "$TESTDATA/photo.png" "$TESTDATA/cutout.png"; do
    cp "$picture" picture.png
    stencilcli convolve picture.png same.tga --mask 1
    stencilcli compare picture.png same.tga | head -n 1
done
stencilcli convolve palette.png again.tga --mask 1
head -c 18 again.tga | od -An -tu1
# GIF and PSD are not written. In a folder, their outputs are PNG.
try blur in/animated.gif out.gif
try blur in/palette.tga out.png --format psd
try blur in/animated.gif - </dev/null
try blur in out --ext gif
try blur in out -q
ls out
try blur in more --ext tga -q
ls more
cp palette.png in/cutout.psd.png
try blur in none
rm in/cutout.psd.png
# A name decides what is TGA.
cp in/palette.tga named.dat
try blur named.dat out.png
try blur - out.png <in/palette.tga
stencilcli blur in/cutout.psd out.png --plan | head -n 1
