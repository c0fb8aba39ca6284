# compare and golden look at every page of a file, not only at the first: TIFF, and PNM pictures one
# after the other. A further page is a difference too.
. "$CLI/lib"
page() { # WIDTH, HEIGHT, three samples
    printf 'P2 %d %d 255 %d %d %d\n' "$@" >page.txt
    stencilcli convolve page.txt - --mask 1 --format pgm
}
page 3 1 10 20 30 >1.pgm
page 3 1 10 20 31 >off.pgm
page 1 3 10 20 30 >tall.pgm
cat 1.pgm 1.pgm >two.pgm
cat 1.pgm 1.pgm 1.pgm >three.pgm
cat 1.pgm off.pgm >two_off.pgm
cat 1.pgm tall.pgm >two_tall.pgm
cat off.pgm 1.pgm >off_two.pgm
try compare two.pgm two.pgm
try compare 1.pgm two.pgm --diff drawn.png
try compare three.pgm two.pgm --max-diff 255
try compare two.pgm two_off.pgm
try compare two.pgm two_off.pgm --max-diff 1 --json
try compare two.pgm two_tall.pgm
try compare off_two.pgm two.pgm -q
stencilcli compare two_off.pgm - <two_off.pgm -q
# The drawing is that of the page that is reported.
try compare two.pgm two_off.pgm --diff drawn.png -q
stencilcli compare 1.pgm off.pgm --diff wanted.png -q || cmp drawn.png wanted.png
rm drawn.png wanted.png
refuses 2 'several pages' compare two.pgm two_off.pgm --diff - -q

# A suite: its checksums and its report.
mkdir suite
cat >suite/golden.txt <<'END'
inputs two.pgm
0  out.pgm  cp two.pgm out.pgm
0  soft.pgm  cp two.pgm soft.pgm
    tolerance max-diff 1: the second page drifts
END
cp two.pgm suite/two.pgm
stencilcli golden record suite -q
cat suite/golden.txt
cp two_off.pgm suite/two.pgm
try golden check suite --html report.html
cp three.pgm suite/two.pgm
try golden check suite
rm -r suite report.html page.txt
alone 1.pgm off.pgm tall.pgm two.pgm three.pgm two_off.pgm two_tall.pgm off_two.pgm
