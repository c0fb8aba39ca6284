# Requests that bench refuses, and its messages.
. "$CLI/lib"
try bench --kernel scalr
try bench --kernel scalar,referense
try bench --sweep block
try bench --runs 0
try bench --size 0x4
try bench --size 10x10x10
try bench --tile 12
try bench --channels 5
try bench --channels rg
try bench --depth 12
try bench --alpha drop
try bench a.png b.png
try bench --amount 2
try bench --csv
try bench photo.png --size 10
try bench photo.png --channels 3
try bench photo.png --depth 8
try bench --sigma 2 --mask gauss5
try bench --sweep mask --radius 2
try bench --sweep mask --mask gauss5
try bench --sweep tile --tile 16
try bench --device cpu nosuch.png
try bench - --mask -
try bench --device cpu --border constant:300 --size 9
try blur in.png out.png --cold
refuses 2 '--plot a.png: plots are SVG: choose a name that ends in .svg' bench --plot a.png --size 9
refuses 2 'a name that ends in .svg' bench --plot svg --size 9
refuses 2 'expected all' bench --kernel scalar,,reference
refuses 2 nosuchmask bench --device cpu --mask nosuchmask
refuses 2 'does not run on --device cuda' bench --device cuda --kernel scalar --size 9
refuses 3 'cuda:99' bench --device cuda:99 --size 9
refuses 2 'does not run on --device cpu' bench --device cpu --kernel tiled --size 9
if ! stencilcli list devices | grep -q '^cuda:0'; then
    refuses 3 CUDA bench --kernel tiled --size 9
    refuses 3 'cuda:0' bench --device cuda --size 9
    # With --device auto a missing device is only a remark.
    stencilcli bench --size 9 --runs 1 | grep -q '^! no CUDA device'
fi
