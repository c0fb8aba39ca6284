# Help goes to standard output, fits 80 columns, and -h fits one screen.
. "$CLI/lib"
for words in -h --help 'blur -h' '--help sobel' 'mask --help' 'list --help' 'blur x --help'; do
    # shellcheck disable=SC2086
    "$STENCILCLI" $words >out 2>err
    [ -s out ]
    [ ! -s err ]
    awk -v words="$words" 'length > 79 { print words ": " $0 }' out
done
[ "$("$STENCILCLI" -h | wc -l)" -le 40 ]
"$STENCILCLI" --help >full
grep -q 'correlation' full
grep -q 'true convolution' full
grep -q 'STENCILCLI_MASKS' full
"$STENCILCLI" sobel --help >sobel.txt
head -n 1 sobel.txt
grep -q -- '--border' sobel.txt
grep -q 'stencilcli --help' sobel.txt
"$STENCILCLI" list --help >list.txt
head -n 1 list.txt
none '--border' list.txt
