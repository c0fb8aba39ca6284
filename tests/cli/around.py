"""Compares --light, --region, --where and --nodata with a model made from their definition in
docs/promise.md, on random pictures and masks: around.py PROGRAM COUNT SEED, in a scratch folder.
tests/cli/around.sh runs it."""
import decimal, functools, os, random, subprocess, sys
from fractions import Fraction

program, count, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
rng = random.Random(seed)
decimal.getcontext().prec = 40
D = decimal.Decimal
TUPLES = {1: "GRAYSCALE", 2: "GRAYSCALE_ALPHA", 3: "RGB", 4: "RGB_ALPHA"}


def nearest(value):  # the nearest whole number, halves upwards
    return (2 * value.numerator + value.denominator) // (2 * value.denominator)


@functools.lru_cache(None)
def light(code, top):
    v = D(code) / D(top[0])
    share = v / D("12.92") if v <= D("0.04045") else ((v + D("0.055")) / D("1.055")) ** D("2.4")
    return int((share * top[0] * top[1] + D("0.5")).to_integral_value(decimal.ROUND_FLOOR))


def code(value, top):
    low, high = 0, top[0]
    while low < high:  # the greatest code that is not nearer to the code before it
        middle = (low + high + 1) // 2
        if 2 * value >= light(middle - 1, top) + light(middle, top):
            low = middle
        else:
            high = middle - 1
    return low


def fold(border, i, n):
    if 0 <= i < n:
        return i
    if border == "replicate":
        return min(max(i, 0), n - 1)
    if border == "wrap":
        return i % n
    if border == "reflect":
        i %= 2 * n
        return i if i < n else 2 * n - 1 - i
    if border == "mirror":
        if n == 1:
            return 0
        i %= 2 * n - 2
        return i if i < n else 2 * n - 2 - i
    return None


def one_pass(case, rows):
    """The picture after the filter, without region and where. Samples are codes."""
    h, w, channels, top = len(rows), len(rows[0]), case["channels"], (case["max"], case["scale"])
    alpha = channels - 1 if channels in (2, 4) else None
    weighted = alpha is not None and case["alpha"] == "weighted"
    ignore = alpha is not None and case["alpha"] == "ignore"
    limit, ghost = case["max"], case["ghost"]
    if case["light"]:
        rows = [[[s * top[1] if c == alpha else light(s, top) for c, s in enumerate(p)] for p in row]
                for row in rows]
        limit, ghost = top[0] * top[1], light(ghost, top)
    mask = case["mask"]
    mh, mw = len(mask), len(mask[0])
    total = sum(map(sum, mask))

    def cell(y, x, c):
        y, x = fold(case["border"], y, h), fold(case["border"], x, w)
        if y is None or x is None:
            return limit if c == alpha and case["alpha"] != "plain" else ghost
        return rows[y][x][c]

    def sample(y, x, c):
        if c == alpha and ignore:
            return rows[y][x][c] // (top[1] if case["light"] else 1)
        value = weight = plain = 0
        for i in range(mh):
            for j in range(mw):
                cy, cx = y + i - mh // 2, x + j - mw // 2
                v, m = cell(cy, cx, c), mask[i][j]
                plain += m * v
                if weighted:
                    m *= cell(cy, cx, alpha)
                if case["nodata"] == v and not (weighted and c == alpha):
                    m = 0
                weight += m
                value += m * v
        if weighted and c == alpha:
            out = nearest(Fraction(weight, total))
        elif not weighted and case["nodata"] is None:
            out = nearest(Fraction(plain, case["divisor"]))
        elif weight == 0:
            out = case["nodata"] if case["nodata"] is not None \
                else nearest(Fraction(plain, case["divisor"]))
        else:
            out = nearest(Fraction(total * value, case["divisor"] * weight))
        out = min(out, limit)
        if case["light"]:
            out = nearest(Fraction(out, top[1])) if c == alpha else code(out, top)
        return out

    return [[[sample(y, x, c) for c in range(channels)] for x in range(w)] for y in range(h)]


