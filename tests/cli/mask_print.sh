# `stencilcli mask`: its output is a valid mask file, with sum, rank, symmetry and bounds.
# The weights of --sigma 1 --radius 1 by hand: g = 1, exp(-1/2); 2048/(1 + 2g) = 925.4 and 561.3,
# the missing unit goes to the largest fraction: 561 926 561; the mask is their outer product.
. "$CLI/lib"
for mask in '1 2 1; 2 4 2; 1 2 1' '1 2; 3 -4' '1/3 0.25 -1e-2' gauss5 sobel_x unsharp5 motion9; do
    stencilcli mask "$mask" >first.txt
    stencilcli mask first.txt >second.txt
    cmp first.txt second.txt
    stencilcli mask - <first.txt | cmp - first.txt
    grep -v '^#' first.txt
    for fact in sum rank symmetry 'results from'; do
        grep -q "^#.*$fact" first.txt
    done
done
stencilcli mask --sigma 1 >gauss.txt
grep -v '^#' gauss.txt
# --amount makes unsharp's mask; JSON has the same numbers.
stencilcli mask --sigma 0.5 --radius 1 --amount 1/2 | grep -v '^#'
stencilcli mask '1 2; 3 -4/5' --divisor 3 --json >json
python3 -c 'import json
row = json.load(open("json"))
print(row["weights"], row["divisor"], row["sum"])'
stencilcli mask --sigma 1 --radius 1 | grep -v '^#'
stencilcli mask '1 2; 3 4' --flip | grep -v '^#'
refuses 2 '' mask
refuses 2 'two masks' mask gauss5 --mask gauss3
refuses 2 gauss5 mask gauss5 --sigma 2
refuses 2 '' mask nosuch
refuses 2 '' mask '1 x'
