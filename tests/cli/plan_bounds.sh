# --plan tells the true size of the sums, and never that a rounded weight changes nothing.
. "$CLI/lib"
plan() {
    stencilcli convolve "$TESTDATA/textbook.pgm" --plan --mask "$1" >plan.txt
}
plan '1/4398046511104 3/4398046511104'
grep -q '64 bits' plan.txt
none '32 bits' plan.txt
for mask in '0.5 1e-36' '0.5 -1e-36'; do
    plan "$mask"
    grep -q 'a sample changes by at most 1.5e-33' plan.txt
done
