"""Compares random chains of 2 to 6 steps with the same runs through files on the CPU: chains.py PROGRAM
TESTDATA COUNT SEED DEVICE, in a scratch folder. tests/cli/chain.sh and cuda_chains.sh run it."""
import os, random, shlex, subprocess, sys

program, data, count, seed = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
device = sys.argv[5]
rng = random.Random(seed)
BORDERS = ["replicate", "reflect", "mirror", "wrap", "zero", "constant:70"]
PICTURES = ["photo.png", "gray.png", "cutout.png", "deep.ppm"]


def step(alpha):
    words = rng.choice([["blur"], ["sharpen"], ["sobel"], ["box", "--radius", str(rng.randint(0, 4))],
                        ["gauss", "--sigma", str(rng.choice([0.7, 1.5, 3]))], ["emboss"],
                        ["unsharp", "--amount", "3/5"],
                        ["median", "--radius", str(rng.randint(1, 3))],
                        ["bilateral", "--range", rng.choice(["20", "15%"])],
                        [rng.choice(["erode", "dilate", "open", "close", "outline", "tophat"]),
                         "--shape", rng.choice(["square", "disc", "cross"]), "--radius",
                         str(rng.randint(1, 5))],
                        ["convolve", "--mask", "1 2 3; 0 1 0; 2 0 5", "--anchor",
                         f"{rng.randint(0, 2)},{rng.randint(0, 2)}", "--normalize"]])
    if rng.random() < 0.5:
        words += ["--border", rng.choice(BORDERS)]
    if alpha and rng.random() < 0.3:
        words += ["--alpha", rng.choice(["weighted", "ignore", "plain"])]
    if rng.random() < 0.2:
        words += ["--repeat", str(rng.randint(2, 4))]
    return words


for case in range(count):
    picture = rng.choice(PICTURES)
    steps = [step(picture == "cutout.png") for _ in range(rng.randint(2, 6))]
    rows = rng.choice(["-1", "0", "1", "3", "20"])
    words = [shlex.join(words) for words in steps]
    given = [program, "chain", f"{data}/{picture}", "chain.pam", *words, "--threads",
             str(rng.randint(1, 3)), "-q", "--device", device]
    subprocess.run(given, check=True, env=dict(os.environ, STENCILCLI_BAND_ROWS=rows))
    before = f"{data}/{picture}"
    for number, words in enumerate(steps):
        after = f"step{number % 2}.pam"
        subprocess.run([program, words[0], before, after, *words[1:], "-q", "--device", "cpu"],
                       check=True)
        before = after
    if open("chain.pam", "rb").read() != open(before, "rb").read():
        print("different:", rows, given)
