# The textbook's tiled kernel from the command line: its bytes, its plan, its device.
. "$CLI/lib"
need_cuda
cp "$TESTDATA/cutout.png" in.png
stencilcli blur in.png cpu.pam --device cpu
for tile in 8 16 32; do
    stencilcli blur in.png cuda.pam --kernel tiled --tile $tile --verify -q
    cmp cpu.pam cuda.pam
done
stencilcli blur in.png --kernel tiled --plan >plan
for fact in 'kernel *tiled' "device *$gpu" tile halo 'shared memory' loads; do
    grep -q "$fact" plan || echo "no $fact"
done
refuses 2 tiled blur in.png never.pam --device cpu --kernel tiled
