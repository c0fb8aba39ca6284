# A signal during the wait for input: no temporary, the old output unchanged, exit 128+n.
. "$CLI/lib"
for signal in TERM HUP INT ALRM USR1 XCPU; do
    mkfifo input
    echo old >out.pgm
    # A shell without job control makes its background jobs ignore SIGINT.
    env --default-signal=INT STENCILCLI_NAMED_TEMPORARIES=1 "$STENCILCLI" blur - out.pgm <input &
    exec 3>input
    printf 'P5 100 100 255\n' >&3
    sleep 0.3
    kill -$signal $!
    code=0
    wait $! 2>/dev/null || code=$?
    exec 3>&-
    echo "$signal: exit $code"
    rm input
    echo old | cmp - out.pgm
    alone out.pgm
done
