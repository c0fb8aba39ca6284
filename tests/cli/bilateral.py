"""Compares the filter bilateral with a model of docs/promise.md, on random pictures and options:
bilateral.py PROGRAM COUNT SEED, in a scratch folder. tests/cli/bilateral.sh runs it. The model holds
whole numbers of any size, so that no sum can overflow."""
import math, random, subprocess, sys

program, count, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
rng = random.Random(seed)


def gauss(sigma, radius):
    """The weights along an axis: 2048 in all."""
    g = [math.exp(-i * i / (2 * sigma * sigma)) for i in range(radius + 1)]
    total = g[0] + 2 * sum(g[1:])
    exact = [2048 * v / total for v in g]
    weight = [math.floor(v) for v in exact]
    missing = 2048 - weight[0] - 2 * sum(weight[1:])
    weight[0] += missing % 2
    nearest_first = sorted(range(1, radius + 1), key=lambda i: (weight[i] - exact[i], i))
    for i in nearest_first[:missing // 2]:
        weight[i] += 1
    return [weight[abs(i)] for i in range(-radius, radius + 1)]


def fold(border, i, n):
    """The cell that stands for cell i of n, or None."""
    while not 0 <= i < n:
        if border in ("zero", "constant"):
            return None
        if border == "replicate":
            i = 0 if i < 0 else n - 1
        elif border == "wrap":
            i %= n
        elif border == "reflect":
            i = -1 - i if i < 0 else 2 * n - 1 - i
        elif n == 1:
            i = 0
        else:
            i = -i if i < 0 else 2 * n - 2 - i
    return i


def mean(weights, values):
    total = sum(weights)
    return (sum(w * v for w, v in zip(weights, values)) + total // 2) // total


def bilateral(picture, channels, most, sigma, radius, reach, border, value, alpha, filtered):
    height, width = len(picture), len(picture[0])
    has_alpha = channels in (2, 4)
    colours = channels - 1 if has_alpha and alpha != "plain" else channels
    ghost = [value] * channels
    if has_alpha and alpha != "plain":
        ghost[-1] = most
    axis = gauss(sigma, radius)

    def cell(y, x):
        y, x = fold(border, y, height), fold(border, x, width)
        return ghost if y is None or x is None else picture[y][x]

    def pixel(y, x):
        middle = picture[y][x]
        cells = [cell(y + i, x + j) for i in range(-radius, radius + 1)
                 for j in range(-radius, radius + 1)]
        weights = []
        for k, other in enumerate(cells):
            d = sum(abs(other[c] - middle[c]) for c in range(colours) if c in filtered)
            near = math.floor(2048 * math.exp(-(d / reach) ** 2 / 2) + 0.5)
            weights.append(axis[k // len(axis)] * axis[k % len(axis)] * near)
        out = list(middle)
        for c in filtered:
            values = [other[c] for other in cells]
            covered = [w * other[-1] for w, other in zip(weights, cells)]
            if has_alpha and alpha == "weighted" and c < channels - 1 and sum(covered) > 0:
                out[c] = mean(covered, values)
            elif c < colours or alpha != "ignore":
                out[c] = mean(weights, values)
        return out

    return [[pixel(y, x) for x in range(width)] for y in range(height)]


def write_pam(path, picture, channels, most):
    kind = ["GRAYSCALE", "GRAYSCALE_ALPHA", "RGB", "RGB_ALPHA"][channels - 1]
    size = 2 if most > 255 else 1
    samples = b"".join(v.to_bytes(size, "big") for row in picture for cell in row for v in cell)
    with open(path, "wb") as file:
        file.write(f"P7\nWIDTH {len(picture[0])}\nHEIGHT {len(picture)}\nDEPTH {channels}\n"
                   f"MAXVAL {most}\nTUPLTYPE {kind}\nENDHDR\n".encode() + samples)


def read_samples(path, number, most):
    data = open(path, "rb").read()
    if most <= 255:
        return list(data[-number:])
    data = data[-2 * number:]
    return [data[2 * k] << 8 | data[2 * k + 1] for k in range(number)]


for case in range(count):
    channels, most = rng.randint(1, 4), rng.choice([1, 15, 255, 255, 4095, 65535, 65535])
    width, height = rng.randint(1, 14), rng.randint(1, 9)
    spread = rng.choice([most, max(most // 8, 1)])
    picture = [[[rng.choice([0, most, rng.randint(0, spread)]) if c == 3 or (channels == 2 and c)
                 else rng.randint(0, spread) for c in range(channels)]
                for _ in range(width)] for _ in range(height)]
    radius, border = rng.randint(0, 7), rng.choice(
        ["replicate", "zero", "constant", "reflect", "mirror", "wrap"])
    sigma = rng.choice([0.5, 1, 2.25, 10])
    percent = rng.random() < 0.5
    given = rng.choice([1, 5, 12.5, 40, 100])
    reach = given / 100 * most if percent else given
    value = rng.randint(0, most) if border == "constant" else 0
    alpha = rng.choice(["weighted", "ignore", "plain"])
    filtered = [c for c in range(channels) if rng.random() < 0.8]
    if not filtered or alpha == "ignore":  # one channel must be left to be filtered
        filtered = sorted({0, *filtered})
    write_pam("in.pam", picture, channels, most)
    words = [program, "bilateral", "in.pam", "out.pam", "-q", "--device", "cpu", "--sigma",
             str(sigma), "--radius", str(radius), "--range", f"{given}{'%' if percent else ''}",
             "--border", f"constant:{value}" if border == "constant" else border, "--alpha", alpha,
             "--channels", "".join(map(str, filtered)), "--threads", str(rng.randint(1, 3))]
    subprocess.run(words, check=True)
    want = bilateral(picture, channels, most, sigma, radius, reach, border, value, alpha, filtered)
    want = [v for row in want for pixel in row for v in pixel]
    if read_samples("out.pam", len(want), most) != want:
        print("different:", case, width, height, channels, most, words[2:])
