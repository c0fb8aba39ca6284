# --device soft: every CUDA kernel runs without a GPU and writes the CPU's bytes.
. "$CLI/lib"
need_soft
cp "$TESTDATA/cutout.png" alpha.png
cp "$TESTDATA/gray.png" gray.png
stencilcli blur "$TESTDATA/photo.png" photo.ppm --mask 1
exact='0.1234567890123456789 0.25; 0.25 0.3765432109876543211'
for kernel in $(kernels_on cuda 2); do
    case $kernel in
    weighted) set -- blur alpha.png --mask gauss5 ;;
    bilateral) set -- bilateral alpha.png --radius 4 --border zero ;;
    certified) set -- convolve photo.ppm --mask "$exact" ;;
    bisect | network) set -- median photo.ppm --radius 2 ;;
    extremes) set -- open photo.ppm --radius 4 ;;
    *) set -- blur photo.ppm --mask gauss5 --border mirror ;;
    esac
    stencilcli "$@" cpu.pam --device cpu
    stencilcli "$@" soft.pam --device soft --kernel "$kernel" --verify -q
    cmp cpu.pam soft.pam || echo "differs: $kernel"
    rm soft.pam
done
# The textbook's kernels run any plan.
for kernel in basic readonly constant cached tiled; do
    for words in 'sobel gray.png' 'blur alpha.png --repeat 2' 'convolve alpha.png --mask motion9'; do
        # shellcheck disable=SC2086
        set -- $words
        stencilcli "$@" cpu.pam --device cpu
        stencilcli "$@" soft.pam -d soft --kernel $kernel
        cmp cpu.pam soft.pam || echo "differs: $kernel, $words"
    done
done
# The kernel of the program's own choice, in bands, from pipe to pipe, and for a folder.
agrees soft 7 out.ppm blur photo.ppm
stencilcli blur photo.ppm cpu.ppm
stencilcli blur - - --device soft <photo.ppm | cmp - cpu.ppm
mkdir in
cp photo.ppm alpha.png in
stencilcli blur in out --device soft -q --json | grep -c '"device":"soft"'
cmp out/photo.ppm cpu.ppm
# The steps of a chain keep their options.
stencilcli chain photo.ppm cpu.ppm 'gauss --sigma 2' 'convolve --mask "1 2 1" --divisor 4'
stencilcli chain photo.ppm soft.ppm 'gauss --sigma 2' 'convolve --mask "1 2 1" --divisor 4' -d soft
cmp soft.ppm cpu.ppm
# Signals.
seq 1 1000 >numbers
stencilcli signal numbers cpu.txt --mask '1 -2 3 4 1' --device cpu
for kernel in $(kernels_on cuda 1); do
    stencilcli signal numbers soft.txt -q --mask '1 -2 3 4 1' --device soft --kernel "$kernel" \
        --verify
    cmp cpu.txt soft.txt || echo "differs: signal, $kernel"
done
