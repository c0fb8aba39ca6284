# Every filter with its default mask gives the bytes of `convolve` with this mask.
. "$CLI/lib"
cp "$TESTDATA/photo.png" in.png
same() {
    filter=$1
    shift
    stencilcli "$filter" in.png a.ppm -q
    stencilcli convolve in.png b.ppm -q "$@"
    cmp a.ppm b.ppm || echo "$filter differs"
}
stencilcli list filters --json >filters
python3 - <<'END' >pairs
import json
for line in open("filters"):
    row = json.loads(line)
    if len(row.get("default_mask", "").split()) == 1:
        print(row["name"], row["default_mask"])
END
while read -r filter mask; do
    echo "$filter $mask"
    same "$filter" --mask "$mask"
done <pairs
stencilcli gauss in.png a.ppm -q --sigma 1.5
stencilcli mask --sigma 1.5 >mask.txt
stencilcli convolve in.png b.ppm -q --mask mask.txt
cmp a.ppm b.ppm
stencilcli box in.png a.ppm -q --radius 2
stencilcli convolve in.png b.ppm -q --mask box5
cmp a.ppm b.ppm
refuses 2 --mask convolve in.png never.ppm
refuses 2 --amount blur in.png never.ppm --amount 1
[ ! -e never.ppm ]
