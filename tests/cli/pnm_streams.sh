# PNM pictures that follow each other: each is filtered as a picture of its own, whatever its size,
# depth and kind; a single picture, and bytes that are no picture, are treated as in a lone file.
. "$CLI/lib"
cat >make.py <<'PYTHON'
import os, struct, subprocess, sys
sys.path.insert(0, os.environ["CLI"])
from y4m_maker import samples, swapped

def pnm(kind, width, height, top, seed):
    channels = {"P5": 1, "P6": 3, "P7": 4}[kind]
    data = swapped(samples(width * height * channels, top, seed), top)
    if kind != "P7":
        return f"{kind}\n# picture {seed}\n{width} {height}\n{top}\n".encode() + data
    return (f"P7\nWIDTH {width}\nHEIGHT {height}\nDEPTH 4\nMAXVAL {top}\n"
            f"TUPLTYPE RGB_ALPHA\nENDHDR\n").encode() + data

def run(args, data):
    return subprocess.run([os.environ["STENCILCLI"], *args, "-q"], input=data,
                          stdout=subprocess.PIPE, check=True).stdout

streams = {
    "same": [pnm("P6", 61, 40, 255, n) for n in range(9)],
    "sizes": [pnm("P5", 1 + 31 * n % 90, 1 + 17 * n % 70, 255, n) for n in range(12)],
    "kinds": [pnm("P5", 30, 20, 1023, 1), pnm("P6", 30, 20, 255, 2), pnm("P7", 9, 50, 255, 3),
              pnm("P7", 9, 50, 65535, 4), pnm("P5", 30, 20, 200, 5), pnm("P5", 30, 20, 200, 6),
              b"P4\n9 3\n" + bytes(range(6)), pnm("P6", 30, 20, 65535, 7)],
    "large": [pnm("P5", 40, 20, 255, 1), pnm("P5", 4000, 2200, 255, 2), pnm("P5", 41, 20, 255, 3),
              pnm("P5", 41, 20, 255, 4)],
}
for name, pictures in streams.items():
    data = b"".join(pictures)
    open(f"{name}.pnm", "wb").write(data)
    for args in (["blur"], ["sharpen", "--border", "wrap"], ["sobel", "--repeat", "2"],
                 ["blur", "--verify"]):
        if name == "large" and args != ["blur"]:
            continue
        want = b"".join(run([args[0], "-", "-", *args[1:]], picture) for picture in pictures)
        for threads in ("1", "2", "5"):
            options = args[1:] + ["-t", threads]
            if run([args[0], "-", "-", *options], data) != want:
                print("pipe differs:", name, args, threads)
            if run([args[0], f"{name}.pnm", "-", *options], data) != want:
                print("file differs:", name, args, threads)
            if name == "kinds":
                continue
            run([args[0], "-", "out.pnm", *options], data)
            if open("out.pnm", "rb").read() != want:
                print("output file differs:", name, args, threads)
    as_pam = b"".join(run(["blur", "-", "-", "--format", "pam"], picture) for picture in pictures)
    if run(["blur", "-", "-", "--format", "pam"], data) != as_pam:
        print("PAM differs:", name)
open("one.pgm", "wb").write(streams["sizes"][5])
open("two.pgm", "wb").write(b"".join(streams["sizes"][5:7]))
open("three.pgm", "wb").write(b"".join(streams["sizes"][5:8]))
open("mixed.pnm", "wb").write(b"".join(streams["kinds"][:2]))
PYTHON
python3 make.py
stencilcli blur one.pgm one.out.pgm
stencilcli blur two.pgm two.out.pgm
# Bytes that are no picture are named where the length of the file is known.
{ cat one.pgm && echo; } >line.pgm
{ cat one.pgm && echo garbage; } >garbage.pgm
{ cat two.pgm && echo garbage; } >garbage2.pgm
try blur line.pgm out.pgm
cmp out.pgm one.out.pgm
try blur garbage.pgm out.pgm
cmp out.pgm one.out.pgm
try blur garbage2.pgm out.pgm
cmp out.pgm two.out.pgm
for name in line garbage; do cat $name.pgm | stencilcli blur - - | cmp - one.out.pgm; done
cat garbage2.pgm | stencilcli blur - - | cmp - two.out.pgm
# Another format gets the first picture.
try blur two.pgm out.png
stencilcli blur one.pgm one.png
cmp out.png one.png
# Damage names the picture, and leaves no file.
rm out.pgm
size=$(wc -c <three.pgm)
head -c $((size - 10)) three.pgm >cut.pgm
try blur cut.pgm out.pgm
cat cut.pgm | try blur - out.pgm
cat cut.pgm | try blur - out.pgm -t 1
for more in 'P5' 'P5 3' 'P6 3 3 255 x' 'P9 3 3 255 '; do
    printf '%s' "$more" | cat two.pgm - | try blur - out.pgm
    printf '%s' "$more" | cat two.pgm - >more.pgm
    try blur more.pgm out.pgm
    rm -f out.pgm
done
{ cat one.pgm && printf 'P5 3 3 200 aaaa\311aaaa'; } | try blur - out.pgm
try blur mixed.pnm out.pgm
[ ! -e out.pgm ]
# The pictures before the damage have gone into the pipe.
cat cut.pgm | stencilcli blur - - 2>said >out || echo "exit $?"
cmp out two.out.pgm
cat said

# A chain filters each picture of a stream as the runs one after the other do.
cat "$TESTDATA/deep.ppm" "$TESTDATA/tenbit.pgm" "$TESTDATA/deep.ppm" "$TESTDATA/textbook.pgm" >many.pnm
stencilcli blur many.pnm one.pnm
stencilcli median one.pnm two.pnm
stencilcli sobel two.pnm three.pnm
stencilcli chain many.pnm chain.pnm blur median sobel --threads 2
cmp three.pnm chain.pnm
stencilcli chain many.pnm chain.pnm blur median sobel --threads 1 --verify -q
cmp three.pnm chain.pnm
