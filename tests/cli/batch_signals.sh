# SIGTERM, SIGINT and SIGHUP end a batch within two seconds, with several files in hand: no
# temporary, only whole outputs, exit 128+n; the next run does the rest.
. "$CLI/lib"
mkdir in
{ printf 'P6 1000 600 255\n' && head -c 1800000 /dev/urandom; } >in/10.ppm
for number in $(seq 11 29); do ln in/10.ppm in/$number.ppm; done
stencilcli gauss in/10.ppm whole.ppm --sigma 8
temporaries() { # no process, lest the run be done before it
    for temporary in out/.*.stencilcli-*; do
        [ ! -e "$temporary" ] || return 0
    done
    return 1
}
for signal in TERM INT HUP; do
    rm -rf out
    env --default-signal=INT,HUP "$STENCILCLI" gauss in out --sigma 8 --kernel scalar -q -t 4 &
    # Killed when it has files in hand and is past the first.
    until [ -e out/12.ppm ] && temporaries; do kill -0 $! 2>/dev/null || break; done
    start=$(date +%s%N)
    kill -$signal $!
    code=0
    wait $! 2>/dev/null || code=$?
    ms=$((($(date +%s%N) - start) / 1000000))
    [ $ms -lt 2000 ] || echo "$signal: took $ms ms"
    echo "$signal: exit $code"
    ! temporaries || echo "$signal: a temporary is left"
    [ ! -e out/29.ppm ] || echo "$signal: came too late"
    for file in out/*.ppm; do cmp whole.ppm "$file"; done
done
stencilcli gauss in out --sigma 8 -q
for number in $(seq 10 29); do cmp whole.ppm out/$number.ppm; done
