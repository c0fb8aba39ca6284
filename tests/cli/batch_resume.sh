# A run that was killed goes on where it was: what the manifest notes is not done again, nothing else
# is taken for done, and in the end the tree is that of a run without kills, no temporary beside it.
. "$CLI/lib"
mkdir -p in/sub
for number in $(seq 100 199); do
    ln "$TESTDATA/photo.png" in/$number.png 2>/dev/null || cp "$TESTDATA/photo.png" in/$number.png
    ln in/$number.png in/sub/$number.png
done
stencilcli blur in whole --repeat 8 -q
tree() {
    (cd "$1" && find . -type f ! -name '.stencilcli-manifest*' -exec cksum {} + | sort)
}
tree whole >expected
manifest=out/.stencilcli-manifest.jsonl
outputs() {
    [ ! -e $manifest ] || sed -n 's/^{"output":"\([^"]*\)".*/\1/p' $manifest
}
: >noted.lines
for kill in 1 2 3 4 5 6 7 8 9 10; do
    "$STENCILCLI" blur in out --repeat 8 -q -t 3 &
    # Some files later than the last, at any moment of a file.
    target=$(($(wc -l <noted.lines) + $(od -An -N2 -tu2 /dev/urandom) % 6))
    until outputs >noted.lines && [ "$(wc -l <noted.lines)" -ge $target ]; do
        kill -0 $! 2>/dev/null || break
    done
    kill -9 $! 2>/dev/null || :
    wait $! 2>/dev/null || :
done
rm noted.lines
noted=$(outputs | wc -l)
[ "$noted" -gt 0 ] || echo "nothing was noted"
[ "$noted" -lt 200 ] || echo "ten kills came too late"
stencilcli blur in out --repeat 8 -t 3 --json >json 2>messages
[ "$(grep -c '"status":"skipped"' json)" = "$noted" ] || echo "noted files were done again"
[ "$(grep -c '"status":"done"' json)" = $((200 - noted)) ] || echo "files are missing"
[ -z "$(outputs | sort | uniq -d)" ] || echo "a file is noted twice"
tree out >found
cmp expected found

# What changes what an output is, or the output itself, has it made again; nothing else has.
again() {
    stencilcli blur in out --json -t 2 "$@" 2>/dev/null | grep -c '"status":"done"' || :
}
rm -r in out
mkdir in
for name in a b c d; do cp "$TESTDATA/textbook.pgm" in/$name.pgm; done
cp "$MASKS/gauss5.txt" mask.txt
echo "first $(again --mask mask.txt)"
echo "again $(again --mask mask.txt)"
echo "other threads and kernel $(again --mask mask.txt -t 1 --kernel scalar)"
touch -d '2001-01-01' in/a.pgm
echo "an input's time $(again --mask mask.txt)"
rm out/b.pgm
echo "an output lost $(again --mask mask.txt)"
echo text >>out/c.pgm
echo "an output changed $(again --mask mask.txt)"
echo "another border $(again --mask mask.txt --border zero)"
echo "back again $(again --mask mask.txt)"
sed 's/36/37/' "$MASKS/gauss5.txt" >mask.txt
echo "another mask by that name $(again --mask mask.txt)"
stencilcli blur in out --mask mask.txt --border wrap --plan 2>/dev/null
stencilcli blur in out --mask mask.txt --plan 2>&1 | sed 's/;.*//'
stencilcli blur in nowhere --plan --include b.pgm 2>/dev/null
[ ! -e nowhere ]
echo "--force $(again --mask mask.txt --force)"
# A torn line is passed over and closed before the next.
printf '{"output":"d.pgm","bytes":12' >>$manifest
rm out/d.pgm
echo "a torn line $(again --mask mask.txt)"
echo "and then $(again --mask mask.txt)"
python3 - <<'END'
import json
torn = 0
for line in open("out/.stencilcli-manifest.jsonl"):
    try:
        json.loads(line)
    except ValueError:
        torn += 1
print("torn lines:", torn)
END
