# Every damaged mask of testdata/hostile gives exit status 2 within a second, with one line that
# names it, before any picture is opened.
. "$CLI/lib"
count=0
for path in "$TESTDATA"/hostile/*.txt; do
    name=${path##*/}
    [ -e "$path" ] || continue
    count=$((count + 1))
    refuses 2 "$name" convolve missing.ppm out.ppm --mask "$path"
    # Whole numbers too large for any sum: the mask can be printed but not run.
    [ "$name" != mask_large_numbers.txt ] || continue
    refuses 2 "$name" mask "$path"
    refuses 2 'standard input' mask - <"$path"
done
alone
[ $count -gt 0 ] || echo 'no damaged masks'
stencilcli mask "$TESTDATA/hostile/mask_large_numbers.txt" | grep -v '^#'
