# Random signals, masks and options, compared with fractions in Python: every output is exact for
# numbers of any size, with every 1D kernel that runs here.
. "$CLI/lib"
stencilcli list kernels --json >kernels
python3 - kernels <<'END'
import json, os, random, subprocess, sys
from fractions import Fraction

rows = [json.loads(line) for line in open(sys.argv[1])]
kernels = {device: [row["name"] for row in rows
                    if row["dims"] == 1 and row["runs"] and row["device"] == device]
           for device in ("cpu", "cuda")}
assert len(kernels["cpu"]) >= 2
rng = random.Random(7)


def number(kind):
    """a number as text"""
    if kind == "small":
        return str(rng.randint(-99, 99))
    if kind == "decimal":
        return f"{rng.randint(-10**6, 10**6) / 1000:.3f}"
    if kind == "fraction":
        return f"{rng.randint(-999, 999)}/{rng.randint(1, 60)}"
    if kind == "large":
        return str(rng.randint(-10**18, 10**18))
    return rng.choice([f"{rng.randint(-10**30, 10**30)}", f"{rng.randint(-9, 9)}e-40",
                       f"{rng.randint(1, 10**12)}/{rng.randint(1, 10**12)}", "7e33", "0"])


def fold(border, i, n):
    """the cell for index i, None outside; written for small n"""
    if 0 <= i < n:
        return i
    if border == "replicate":
        return 0 if i < 0 else n - 1
    if border == "wrap":
        return i % n
    if border == "reflect":
        return (list(range(n)) + list(reversed(range(n))))[i % (2 * n)]
    if border == "mirror":
        return (list(range(n)) + list(range(n - 2, 0, -1)))[i % max(1, 2 * n - 2)]
    return None


def decimal(value, places):
    scaled = (2 * value.numerator * 10**places + value.denominator) // (2 * value.denominator)
    digits = f"{abs(scaled):0{places + 1}d}"
    text = digits[:len(digits) - places] + "." + digits[len(digits) - places:] if places else digits
    return "-" * (scaled < 0) + text


def exact(value):
    rest, places = value.denominator, 0
    while rest % 10 == 0 or rest % 2 == 0 or rest % 5 == 0:
        rest //= 10 if rest % 10 == 0 else 2 if rest % 2 == 0 else 5
        places += 1
    return str(value) if rest > 1 else decimal(value, places)


wrong = 0
for case in range(120):
    kind = ("small", "decimal", "fraction", "large", "huge")[case % 5]
    samples = [number(kind) for _ in range(rng.choice([1, 2, 3, 7, 20, 40]))]
    mask = [number(rng.choice(["small", kind])) for _ in range(rng.choice([1, 2, 3, 5, 9, 30]))]
    anchor = rng.randrange(len(mask))
    border = rng.choice(["zero", "constant", "replicate", "reflect", "mirror", "wrap"])
    ghost = rng.randint(0, 300) if border == "constant" else 0
    offset, divisor = number(rng.choice(["small", "fraction"])), rng.choice(["1", "-3", "7/2"])
    repeat, places = rng.choice([1, 1, 1, 2, 3]), rng.choice([-1, -1, 0, 3])
    x = [Fraction(s) for s in samples]
    w = [Fraction(m) / Fraction(divisor) for m in mask]
    for _ in range(repeat):
        cells = [[fold(border, i - anchor + j, len(x)) for j in range(len(w))]
                 for i in range(len(x))]
        x = [sum((wj * (ghost if c is None else x[c]) for wj, c in zip(w, row)), Fraction(offset))
             for row in cells]
    want = " ".join(exact(v) if places < 0 else decimal(v, places) for v in x) + "\n"
    with open("in.txt", "w") as file:
        file.write(" ".join(samples) + "\n")
    # Making a CUDA context is slow: only one case of each kind there.
    named = kernels["cpu"] + (kernels["cuda"] if case in (0, 4, 32, 63, 91) else [])
    for kernel in ["auto"] + named:
        command = [os.environ["STENCILCLI"], "signal", "in.txt", "-", "--mask", " ".join(mask),
                   "--anchor", f"{anchor},0", "--offset", offset, "--divisor", divisor, "--repeat",
                   str(repeat), "--kernel", kernel, "--border",
                   border + (f":{ghost}" if border == "constant" else "")]
        if places >= 0:
            command += ["--decimals", str(places)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0 or done.stdout != want:
            wrong += 1
            print("case", case, command, samples, done.stderr, done.stdout[:200], want[:200])
print(f"{case + 1} cases, {wrong} wrong")
END
