# `bench --sweep`: a table with a column for each width.
. "$CLI/lib"
stencilcli bench --device cpu --size 40x30 --sweep mask --kernel scalar --runs 1 >table
sed -n 2,3p table
awk '/^median/ { on = 1; next } NF == 0 { on = 0 } on { print $1, NF, ($2 > 0) }' table
# The default leaves out the reference, which would squeeze all other lines together.
stencilcli bench --device cpu --size 20x20 --sweep mask --runs 1 >table
none '^  reference' table
grep -q '^  scalar' table
# Tiles are swept only for kernels that have a tile.
if stencilcli list devices | grep -q '^cuda:0'; then
    stencilcli bench --size 100x80 --sweep tile --kernel tiled,basic --runs 2 >table
    for kernel in basic tiled; do
        awk -v kernel=$kernel '$1 == kernel && NF == 5 { found = 1 } END { exit !found }' table
    done
else
    refuses 3 CUDA bench --sweep tile --size 40x30
fi
refuses 2 'no tile' bench --sweep tile --kernel scalar --size 40x30
refuses 2 'tile' bench --sweep tile --device cpu --size 40x30
