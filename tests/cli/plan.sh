# --plan says what would run, and runs nothing; OUTPUT may be left out.
. "$CLI/lib"
cp "$TESTDATA/textbook.pgm" in.pgm
stencilcli blur in.pgm out.pgm --mask '1 2 1; 2 4 2; 1 2 1' --divisor 16 --plan >plan
stencilcli blur in.pgm --mask '1 2 1; 2 4 2; 1 2 1' --divisor 16 --plan | cmp - plan
for fact in divisor rank kernel border '1 2 1' '2 4 2'; do
    grep -q -- "$fact" plan || echo "no $fact"
done
stencilcli blur in.pgm out.pgm --mask '1 2 1; 2 4 2; 1 2 1' --divisor 16 --plan --json >json
python3 - <<'END'
import json
row = json.loads(open("json").read())
mask = row["masks"][0]
print(mask["weights"], mask["divisor"], mask["rank"], row["border"], row["max"])
END
alone in.pgm json plan
