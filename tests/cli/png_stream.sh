# Neither a PNG's samples nor its file are held in memory: the peak is far below both. A pipe
# gives the same bytes.
. "$CLI/lib"
export ASAN_OPTIONS="${ASAN_OPTIONS-}:quarantine_size_mb=1"
python3 -c '
import random, sys
sys.stdout.buffer.write(b"P5\n6000 8000\n255\n" + random.Random(1).randbytes(48000000))' >noise.pgm
stencilcli convolve noise.pgm noise.png --mask 1
printf 'P5\n1 1\n255\nx' >one.pgm
stencilcli convolve one.pgm one.png --mask 1
# Relative to the memory for one pixel, which is 22 MiB in builds with a sanitizer.
cat >peak.py <<'EOF'
import resource, subprocess, sys
def peak(picture):
    subprocess.run([sys.argv[1], "convolve", picture, "out.png", "--mask", "1", "--threads", "2"],
                   check=True)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
one = peak("one.png")
more = peak("noise.png") - one
print("peak below limit" if more < 18 else f"{more:.1f} MiB more")
EOF
python3 peak.py "$STENCILCLI"
stencilcli convolve out.png back.pgm --mask 1
cmp noise.pgm back.pgm
cat noise.png | stencilcli convolve - piped.png --mask 1
cmp out.png piped.png
