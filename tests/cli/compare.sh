# compare: its output and exit status, with mixed formats, alpha and depths.
. "$CLI/lib"
printf 'P3 4 2 255 1 2 3 4 5 6 7 8 9 10 11 12  0 0 0 9 9 9 255 0 0 0 0 255' >a.ppm
printf 'P3 4 2 255 1 2 3 4 5 6 7 8 9 10 11 12  0 0 0 9 9 9 255 0 1 0 0 255' >b.ppm
printf 'P3 4 2 255 3 2 1 6 5 4 9 8 7 12 11 10  0 0 0 9 9 9 0 0 255 255 0 0' >swapped.ppm
printf 'P3 4 2 65535 1 2 3 4 5 6 7 8 9 10 11 12  0 0 0 9 9 9 255 0 0 0 0 255' >deep.ppm
stencilcli convolve a.ppm a.png --mask 1
try compare a.ppm a.png
try compare a.png b.ppm
try compare a.png b.ppm --max-diff 1
try compare a.png b.ppm --max-fail-percent 12.5 -q
try compare a.png b.ppm --max-fail-percent 12.49 -q
try compare a.png b.ppm --min-psnr 60 --min-ssim 0.9 -q
try compare a.png b.ppm --min-psnr 61.93 -q
try compare a.png swapped.ppm
try compare a.png deep.ppm --max-diff 65535
stencilcli convolve "$TESTDATA/cutout.png" opaque.ppm --mask 1 --alpha drop
try compare "$TESTDATA/cutout.png" opaque.ppm --max-diff 255 -q | sed "s#$TESTDATA/##g"
try compare a.png b.ppm --json
try compare a.png a.ppm --json
stencilcli compare - a.png <a.ppm
# Unreadable files and invalid limits
refuses 1 none.png compare none.png a.png
refuses 1 none.png compare a.png none.png
refuses 2 'standard input' compare - -
refuses 2 --max-diff compare a.png a.png --max-diff -1
refuses 2 --max-diff compare a.png a.png --max-diff 65536
refuses 2 --max-fail-percent compare a.png a.png --max-fail-percent 101
refuses 2 --max-fail-percent compare a.png a.png --max-fail-percent nan
refuses 2 --min-psnr compare a.png a.png --min-psnr inf
refuses 2 --min-ssim compare a.png a.png --min-ssim 1.1
refuses 2 --border compare a.png a.png --border zero
head -c 60 b.ppm >short.ppm
refuses 1 short.ppm compare a.png short.ppm
alone a.ppm b.ppm swapped.ppm deep.ppm a.png opaque.ppm short.ppm
