# Y4M: every plane of every frame is as the tool filters it as a PGM file, and all headers are the
# input's, for all layouts of planes; in files and pipes, with any number of threads.
. "$CLI/lib"
cat >check.py <<'PYTHON'
import os, subprocess, sys
sys.path.insert(0, os.environ["CLI"])
import y4m_maker as y4m

def run(args, data=None):
    return subprocess.run([os.environ["STENCILCLI"], *args], input=data, stdout=subprocess.PIPE,
                          check=True).stdout

def check(name, args, threads=("1", "3")):
    want = y4m.expected(name, args)
    data = open(name, "rb").read()
    for number in threads:
        run([args[0], name, "out.y4m", *args[1:], "-t", number, "-q"])
        if open("out.y4m", "rb").read() != want:
            print("file differs:", name, args, number)
        if run([args[0], "-", "-", *args[1:], "-t", number, "-q"], data) != want:
            print("pipe differs:", name, args, number)

for layout in y4m.LAYOUTS:
    y4m.make("in.y4m", layout, 37, 23, 3)
    check("in.y4m", ["gauss", "--sigma", "1.5"])
y4m.make("in.y4m", "420jpeg", 64, 48, 5, "F30000:1001 A10:11 XCOMMENT=no", " XN=1", colour=False)
for args in ("blur", "sharpen --border wrap", "edge --border zero", "sobel --border mirror",
             "box --radius 20 --border reflect", "blur --repeat 3", "emboss --border constant:50%",
             "unsharp --amount 1", "blur --verify", "gauss --sigma 30", "convolve --mask identity --method direct"):
    check("in.y4m", args.split())
y4m.make("in.y4m", "420", 1, 1, 2)
check("in.y4m", ["blur"])
y4m.make("in.y4m", "411", 5, 1, 2, "I?")
check("in.y4m", ["blur"])
PYTHON
python3 check.py
# Large planes go in bands, small ones beside each other.
python3 - <<'PYTHON'
import os, sys
sys.path.insert(0, os.environ["CLI"])
import y4m_maker as y4m
w, h = 4000, 2200
with open("large.y4m", "wb") as out:
    out.write(f"YUV4MPEG2 W{w} H{h} F25:1 Ip C420jpeg\n".encode())
    for frame in range(2):
        out.write(b"FRAME\n")
        for n in (w * h, w * h // 4, w * h // 4):
            out.write((bytes(range(251)) * (n // 251 + 1))[frame:frame + n])
open("expected.y4m", "wb").write(y4m.expected("large.y4m", ["blur"]))
PYTHON
stencilcli blur large.y4m out.y4m
cmp out.y4m expected.y4m
stencilcli blur - - -t 1 <large.y4m | cmp - expected.y4m
STENCILCLI_BAND_ROWS=100 stencilcli blur large.y4m out.y4m
cmp out.y4m expected.y4m
# In place, over itself, and in a folder.
mkdir in
python3 -c 'import os, sys; sys.path.insert(0, os.environ["CLI"]); import y4m_maker as y4m
y4m.make("in/a.y4m", "422p10", 40, 30, 4)'
stencilcli blur in/a.y4m once.y4m
stencilcli blur in out -q
cmp out/a.y4m once.y4m
stencilcli blur in/a.y4m in/a.y4m
cmp in/a.y4m once.y4m
