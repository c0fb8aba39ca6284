# A signal while the output is being written: no temporary, the old output unchanged, exit 128+n.
. "$CLI/lib"
ulimit -c 0
faults=handle_segv=0:handle_sigbus=0:handle_sigill=0:handle_sigfpe=0:handle_abort=0
export ASAN_OPTIONS="${ASAN_OPTIONS:-}:$faults:handle_sigtrap=0" # a sanitizer handles them itself
export UBSAN_OPTIONS="${UBSAN_OPTIONS:-}:$faults:handle_sigtrap=0"
{ printf 'P5 1000 100000 255\n' && head -c 20000000 /dev/zero; } >rows
mkfifo input
echo old >out.pgm

# ends SIGNAL CONDITION: ends a run by the signal when the condition holds.
ends() {
    # A shell without job control makes its background jobs ignore SIGINT.
    env --default-signal "$STENCILCLI" blur - out.pgm <input &
    run=$!
    exec 3>input
    cat rows >&3
    until eval "$2"; do sleep 0.01; done
    kill -"$1" $run
    code=0
    wait $run 2>/dev/null || code=$?
    exec 3>&-
    echo "$1: exit $code"
    echo old | cmp - out.pgm
    alone input out.pgm rows
}

# On file systems that have no files without a name, the temporary has one.
export STENCILCLI_NAMED_TEMPORARIES=1
# All but KILL and STOP, PIPE and XFSZ (ignored: writing fails), and signals that end no process.
for signal in 1 2 3 4 5 6 7 8 10 11 12 14 15 16 24 26 27 29 30 31 34 50 64; do
    ends $signal '[ -e .out.pgm.stencilcli-* ]'
done
unset STENCILCLI_NAMED_TEMPORARIES

# Where files without a name exist, nothing can remain, not even after SIGKILL.
python3 -c 'import os; os.open(".", os.O_WRONLY | os.O_TMPFILE)' 2>/dev/null ||
    { echo "9: exit 137" && exit; }
ends 9 'ls -l /proc/$run/fd | grep -q "$PWD/#.*deleted"'
