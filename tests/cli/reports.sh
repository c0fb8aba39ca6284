# --time, --json, -v and -q: data goes to standard output, all other text to standard error.
. "$CLI/lib"
cp "$TESTDATA/textbook.pgm" in.pgm
stencilcli blur in.pgm out.pgm >stdout 2>stderr
[ ! -s stdout ]
[ ! -s stderr ]
stencilcli blur in.pgm out.pgm --time >stdout 2>stderr
[ ! -s stdout ]
for stage in reading filtering writing total; do
    grep -q $stage stderr || echo "no $stage"
done
stencilcli blur in.pgm out.pgm --json >stdout 2>stderr
[ ! -s stderr ]
[ "$(wc -l <stdout)" -eq 1 ]
python3 - <<'END'
import json
row = json.loads(open("stdout").read())
print(row["input"], row["output"], row["width"], row["height"], row["device"] in ("cpu", "cuda"))
END
stencilcli blur in.pgm out.pgm -v >stdout 2>stderr
[ ! -s stdout ]
grep -q kernel stderr
# The picture itself is on standard output: no other text may be there.
stencilcli blur in.pgm - --json --time -v 2>stderr | cmp - out.pgm
[ -s stderr ]
# The warning about dropped metadata is one line, and -q silences it.
stencilcli blur "$TESTDATA/rotated.jpg" out.ppm >stdout 2>stderr
[ ! -s stdout ]
sed "s#$TESTDATA/##" stderr
stencilcli blur "$TESTDATA/rotated.jpg" out.ppm -q >stdout 2>stderr
[ ! -s stdout ]
[ ! -s stderr ]
