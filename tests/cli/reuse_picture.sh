# The whole grid of a picture, with all channels, for a mask's real size and anchor.
. "$CLI/lib"
cp "$TESTDATA/cutout.png" .
printf 'anchor 0 1\n1 2 3\n4 5 6\n' >mask.txt
try reuse cutout.png --mask mask.txt --tile 16
stencilcli reuse - --mask '1 2; 3 4' --tile 8 --json <cutout.png | grep -o '"grid":{[^}]*"channels":[0-9]*'
stencilcli reuse --mask '1 2 1' --csv | cut -d, -f1-6 | uniq
