# WebP: lossless unless --quality is given, alpha and colours under it exactly, through pipes too;
# what it cannot hold is refused; a folder run takes such files.
. "$CLI/lib"
need_format webp
same() { # same A B: equal samples
    stencilcli compare "$1" "$2" >result || { echo "$1 and $2 differ"; cat result; }
}
copy() {
    stencilcli convolve "$1" "$2" --mask identity --alpha plain "$3" "$4"
}
for input in photo.png cutout.png palette.png; do
    copy "$TESTDATA/$input" x.webp --threads 1
    copy "$TESTDATA/$input" y.webp --threads 4
    cmp x.webp y.webp
    same "$TESTDATA/$input" x.webp
    copy - - --threads 1 <x.webp >y.webp
    cmp x.webp y.webp
    copy x.webp back.png --border replicate
    same "$TESTDATA/$input" back.png
done
# Gray is written as equal RGB.
copy "$TESTDATA/gray.png" gray.webp --threads 1
copy "$TESTDATA/gray.png" gray.ppm --threads 1
same gray.ppm gray.webp
# --quality makes it lossy and smaller; it means JPEG's quality too.
size=$(wc -c <x.webp)
for quality in 90 50 10; do
    copy "$TESTDATA/palette.png" lossy.webp --quality $quality
    copy "$TESTDATA/palette.png" lossy4.webp --quality $quality --threads 4
    cmp lossy.webp lossy4.webp
    [ "$(wc -c <lossy.webp)" -lt "$size" ] || echo "quality $quality: not smaller than $size"
    size=$(wc -c <lossy.webp)
done
# Decoded samples are libwebp's, and stay so.
for input in lossy.webp lossless.webp; do
    stencilcli convolve "$TESTDATA/$input" - --mask identity --alpha plain --format pam | cksum
done
cp "$TESTDATA/deep.ppm" .
try blur deep.ppm out.webp
printf 'P5 20000 1 255\n' >wide.pgm
head -c 20000 /dev/zero >>wide.pgm
try blur wide.pgm out.webp
[ ! -e out.webp ]
mkdir in
cp x.webp in/a.webp
cp lossy.webp in/B.WEBP
try blur in out -q
find out -name '*.[wW]*' | sort
