# Masks of more than 255 cells along an axis, by row and column passes: any sigma up to 1000, boxes,
# unsharp masking, single rows and columns. --verify compares with the reference.
. "$CLI/lib"
python3 - <<'PY'
import random
random.seed(3)
def save(name, magic, width, height, most, channels):
    size = 1 if most < 256 else 2
    samples = [random.randrange(most + 1) for _ in range(width * height * channels)]
    with open(name, "wb") as f:
        f.write(magic % (width, height, most))
        f.write(b"".join(s.to_bytes(size, "big") for s in samples))
save("rgb.ppm", b"P6 %d %d %d\n", 7, 5, 255, 3)
save("deep.ppm", b"P6 %d %d %d\n", 4, 3, 60001, 3)
save("alpha.pam", b"P7\nWIDTH %d\nHEIGHT %d\nDEPTH 4\nMAXVAL %d\nTUPLTYPE RGB_ALPHA\nENDHDR\n",
     5, 4, 65535, 4)
save("wide.pgm", b"P5 %d %d %d\n", 700, 3, 255, 1)
PY
right() { # right ARGUMENTS...: the output equals the reference's
    stencilcli "$@" --verify -q || echo "wrong: $*"
    rm -f out.pam out.pgm
}
right gauss rgb.ppm out.pam --sigma 45 --border wrap
right gauss deep.ppm out.pam --sigma 60 --border mirror
right gauss alpha.pam out.pam --sigma 50 --border zero
right gauss alpha.pam out.pam --sigma 43 --alpha plain --repeat 2
right box deep.ppm out.pam --radius 140 --anchor 3,270 --border reflect
right unsharp rgb.ppm out.pam --sigma 43 --amount 0.7 --anchor 0,5
right unsharp alpha.pam out.pam --sigma 43 --amount -0.3 --flip
right convolve wide.pgm out.pam --mask "$(seq -s ' ' -50 400)" --divisor 80000 --offset 50%
seq 1 300 >column.txt
echo normalize >>column.txt
right convolve rgb.ppm out.pam --mask column.txt

# A flat picture stays flat under the longest mask, also in bands.
printf 'P5\n40 300\n255\n' >flat.pgm
head -c 12000 /dev/zero | tr '\0' '\125' >>flat.pgm
stencilcli gauss flat.pgm out.pgm --sigma 1000
cmp flat.pgm out.pgm

# Bands of rows make no difference.
stencilcli gauss wide.pgm whole.pgm --sigma 100 -t 1
STENCILCLI_BAND_ROWS=1 stencilcli gauss wide.pgm bands.pgm --sigma 100
cmp whole.pgm bands.pgm

try gauss rgb.ppm never.png --sigma 1000.5
stencilcli mask --sigma 43 | grep -v '^# column\|^# row'
stencilcli gauss rgb.ppm --sigma 50 --plan --kernel scalar --json | grep -o '"kind":"[a-z]*"\|"method":"[a-z]*"\|"cuda_ms":[0-9.]*[0-9]'
