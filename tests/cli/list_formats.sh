# The table of formats: names, what is read and written, depths, channels, limits.
. "$CLI/lib"
need_format webp
need_format tiff
stencilcli list formats
stencilcli list formats --json | head -n 4
# A format of the list can be named, and its file has it.
stencilcli list formats --json | python3 -c 'import json, sys
for row in map(json.loads, sys.stdin):
    if row["writes"] and not row["video"]:
        print(row["name"], "gray" if not row["colour"] else "colour")' >rows
while read -r name kind; do
    input=photo.png
    [ "$kind" = colour ] || input=gray.png
    stencilcli blur "$TESTDATA/$input" "out.$name"
    stencilcli blur "out.$name" - --format "$name" >again || echo "$name"
done <rows
