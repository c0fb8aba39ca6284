# A folder on the GPU, many files at a time: the CPU's bytes, and the shares of the work.
. "$CLI/lib"
need_cuda
mkdir in
for number in $(seq 10 49); do
    cp "$TESTDATA/photo.png" in/$number.png
    cp "$TESTDATA/cutout.png" in/cutout$number.png
done
stencilcli convolve in/10.png in/large.ppm --mask 1
stencilcli sharpen in cpu -q --device cpu
for threads in 1 3 16; do
    stencilcli sharpen in cuda$threads --device "$gpu" -t $threads --json >json 2>messages
    [ "$(grep -c '"device":"'$gpu'"' json)" = 81 ]
    grep -q 'decode [0-9]* %, transfer [0-9]* %, kernel [0-9]* %, encode [0-9]* %' messages
    stencilcli compare cpu cuda$threads >compared
    grep -v '^81 compared: 81 equal' compared || :
done
