# --plan, --json and -v name the CPU method that computes the sums, and its output equals the
# reference's; --method selects another method.
. "$CLI/lib"
python3 - <<'END'
import random
random.seed(3)
with open("in.pgm", "wb") as f:
    f.write(b"P5 301 207 255\n" + bytes(random.randrange(256) for _ in range(301 * 207)))
with open("rank2.txt", "w") as f:
    f.write("normalize\n")
    column, row = ([[random.randrange(1, 20) for _ in range(31)] for _ in range(2)]
                   for _ in range(2))
    for i in range(31):
        f.write(" ".join(str(column[0][i] * row[0][j] + column[1][i] * row[1][j])
                         for j in range(31)) + "\n")
with open("disc.txt", "w") as f:
    f.write("normalize\n")
    for y in range(-30, 31):
        f.write(" ".join(str(int(x * x + y * y <= 900)) for x in range(-30, 31)) + "\n")
with open("noise.txt", "w") as f:
    f.write("divisor 9000\n")
    for y in range(91):
        f.write(" ".join(str(random.randrange(-30, 99)) for x in range(91)) + "\n")
END
for filter in 'convolve --mask rank2.txt' 'convolve --mask disc.txt' 'convolve --mask noise.txt' \
    'blur --mask gauss5'; do
    echo "$filter"
    stencilcli $filter in.pgm out.pgm --device cpu --plan | grep '^method'
    stencilcli $filter in.pgm out.pgm --device cpu --plan --json | grep -o '"method":"[a-z0-9_]*"'
    stencilcli $filter in.pgm out.pgm --device cpu --verify -q
    stencilcli $filter in.pgm out.pgm --device cpu -v --json 2>&1 |
        grep -o 'method [a-z0-9_]*\|"method":"[a-z0-9_]*"'
    rm out.pgm
done
echo '--method'
stencilcli blur in.pgm want.pgm
for method in bytes direct outer16 separable; do
    stencilcli blur in.pgm out.pgm --method $method --verify -q
    cmp want.pgm out.pgm
    rm out.pgm
done
try sharpen in.pgm out.pgm --method outer16
try blur in.pgm --plan --method real
try blur in.pgm out.pgm --method byte
try blur in.pgm out.pgm --method direct --kernel reference
try blur in.pgm out.pgm --method direct --device cuda
try bench --method real --size 20 --runs 1 --kernel scalar
rm want.pgm
stencilcli list methods | cut -d' ' -f1
alone disc.txt in.pgm noise.txt rank2.txt
