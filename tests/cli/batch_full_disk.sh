# A disk that fills up during the run: finished outputs are complete, missing ones are named, the
# exit status is 1, and with free space the next run does the rest.
. "$CLI/lib"
unshare -rm true 2>/dev/null || skip 'no namespace of its own to mount a small disk in'
mkdir in disk
for number in $(seq 100 139); do cp "$TESTDATA/photo.png" in/$number.png; done
stencilcli blur in whole -q
cat >fill.sh <<'END'
mount -t tmpfs -o size=1m tmpfs disk || exit 77
code=0
"$STENCILCLI" blur in disk/out -t 3 2>messages || code=$?
echo "exit $code"
there=$(find disk/out -name '*.png' | wc -l)
[ "$there" -gt 3 ] || echo "only $there files fit"
[ -z "$(find disk/out -name '.*.stencilcli-*')" ] || echo "a temporary is left"
failed=$(grep -c '^stencilcli: .*/[0-9]*.png: cannot write: No space left on device$' messages)
[ $((there + failed)) = 40 ] || echo "$there are there, $failed are named"
for file in disk/out/*.png; do cmp "$file" "whole/${file#disk/out/}"; done
mount -o remount,size=20m disk
"$STENCILCLI" blur in disk/out -t 3 --json 2>messages >json
[ "$(grep -c '"done"' json)" -ge "$failed" ] || echo 'the rest was not done'
for file in whole/*.png; do cmp "$file" "disk/out/${file#whole/}"; done
END
code=0
unshare -rm sh -eu fill.sh || code=$?
[ $code != 77 ] || skip 'no small disk can be mounted here'
exit $code
