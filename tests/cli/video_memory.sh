# A video and a stream of pictures of any length take the memory of a few frames.
. "$CLI/lib"
cat >measure.py <<'PYTHON'
import os, subprocess, sys, threading

PROGRAM, HEIGHT, WIDTH = os.environ["STENCILCLI"], 180, 320

def peak(kind, frames):
    """Peak memory in KiB of a run on that many frames through pipes; checks the output's length."""
    if kind == "y4m":
        head = b"YUV4MPEG2 W%d H%d F25:1 Ip C420jpeg\n" % (WIDTH, HEIGHT)
        frame = b"FRAME\n" + bytes(WIDTH * HEIGHT * 3 // 2)
    else:
        head, frame = b"", b"P6\n%d %d\n255\n" % (WIDTH, HEIGHT) + bytes(WIDTH * HEIGHT * 3)
    ours, theirs = os.pipe()
    code = ("import os, resource, subprocess, sys\n"
            "done = subprocess.run(sys.argv[2:], stderr=2).returncode\n"
            "peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss\n"
            "os.write(int(sys.argv[1]), b'%d %d' % (done, peak))\n")
    run = subprocess.Popen([sys.executable, "-c", code, str(theirs), PROGRAM, "blur", "-", "-",
                            "-t", "3"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                           pass_fds=[theirs])
    os.close(theirs)

    def feed():
        run.stdin.write(head)
        for _ in range(frames):
            run.stdin.write(frame)
        run.stdin.close()

    feeder = threading.Thread(target=feed)
    feeder.start()
    length = 0
    while data := run.stdout.read(1 << 20):
        length += len(data)
    feeder.join()
    code, kilobytes = os.read(ours, 100).split()
    if code != b"0" or length != len(head) + frames * len(frame):
        print(kind, frames, "frames: exit", code, "and", length, "bytes")
    return int(kilobytes)

for kind in "y4m", "ppm":
    few, many = peak(kind, 20), peak(kind, 1500)
    if many > few + 2048:
        print(f"{kind}: {few} KiB for 20 frames, {many} KiB for 1500")
    print(kind, "at most 40 MB" if many < 40000 else f"{many} KiB")
PYTHON
(limit_memory 4000000 && [ "$(ulimit -v)" = 4000000 ]) || skip "a sanitizer's memory"
python3 measure.py
# Under a limit, fewer frames are in flight.
python3 -c 'import os, sys; sys.path.insert(0, os.environ["CLI"]); import y4m_maker as y4m
y4m.make("in.y4m", "420", 160, 90, 6)'
stencilcli blur in.y4m out.y4m
for kilobytes in 60000 200000; do
    # A program with kernels for every GPU is larger than 60 MB and cannot start.
    (ulimit -v $kilobytes && stencilcli --version) >said 2>&1 || continue
    (ulimit -v $kilobytes && stencilcli blur in.y4m little.y4m -t 8) && cmp out.y4m little.y4m
done
