# A run with CUDA ends at once, but its output is complete: files, pipes, reports, exit codes.
. "$CLI/lib"
need_cuda
cp "$TESTDATA/photo.png" in.png
stencilcli blur in.png cpu.png --device cpu
stencilcli blur in.png cuda.png --device "$gpu" --time --json >json 2>times
cmp cpu.png cuda.png
python3 -c 'import json; assert json.load(open("json"))["device"] == "'$gpu'"'
grep -q 'CUDA ready after [0-9.]* ms, its memory .* all rows read .* first rows back .* all rows written' times
stencilcli blur - - --device "$gpu" <in.png | cmp - cpu.png
stencilcli blur in.png out.png --device "$gpu" --json >/dev/full 2>message && echo done || echo "exit $?"
cat message
stencilcli blur in.png /dev/full --format png --device "$gpu" 2>message && echo done || echo "exit $?"
cat message
mkdir in
cp in.png in/a.png
head -c 3000 in.png >in/b.png
stencilcli blur in out --device "$gpu" -q 2>message && echo done || echo "exit $?"
cmp out/a.png cpu.png
ls out
ls | grep -c stencilcli || :