def model(case, rows):
    for _ in range(case["repeat"]):
        made = one_pass(case, rows)
        out = []
        for y, row in enumerate(rows):
            out.append([])
            for x, pixel in enumerate(row):
                m, most = case["where"][y][x] if case["where"] else 1, case["where_max"]
                x0, y0, rw, rh = case["region"] or (0, 0, 1 << 30, 1 << 30)
                if not (x0 <= x < x0 + rw and y0 <= y < y0 + rh):
                    m = 0
                out[-1].append([nearest(Fraction(m * f + (most - m) * s, most))
                                for f, s in zip(made[y][x], pixel)])
        rows = out
    return rows


def pack(samples, most):
    return b"".join(s.to_bytes(1 if most < 256 else 2, "big") for s in samples)


def write(path, rows, channels, most):
    with open(path, "wb") as file:
        file.write(b"P7\nWIDTH %d\nHEIGHT %d\nDEPTH %d\nMAXVAL %d\nTUPLTYPE %s\nENDHDR\n" %
                   (len(rows[0]), len(rows), channels, most, TUPLES[channels].encode()))
        file.write(pack((s for row in rows for p in row for s in p), most))


def picture(w, h, channels, most):
    few = rng.choice([[0, most], [0, 1, 2, most // 2, most], None])
    def pixel():
        return [rng.choice(few) if few else rng.randint(0, most) for _ in range(channels)]
    return [[pixel() for _ in range(w)] for _ in range(h)]


for number in range(count):
    w, h = rng.choice([1, 2, 3, 5, 8, 13]), rng.choice([1, 2, 3, 5, 8, 13])
    most = rng.choice([255, 255, 65535, 65535, 100, 1000])
    channels = rng.randint(1, 4)
    light_on = rng.random() < 0.5
    mw, mh = rng.choice([1, 2, 3, 5, 7]), rng.choice([1, 2, 3, 5])
    mask = [[rng.choice([0, 1, 1, 2, 5, 1000]) for _ in range(mw)] for _ in range(mh)]
    if rng.random() < 0.4:  # a column times a row
        mask = [[a * b for b in mask[0]] for a in (row[0] for row in mask)]
    mask[0][0] += 1
    total = sum(map(sum, mask))
    case = dict(channels=channels, max=most, scale=257 if most < 256 else 17, mask=mask,
                light=light_on,
                nodata=None if light_on or rng.random() < 0.3 else rng.choice([0, 1, most]),
                alpha=rng.choice(["weighted", "ignore"] + ["plain"] * (not light_on)),
                border=rng.choice(["replicate", "reflect", "mirror", "wrap", "constant"]),
                ghost=rng.choice([0, 1, most // 3, most]), repeat=rng.choice([1, 1, 2]),
                divisor=rng.choice([total, total, total + 3]), region=None, where=None, where_max=1)
    words = ["convolve", "in.pam", "out.pam", "--mask",
             "; ".join(" ".join(map(str, row)) for row in mask), "--divisor", str(case["divisor"]),
             "--alpha", case["alpha"], "--repeat", str(case["repeat"]), "--border",
             case["border"] + (f":{case['ghost']}" if case["border"] == "constant" else "")]
    if light_on:
        words += ["--light", "linear"]
    if case["nodata"] is not None:
        words += ["--nodata", str(case["nodata"])]
    if rng.random() < 0.4:
        case["region"] = (rng.randrange(w), rng.randrange(h), rng.randint(1, w), rng.randint(1, h))
        words += ["--region", ",".join(map(str, case["region"]))]
    if rng.random() < 0.4:
        case["where_max"] = rng.choice([1, 100, 255, 65535])
        case["where"] = [[rng.choice([0, case["where_max"], rng.randint(0, case["where_max"])])
                          for _ in range(w)] for _ in range(h)]
        write("where.pam", [[[m] for m in row] for row in case["where"]], 1, case["where_max"])
        words += ["--where", "where.pam"]
    rows = picture(w, h, channels, most)
    write("in.pam", rows, channels, most)
    rows_a_band = rng.choice(["-1", "1", "2", "5"])
    subprocess.run([program, *words, "-q", "--device", "cpu", "--threads", str(rng.randint(1, 3)),
                    *(["--verify"] if number % 4 == 0 else [])], check=True,
                   env=dict(os.environ, STENCILCLI_BAND_ROWS=rows_a_band))
    write("want.pam", model(case, rows), channels, most)
    with open("out.pam", "rb") as out, open("want.pam", "rb") as want:
        if out.read() != want.read():
            print("different:", rows_a_band, words, rows, case)
            break
