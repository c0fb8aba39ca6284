# On a terminal: a picture that takes longer than a second shows how far it is, on one line that is
# wiped at the end, and not with -q or on another stderr; picture bytes do not go to a terminal.
. "$CLI/lib"
# The stream to the terminal is not freed at the end.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"
cat >watch.py <<'PYTHON'
import os, pty, re, subprocess, sys

ROWS, ROW = 400, bytes(3000)

def start(name, options, terminal):
    """A run whose input stops in the middle; its stderr is a terminal or a pipe."""
    ours, theirs = pty.openpty() if terminal else os.pipe()
    run = subprocess.Popen([sys.argv[1], "blur", "-", name, *options], stdin=subprocess.PIPE,
                           stderr=theirs)
    os.close(theirs)
    run.stdin.write(b"P6 1000 400 255\n" + ROW * (ROWS // 2))
    run.stdin.flush()
    return run, ours

def read(fd):
    try:
        return os.read(fd, 4096)
    except OSError: # the terminal's other end is closed
        return b""

def end(run, fd):
    run.stdin.write(ROW * (ROWS - ROWS // 2))
    run.stdin.close()
    text = b""
    while data := read(fd):
        text += data
    return run.wait(), text

quiet, elsewhere = start("quiet.ppm", ["-q"], True), start("elsewhere.ppm", [], False)
whole = start("whole.ppm", ["--repeat", "3", "--border", "wrap"], True)
shown = start("shown.ppm", [], True)
text = {}
for name, (run, fd) in {"in bands": shown, "whole": whole}.items():
    text[name] = b""
    while text[name].count(b"\r") < 3: # then more than a second has passed
        text[name] += read(fd)
for name, (run, fd) in {"in bands": shown, "whole": whole}.items():
    code, rest = end(run, fd)
    text[name] += rest
    lines = re.split(r"\r\x1b\[K", text[name].decode())
    good = all(re.fullmatch(r"\d+ %  \d+ s(, \d+ s left)?", line) for line in lines[1:-1])
    print(f"{name}: exit {code}, drawn {good}, wiped {lines[0] == lines[-1] == ''}")
    share = int(lines[1].split()[0])
    print(f"    as far as it can be: {20 < share < 60 if name == 'in bands' else share == 0}")
for name, (run, fd) in {"quiet": quiet, "elsewhere": elsewhere}.items():
    print(name, end(run, fd))
PYTHON
python3 watch.py "$STENCILCLI"
cmp quiet.ppm shown.ppm
cmp quiet.ppm elsewhere.ppm
cat >on_terminal.py <<'PYTHON'
import pty, os, sys
code = pty.spawn(sys.argv[1:])
print("exit", os.waitstatus_to_exitcode(code))
PYTHON
cp "$TESTDATA/textbook.pgm" in.pgm
for words in 'in.pgm -' '- -' 'in.pgm - --plan' 'missing.pgm out.pgm'; do
    # shellcheck disable=SC2086
    python3 on_terminal.py "$STENCILCLI" blur $words </dev/null >seen
    tr -d '\r' <seen | grep -e '^stencilcli' -e '^exit' -e '^picture'
done
stencilcli blur in.pgm - | cksum >piped
stencilcli blur in.pgm out.pgm
cksum <out.pgm | cmp - piped
