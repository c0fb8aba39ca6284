# --plan prints the plan and runs nothing; OUTPUT may be left out.
. "$CLI/lib"
cp "$TESTDATA/textbook.pgm" in.pgm
stencilcli blur in.pgm out.pgm --mask '1 2 1; 2 4 2; 1 2 1' --divisor 16 --plan >plan
stencilcli blur in.pgm --mask '1 2 1; 2 4 2; 1 2 1' --divisor 16 --plan | cmp - plan
for fact in divisor rank kernel border '1 2 1' '2 4 2' 'estimate .* CPU, .* CUDA' decoding start load bus end; do
    grep -q -- "$fact" plan || echo "no $fact"
done
stencilcli blur in.pgm out.pgm --mask '1 2 1; 2 4 2; 1 2 1' --divisor 16 --plan --json >json
python3 - <<'END'
import json
row = json.loads(open("json").read())
mask = row["masks"][0]
print(mask["weights"], mask["divisor"], mask["rank"], row["border"], row["max"])
assert row["cuda_ms"] >= row["cuda_start_ms"] > row["cpu_ms"] >= row["decode_ms"] >= 0
assert row["cpu_work_ms"] >= 0 and row["cuda_bus_ms"] >= 0 and row["cuda_kernel_ms"] >= 0
parts = row["cuda_start_ms"] + row["cuda_load_ms"] + row["cuda_end_ms"]
assert row["cuda_ms"] > parts - 0.01
END
alone in.pgm json plan
