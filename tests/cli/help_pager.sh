# --help and `help` go through a pager on a terminal: $PAGER, else less, else more. Nothing else does.
. "$CLI/lib"
mkdir with_less with_more without
cat >with_less/less <<'END'
#!/bin/sh
echo "less $*"
while read -r line; do :; done
END
sed 's/less/more/' with_less/less >with_more/more
chmod +x with_less/less with_more/more
ln -s "$(command -v cat)" without/cat
cat >terminal.py <<'END'
import os, pty, sys
pid, terminal = pty.fork()
if pid == 0:
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
lines = text.decode().split("\r\n")
code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
print(lines[0], "... %s lines" % ("many" if len(lines) > 20 else len(lines) - 1), "exit", code)
END
python=$(command -v python3)
# terminal VARIABLES... -- ARGS...: the first line that a terminal shows.
terminal() {
    printf '%s\n' "$*"
    words=
    while [ "$1" != -- ]; do
        words="$words $1"
        shift
    done
    shift
    # shellcheck disable=SC2086
    env -u PAGER TERM=xterm $words "$python" terminal.py "$STENCILCLI" "$@" | sed 's/^/    /'
}
terminal PATH=with_less -- --help
terminal PATH=with_less -- help
terminal PATH=with_less -- help blur
terminal PATH=with_less -- blur --help
terminal PATH=with_more -- --help
terminal PATH=without -- --help
terminal PATH=with_less TERM=dumb -- --help
terminal PATH=with_less TERM= -- --help
terminal PATH=with_less PAGER= -- --help
terminal PATH=with_less PAGER=cat -- --help
terminal PAGER=with_more/more -- --help
terminal PAGER=true -- --help
PAGER=with_more/more "$STENCILCLI" --help | head -n 1
terminal PATH=with_less -- -h
terminal PATH=with_less -- blur -h
terminal PATH=with_less -- version
echo 'a pager that is not there:'
PAGER=./nothing TERM=xterm "$python" terminal.py "$STENCILCLI" --help | grep -o 'many lines exit 0'
