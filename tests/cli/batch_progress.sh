# Progress: on a terminal one line that is redrawn; elsewhere lines with -v; none with -q.
. "$CLI/lib"
mkdir in
for number in $(seq 100 129); do cp "$TESTDATA/photo.png" in/$number.png; done
cp in/100.png in/200.png
echo broken >in/105.png
cat >terminal.py <<'END'
import fcntl, os, pty, re, struct, sys, termios
pid, terminal = pty.fork()
if pid == 0:
    width = int(os.environ.get("WIDTH", 80))
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
    os.execv(sys.argv[1], sys.argv[1:])
text = b""
while True:
    try:
        data = os.read(terminal, 4096)
    except OSError:
        break
    if not data:
        break
    text += data
os.waitpid(pid, 0)
text = text.decode()
if "WIDTH" in os.environ:
    lines = re.findall(r"\r\x1b\[K(\d[^\r]+)(?=\r)", text)
    print("a narrow terminal:", len(lines) > 0, max(map(len, lines)) < 20)
    sys.exit()
drawn = re.findall(r"\r\x1b\[K(\d+)/(\d+)  (\d+) %  [\d.]+ files/s  \d+ MB/s(  1 failed)?", text)
print("drawn more than twice:", len(drawn) > 2, "of", {int(line[1]) for line in drawn})
ended = [int(line[0]) for line in drawn]
print("in order:", ended == sorted(ended), "with failures:", any(line[3] for line in drawn),
      "with the time left:", " left" in text)
# Messages stand on lines of their own, after the line of progress is wiped.
lines = [re.sub(r".*\r\x1b\[K", "", line) for line in text.split("\r\n")]
print([line.split(";")[0] for line in lines if "work on" not in line and line])
END
# A fast machine ends before the line is drawn often enough: then try again with more work.
for repeat in 150 600 2400 9600; do
    python3 terminal.py "$STENCILCLI" blur in "out$repeat" --repeat "$repeat" -t 2 >seen
    grep -q False seen || break
done
cat seen
python3 terminal.py "$STENCILCLI" blur in out2 -q
# A line that wraps on the terminal could not be erased.
for repeat in 61 601 6001; do
    WIDTH=20 python3 terminal.py "$STENCILCLI" blur in "out$repeat" --repeat "$repeat" -t 2 >seen 2>&1
    grep -q 'terminal: True' seen && break
done
cat seen
stencilcli blur in out3 -q 2>messages || echo "exit $?"
cat messages
