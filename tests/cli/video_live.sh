# A stream is filtered as it comes: a frame leaves before the next one enters. (Frames of more than
# 4096 bytes: so much is read to recognise a file.)
. "$CLI/lib"
cat >live.py <<'PYTHON'
import os, subprocess, threading

def live(threads, head, frame):
    run = subprocess.Popen([os.environ["STENCILCLI"], "blur", "-", "-", "-t", threads],
                           stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    for number in range(5):
        data = (head if number == 0 else b"") + frame
        feeder = threading.Thread(target=lambda: (run.stdin.write(data), run.stdin.flush()))
        feeder.start()
        left = len(data)
        while left > 0: # hangs if the program waits for more
            left -= len(os.read(run.stdout.fileno(), left))
        feeder.join()
    run.stdin.close()
    print(run.stdout.read(), run.wait())

for threads in "1", "2", "4":
    live(threads, b"YUV4MPEG2 W100 H60\n", b"FRAME\n" + bytes(9000))
    live(threads, b"YUV4MPEG2 W100 H60 Cmono\n", b"FRAME\n" + bytes(6000))
    live(threads, b"", b"P6\n100 60\n255\n" + bytes(18000))
    live(threads, b"", b"P5\n4000 2200\n255\n" + bytes(8800000))
PYTHON
python3 live.py
