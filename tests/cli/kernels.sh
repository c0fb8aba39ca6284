# Every kernel that runs here, and any number of threads: the same bytes.
. "$CLI/lib"
cp "$TESTDATA/cutout.png" in.png
running_kernels >names
grep -qx reference names
for options in '--sigma 1.7' '--mask motion9' '--mask emboss --border wrap --alpha plain'; do
    # shellcheck disable=SC2086
    while read -r kernel; do
        stencilcli convolve in.png "$kernel.pam" $options --kernel "$kernel"
        cmp reference.pam "$kernel.pam"
    done <names
    for threads in 1 2 3; do
        # shellcheck disable=SC2086
        stencilcli convolve in.png threads.pam $options --threads $threads --device cpu
        cmp reference.pam threads.pam
    done
done
# A machine without a GPU knows the names of CUDA's kernels.
stencilcli list kernels | grep -q '^tiled '
stencilcli list devices | grep -q '^cuda:0' || refuses 3 tiled blur in.png never.png --kernel tiled
refuses 2 tilled blur in.png never.png --kernel tilled
[ ! -e never.png ]
