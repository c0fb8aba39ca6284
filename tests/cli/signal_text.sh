# Text samples: the textbook's results with every 1D kernel that runs here, and a text whose format
# is kept.
. "$CLI/lib"
echo '1 2 3 4 5 6 7' >numbers.txt
try signal numbers.txt - --mask '3 4 5 4 3'
echo '4, 1, 3, 2, 3' | stencilcli signal - - --mask '2 1 4'
for mask in '0 1 0' '0 0 1' '1 0 0' '-1/2 0 1/2' '1/3 1/3 1/3'; do # exercise 3
    try signal numbers.txt - --mask "$mask"
done
running_kernels 1 >names
[ "$(wc -l <names)" -ge 2 ]
while read -r kernel; do
    stencilcli signal numbers.txt "$kernel.txt" --mask '3 4 5 4 3' --kernel "$kernel" --verify -q
    echo '22 38 57 76 95 90 74' | cmp - "$kernel.txt"
done <names
rm ./*
# Separators, line ends and comments stay; a last line without a line end stays so.
printf '# a, b\n1,2 ,3\r\n\n\t4;5\n' >wrong.txt
try signal wrong.txt - --mask 1
printf '# a, b\n1,2 ,3,\r\n\n\t+4.50 # 1 2\n-1e1   6/4' >form.txt
stencilcli signal form.txt - --mask '1 1' --border replicate | od -c
stencilcli signal form.txt form.txt --mask 10 --divisor 3 --offset -1/2 --decimals 3
cat form.txt
echo
# The borders with masks that are longer than the signal, even, flipped, or have an anchor.
echo '1 2 4' >three.txt
for border in zero constant:5 replicate reflect mirror wrap; do
    try signal three.txt - --mask '1 0 0 0 0 0 0 10' --border $border
done
try signal three.txt - --mask '1 10 100' --anchor 0,0
try signal three.txt - --mask '1 10 100' --anchor 0,0 --flip
try signal three.txt - --mask '1;10;100' --anchor 0,2
try signal three.txt - --mask '1 1' --repeat 3 --offset 1 --border constant:1
try signal three.txt - --sigma 1 --radius 2
try signal three.txt - --radius 1
stencilcli signal three.txt - --mask - <<'END'
normalize
offset 1
1 2 1
END
alone form.txt three.txt wrong.txt
