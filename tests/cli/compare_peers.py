"""Makes 50 pairs of pictures and compares the results of stencilcli and ImageMagick:
the pixels that differ (AE), whether any do, and the PSNR. Part of compare_peers.sh."""
import concurrent.futures
import json
import os
import random
import subprocess


def write(path, width, height, channels, top, samples):
    with open(path, "wb") as file:
        file.write(b"P%d %d %d %d\n" % (5 if channels == 1 else 6, width, height, top))
        size = 1 if top < 256 else 2
        file.write(b"".join(sample.to_bytes(size, "big") for sample in samples))


def changed(kind, samples, width, channels, top):
    """Makes B from A: no change, one sample by one, noise, a shift, swapped channels, an offset."""
    out = list(samples)
    if kind == 1:
        at = random.randrange(len(out))
        out[at] += 1 if out[at] < top else -1
    elif kind == 2:
        for at in random.sample(range(len(out)), max(1, len(out) // 50)):
            out[at] = random.randrange(top + 1)
    elif kind == 3:
        out = out[channels:] + out[:channels]
    elif kind == 4 and channels == 3:
        out[0::3], out[2::3] = out[2::3], out[0::3]
    elif kind >= 4:
        out = [min(top, sample + kind) for sample in out]
    return out


def magick(metric, a, b):
    done = subprocess.run(["compare", "-metric", metric, a, b, "null:"], capture_output=True,
                          text=True)
    return done.stderr.split()[0]


def judge(number):
    a, b = f"{number}a.pnm", f"{number}b.pnm"
    done = subprocess.run([os.environ["STENCILCLI"], "compare", a, b, "--json"],
                          capture_output=True, text=True)
    ours = json.loads(done.stdout)
    count, psnr = float(magick("AE", a, b)), float(magick("PSNR", a, b))
    wrong = []
    if ours["differing_pixels"] != count:
        wrong.append(f"{ours['differing_pixels']} pixels, theirs {count:g}")
    if (done.returncode == 0) != (count == 0) or done.returncode not in (0, 4):
        wrong.append(f"exit {done.returncode}, theirs counts {count:g}")
    # For equal pictures ImageMagick prints inf or 0, depending on its version.
    if count and not abs(ours["all"]["psnr"] - psnr) <= 1e-4 * psnr:
        wrong.append(f"PSNR {ours['all']['psnr']}, theirs {psnr}")
    if not count and ours["all"]["psnr"] != "inf":
        wrong.append("the PSNR of equal pictures is not inf")
    return wrong


def main():
    random.seed(6)
    for number in range(50):
        channels, top = random.choice([1, 3]), random.choice([255, 65535])
        width, height = random.randint(1, 60), random.randint(1, 60)
        a = [random.randrange(top + 1) for _ in range(width * height * channels)]
        write(f"{number}a.pnm", width, height, channels, top, a)
        write(f"{number}b.pnm", width, height, channels, top,
              changed(number % 7, a, width, channels, top))
    agreed = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for number, wrong in enumerate(pool.map(judge, range(50))):
            agreed += not wrong
            if wrong:
                print(f"pair {number} (kind {number % 7}):", "; ".join(wrong))
    print(agreed, "of 50 pairs agree")


main()
