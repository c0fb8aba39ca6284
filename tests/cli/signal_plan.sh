# The plan for a signal, and the report after a run: words, JSON, notes, times.
. "$CLI/lib"
echo 1 2 3 4 >in.txt
echo 1 2 123456789123 >long.txt
echo 1e-30 2e30 >wide.txt
for name in in long wide; do
    stencilcli signal $name.txt --mask '1 2 1/2' --threads 2 --plan --repeat 2
done >plan
stencilcli signal wide.txt --sigma 10 --kernel scalar --plan -t 1 --border constant:3 >>plan
sed 's/[0-9.]* ms/N ms/g; s/, N ms with CUDA.*//' plan
rm plan
[ -z "$(ls | grep -v txt)" ]
for name in in long wide; do
    stencilcli signal $name.txt --mask '1 2 1/2' --plan --json >plan.json
    stencilcli signal $name.txt out.txt --mask '1 2 1/2' --json --verify -q >run.json
    python3 - plan.json run.json <<'END'
import json, sys
plan, run = (json.load(open(path)) for path in sys.argv[1:])
assert plan["weights"] == ["1", "2", "0.5"] and plan["divisor"] == "1" and plan["anchor"] == 1
assert run["output"] == "out.txt" and run["verified"] is True and run["total_ms"] > 0
assert all(run[key] == value for key, value in plan.items() if key in run)
print(run["form"], run["samples"], run["sums"], run["device"], run["kernel"])
END
done
stencilcli signal in.txt - --mask '1 2 1' --json 2>run.json
python3 -m json.tool run.json >/dev/null
try signal in.txt out.txt --mask '1 2 1' -v -d cpu
try signal wide.txt out.txt --mask '1 2 1' -v
try signal in.txt out.txt --mask '1e9 1e-9' --repeat 4 -v
try signal wide.txt out.txt --mask '1 2 1' -v -k scalar
stencilcli signal in.txt out.txt --mask '1 2 1' --time 2>&1 | sed 's/[0-9.]* ms/N ms/g'
if stencilcli list devices | grep -q '^cuda:0'; then
    stencilcli signal in.txt --mask '1 2 1' --kernel tiled --tile 64 --plan >plan
    grep -qx 'tile      64 outputs, halo 1 left 1 right' plan
    grep -qx 'block     64 threads, 264 bytes of shared memory' plan
    grep -qx 'loads     1.03 cells per output' plan
else
    refuses 3 cuda signal in.txt never.txt --mask 1 --device cuda
fi
