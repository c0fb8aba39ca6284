# SIGTERM, SIGINT and SIGHUP end a batch within two seconds while it works on several files: no
# temporary, only complete outputs, exit 128+n; the next run does the rest.
. "$CLI/lib"
export STENCILCLI_NAMED_TEMPORARIES=1 # as on a file system without unnamed files
mkdir in
{ printf 'P6 1000 600 255\n' && head -c 1800000 /dev/urandom; } >in/10.ppm
for number in $(seq 11 29); do ln in/10.ppm in/$number.ppm; done
stencilcli gauss in/10.ppm whole.ppm --sigma 8
temporaries() { # starts no process, or the run might end first
    for temporary in out/.*.stencilcli-*; do
        [ ! -e "$temporary" ] || return 0
    done
    return 1
}
now() { # in hundredths of a second; starts no process either
    read -r now_up now_idle </proc/uptime
    now=${now_up%.*}${now_up#*.}
}
for signal in TERM INT HUP; do
    rm -rf out
    env --default-signal=INT,HUP "$STENCILCLI" gauss in out --sigma 8 --kernel scalar -q -t 4 &
    # Killed while it works on several files and has finished the first.
    until [ -e out/12.ppm ] && temporaries; do kill -0 $! 2>/dev/null || break; done
    now
    start=$now
    kill -$signal $!
    code=0
    wait $! 2>/dev/null || code=$?
    now
    [ $((now - start)) -lt 200 ] || echo "$signal: took $((now - start)) hundredths of a second"
    echo "$signal: exit $code"
    ! temporaries || echo "$signal: a temporary is left"
    [ ! -e out/29.ppm ] || echo "$signal: came too late"
    for file in out/*.ppm; do cmp whole.ppm "$file"; done
done
stencilcli gauss in out --sigma 8 -q
for number in $(seq 10 29); do cmp whole.ppm out/$number.ppm; done
