# Neither a JPEG's samples nor its file are held in memory, also from a pipe; a progressive one is
# held as coefficients.
. "$CLI/lib"
export ASAN_OPTIONS="${ASAN_OPTIONS-}:quarantine_size_mb=1"
python3 -c '
import random, sys
sys.stdout.buffer.write(b"P5\n6000 8000\n255\n" + random.Random(1).randbytes(48000000))' >noise.pgm
stencilcli convolve noise.pgm noise.jpg --mask 1 --quality 80
rm noise.pgm
printf 'P5\n1 1\n255\nx' >one.pgm
stencilcli convolve one.pgm one.jpg --mask 1
# Relative to the memory for one pixel, which is 22 MiB in builds with a sanitizer.
cat >peak.py <<'EOF'
import resource, subprocess, sys
def peak(picture, into):
    subprocess.run([sys.argv[1], "convolve", "-", into, "--mask", "1", "--threads", "2",
                    "--device", "cpu"], stdin=open(picture, "rb"), check=True)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
one = peak("one.jpg", "out.jpg")
more = peak("noise.jpg", "out.jpg") - one
print("peak below limit" if more < 18 else f"{more:.1f} MiB more")
EOF
python3 peak.py "$STENCILCLI"
# shellcheck disable=SC2002
cat noise.jpg | stencilcli convolve - piped.jpg --mask 1
cmp out.jpg piped.jpg
