# Neither a PNG's samples nor its file are held in memory: the peak is far below both. A pipe
# gives the same bytes.
. "$CLI/lib"
stencilcli --version | grep -qx 'PNG: by rows' || exit 77
export ASAN_OPTIONS="${ASAN_OPTIONS-}:quarantine_size_mb=1"
python3 -c '
import random, sys
sys.stdout.buffer.write(b"P5\n6000 8000\n255\n" + random.Random(1).randbytes(48000000))' >noise.pgm
stencilcli convolve noise.pgm noise.png --mask 1
cat >peak.py <<'EOF'
import resource, subprocess, sys
subprocess.run(sys.argv[2:], check=True)
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
print("peak below limit" if peak < int(sys.argv[1]) else f"peak {peak} MiB")
EOF
python3 peak.py 32 "$STENCILCLI" convolve noise.png out.png --mask 1 --threads 2
stencilcli convolve out.png back.pgm --mask 1
cmp noise.pgm back.pgm
cat noise.png | stencilcli convolve - piped.png --mask 1
cmp out.png piped.png
