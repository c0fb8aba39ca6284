# SIGTERM, SIGINT and SIGHUP end a batch within two seconds, with several files in hand: no
# temporary, only whole outputs, exit 128+n; the next run does the rest.
. "$CLI/lib"
mkdir in
for number in $(seq 100 179); do cp "$TESTDATA/photo.png" in/$number.png; done
stencilcli blur in whole --repeat 1000 -q --include '*5.png'
for signal in TERM INT HUP; do
    rm -rf out
    env --default-signal=INT,HUP "$STENCILCLI" blur in out --repeat 1000 -q -t 4 &
    sleep 0.4
    start=$(date +%s%N)
    kill -$signal $!
    code=0
    wait $! 2>/dev/null || code=$?
    ms=$((($(date +%s%N) - start) / 1000000))
    [ $ms -lt 2000 ] || echo "$signal: took $ms ms"
    echo "$signal: exit $code"
    [ -z "$(find out -name '.*.stencilcli-*')" ] || echo "$signal: a temporary is left"
    [ "$(ls out | wc -l)" -lt 80 ] || echo "$signal: came too late"
    for file in out/*5.png; do
        [ ! -e "$file" ] || cmp "$file" "whole/${file#out/}"
    done
done
stencilcli blur in out --repeat 1000 -q --include '*5.png'
for file in whole/*.png; do cmp "$file" "out/${file#whole/}"; done
