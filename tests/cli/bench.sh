# `stencilcli bench` on the CPU, with a generated picture and a given one: every kernel is compared
# and timed. The test does not check how fast anything is.
. "$CLI/lib"
stencilcli bench --device cpu --size 300x200 --kernel scalar,reference --runs 3 >table
sed -n 2,3p table
grep -q '^cpu .* threads*' table
grep -q '^          copies 0.2 MB in .* [GM]B/s' table
grep -q '^          multiplies and adds at .* [GT]FLOP/s' table
grep '^verified' table
awk '$2 == "cpu" { print $1, $3 }' table
grep '^ms ' table
none 'DIFFERS\|failed\|cannot' table
# Without --kernel: all CPU kernels. A given picture keeps its own size and channels.
cp "$TESTDATA/cutout.png" .
stencilcli bench cutout.png --device cpu --runs 1 --border wrap --mask sobel_x >table
sed -n 2,3p table
awk '$2 == "cpu" { print $1 }' table >timed
running_kernels | while read -r kernel; do
    stencilcli list kernels | grep -q "^$kernel  *cpu" || continue
    grep -qx "$kernel" timed || echo "$kernel is missing"
done
stencilcli bench - --device cpu --kernel scalar --runs 1 --cold <"$TESTDATA/deep.ppm" >table
sed -n 2p table
grep '^cold' table
# Generated pictures of other shapes, built masks, and weighted alpha.
for shape in '--channels 4 --alpha weighted --sigma 1' '--channels 4 --alpha weighted --mask sobel_x' \
    '--channels 2 --depth 16 --radius 3' '--channels 1 --alpha weighted'; do
    # shellcheck disable=SC2086
    stencilcli bench --device cpu --size 40x30 --kernel scalar --runs 1 $shape >table
    sed -n 2,3p table
    grep -c '^scalar *cpu *[a-z][a-z0-9_]* .*[0-9-]$' table
done
# Advice is printed below the table, unless --quiet is given.
stencilcli bench --device cpu --size 650 --kernel reference --runs 1 |
    grep -o '^! reference: timed in one thread'
stencilcli bench --device cpu --size 650 --kernel reference --runs 1 --quiet >table
none '^!' table
# Only the table: no file is left, and nothing else is printed.
rm table timed cutout.png
alone
