# `bench --sweep` on the GPU: every place of the axis is compared and timed.
. "$CLI/lib"
need_cuda
cat >check.py <<'END'
import json, sys
row = json.load(open("json"))
kernels, places = sys.argv[1].split(","), [int(place) for place in sys.argv[2].split(",")]
key = {"tile": "tile", "mask": "mask_width"}[row["sweep"]]
assert all(r["state"] == "timed" and r["verified"] for r in row["results"]), row["results"]
for kernel in kernels:
    assert [r[key] for r in row["results"] if r["kernel"] == kernel] == places, kernel
END
stencilcli bench --device cuda --runs 2 --json --size 200x100 --sweep tile --plot lines.svg >json
python3 check.py basic,constant,readonly,cached,tiled 8,16,32,64
python3 -c 'import xml.etree.ElementTree as tree; tree.parse("lines.svg")'
stencilcli bench --device cuda --runs 2 --json --size 200x100 --sweep mask --kernel basic,tiled >json
python3 check.py basic,tiled 3,5,7,9,11,15,21,31
