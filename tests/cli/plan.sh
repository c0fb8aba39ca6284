# --plan prints the plan in words and runs nothing; OUTPUT may be left out.
. "$CLI/lib"
cp "$TESTDATA/textbook.pgm" in.pgm
stencilcli blur in.pgm out.pgm --mask '1 2 1; 2 4 2; 1 2 1' --divisor 16 --plan >plan
stencilcli blur in.pgm --mask '1 2 1; 2 4 2; 1 2 1' --divisor 16 --plan | cmp - plan
awk 'length > 79 { print "too wide: " $0 }' plan
sed -n '/^picture/,/^passes/p' plan
for fact in device kernel method threads estimate CPU decoding filtering; do
    grep -q -- "$fact" plan || echo "no $fact"
done
stencilcli convolve in.pgm --mask '1 2; 3 4' --offset 50% --plan | sed -n '/^mask/,/^rank/p'
stencilcli convolve in.pgm --mask '1 1; 1 1' --divisor 3 --offset 1/2 --plan | grep '^mask'
stencilcli convolve in.pgm --mask '0.5 1e-36' --plan | grep '^rounded'
stencilcli convolve in.pgm --mask '1/4398046511104 3/4398046511104' --plan | grep '^bound'
stencilcli blur in.pgm out.pgm --mask '1 2 1; 2 4 2; 1 2 1' --divisor 16 --plan --json >json
stencilcli blur in.pgm out.pgm -v 2>verbose
echo 1 2 3 | stencilcli signal - --mask 1 --plan >signal
# A build without CUDA says nothing of CUDA's costs.
if stencilcli version | grep -q 'CUDA: no'; then
    none '[Cc][Uu][Dd][Aa]' plan
    none '[Cc][Uu][Dd][Aa]' json
    none '[Cc][Uu][Dd][Aa]' verbose
    none '[Cc][Uu][Dd][Aa]' signal
    refuses 3 'needs a CUDA build' blur in.pgm out.pgm --kernel tiled
    refuses 3 'needs a CUDA build' blur in.pgm out.pgm --device cuda
else
    grep -q 'ms with CUDA: starting' plan
    grep -q 'ms with CUDA' signal
fi
python3 - <<'END'
import json
row = json.loads(open("json").read())
mask = row["masks"][0]
print(mask["weights"], mask["divisor"], mask["rank"], row["border"], row["max"])
assert row["cpu_ms"] >= row["decode_ms"] >= 0 and row["cpu_work_ms"] >= 0
if "cuda_ms" in row:
    assert row["cuda_ms"] >= row["cuda_start_ms"] > row["cpu_ms"]
    assert row["cuda_bus_ms"] >= 0 and row["cuda_kernel_ms"] >= 0
    parts = row["cuda_start_ms"] + row["cuda_load_ms"] + row["cuda_end_ms"]
    assert row["cuda_ms"] > parts - 0.01
END
stencilcli blur - --plan <in.pgm | head -n 1
alone in.pgm json out.pgm plan signal verbose
