# Videos and streams of pictures on the GPU: the CPU's bytes, for planes side by side in lanes and
# for planes in bands; whole runs with one plan, several passes, and a kernel that takes the device
# alone.
. "$CLI/lib"
need_cuda
cat >make.py <<'PYTHON'
import os, sys
sys.path.insert(0, os.environ["CLI"])
import y4m_maker as y4m
y4m.make("a.y4m", "420jpeg", 64, 48, 7)
y4m.make("b.y4m", "422p10", 37, 23, 5)
y4m.make("c.y4m", "mono", 50, 40, 6)
with open("d.pnm", "wb") as out:
    for n in range(9):
        kind, channels = ("P5", 1) if n % 3 == 0 else ("P6", 3)
        size = (30 + n) * (20 + n % 2) * channels
        out.write(f"{kind}\n{30 + n} {20 + n % 2}\n255\n".encode() + y4m.samples(size, 255, n))
PYTHON
python3 make.py
for file in a.y4m b.y4m c.y4m d.pnm; do
    for args in 'gauss --sigma 1.5' 'sharpen --border wrap' 'blur --repeat 3' 'sobel' \
        'blur --kernel constant' 'blur --verify'; do
        filter=${args%% *} options=${args#"$filter"}
        # shellcheck disable=SC2086
        stencilcli "$filter" $file - ${options%--kernel*} --device cpu -q >cpu
        # shellcheck disable=SC2086
        stencilcli "$filter" $file - $options --device "$gpu" -q >gpu
        cmp cpu gpu || echo "$file $args"
        # shellcheck disable=SC2086
        cat $file | stencilcli "$filter" - - $options --device "$gpu" -t 1 -q | cmp - cpu ||
            echo "$file $args, from a pipe"
    done
    stencilcli blur $file - --device cpu -q >cpu
    for rows in -1 1 7; do
        STENCILCLI_BAND_ROWS=$rows stencilcli blur $file - --device "$gpu" -q | cmp - cpu ||
            echo "$file in bands of $rows"
    done
done
# The times are those of all planes; damage ends it.
stencilcli blur a.y4m out.y4m --device "$gpu" --time 2>said
grep -q 'copying back' said
none 'CUDA ready' said
head -c -9 a.y4m >cut.y4m
refuses 1 cut.y4m blur cut.y4m cut.out.y4m --device "$gpu"
[ ! -e cut.out.y4m ]
