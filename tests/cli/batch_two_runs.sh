# Two concurrent runs into one folder: no partial files, equal bytes, a valid manifest. A later run
# removes the temporaries of dead runs, but not those of live runs or other files.
. "$CLI/lib"
mkdir in
for number in $(seq 100 159); do cp "$TESTDATA/photo.png" in/$number.png; done
stencilcli blur in whole -q
for round in 1 2 3; do
    rm -rf out
    "$STENCILCLI" blur in out -q &
    first=$!
    "$STENCILCLI" blur in out -q &
    while kill -0 $first 2>/dev/null; do
        for file in out/*.png; do
            [ ! -e "$file" ] || cmp "$file" "whole/${file#out/}"
        done
    done
    wait
    (cd out && ls -A) >found
    (cd whole && ls -A) | cmp - found
    for file in whole/*.png; do cmp "$file" "out/${file#whole/}"; done
done
python3 -c 'import json
for line in open("out/.stencilcli-manifest.jsonl"):
    json.loads(line)'
stencilcli blur in out 2>messages
sed 's/;.*//' messages

# Each output has its own time, recorded before the file gets its name: if a run with another recipe
# replaces the file a moment later, the new file is not mistaken for it.
mkdir small
for number in $(seq 100 199); do cp "$TESTDATA/textbook.pgm" small/$number.pgm; done
stencilcli blur small small.out -q
python3 - <<'END'
import json, os
lines = [json.loads(line) for line in open("small.out/.stencilcli-manifest.jsonl")]
noted = {line["output"]: line["mtime_ns"] for line in lines if "output" in line}
times = {name: os.stat("small.out/" + name).st_mtime_ns for name in noted}
print(len(set(times.values())), "times, as noted:", times == noted)
END

# A waiting run holds its temporary; a killed run does not.
export STENCILCLI_NAMED_TEMPORARIES=1 # as on a file system without unnamed files
mkfifo pipe
"$STENCILCLI" blur - out/live.pgm <pipe &
live=$!
exec 3>pipe
{ printf 'P5 1000 1000 255\n' && head -c 100000 /dev/zero; } >&3
mkfifo other
"$STENCILCLI" blur - out/dead.pgm <other &
dead=$!
exec 4>other
{ printf 'P5 1000 1000 255\n' && head -c 100000 /dev/zero; } >&4
for name in live dead; do
    until [ -n "$(find out -name ".$name.pgm.stencilcli-*")" ]; do sleep 0.01; done
done
kill -9 $dead 2>/dev/null || :
wait $dead 2>/dev/null || :
: >out/.mine.stencilcli-backup
: >out/.name.stencilcli-0123456789abcdef-x
ls -A out | grep -c '^\.dead.pgm.stencilcli-'
stencilcli blur in out -q
ls -A out | sed -n 's/-[0-9a-f]*-[0-9]*$/-RUN-N/; /^\..*stencilcli-/p' | grep -v manifest
kill $live
wait $live 2>/dev/null || :
exec 3>&- 4>&-
