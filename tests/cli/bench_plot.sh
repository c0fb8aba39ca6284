# `bench --plot`: an SVG that an XML parser accepts, written whole or not at all.
. "$CLI/lib"
cat >check.py <<'END'
import re, sys
import xml.etree.ElementTree as tree
root = tree.parse(sys.argv[1]).getroot()
assert root.tag == "{http://www.w3.org/2000/svg}svg", root.tag
width, height = (float(root.get(side)) for side in ("width", "height"))
texts = ["".join(e.itertext()) for e in root.iter() if e.tag.endswith("}text")]
numbers = [float(n) for e in root.iter() for key in ("points",)
           for n in re.split("[ ,]", e.get(key) or "") if n]
assert numbers and all(-1 <= n <= max(width, height) + 1 for n in numbers)
for word in sys.argv[2:]:
    print(word, "yes" if any(word in text for text in texts) else "is missing")
END
stencilcli bench --device cpu --size 200x100 --runs 2 --kernel scalar,reference --plot roof.svg >table
python3 check.py roof.svg Roofline 'FLOP/byte' ' GFLOP/s' 'multiplications and additions' scalar reference copy 'gauss5' '200'
stencilcli bench --device cpu --size 40x30 --sweep mask --kernel scalar --runs 1 --plot lines.svg >table
python3 check.py lines.svg 'mask width' scalar copy 31 ms
# The plot on standard output: the table goes to standard error.
stencilcli bench --device cpu --size 40x30 --kernel scalar --runs 1 --plot - >out.svg 2>table
python3 check.py out.svg Roofline
grep -q '^scalar' table
# A missing folder is detected before the measurements; an old plot stays.
refuses 1 none/roof.svg bench --device cpu --size 40x30 --plot none/roof.svg
echo old >kept.svg
refuses 2 scalr bench --device cpu --plot kept.svg --kernel scalr
cat kept.svg
rm table
alone check.py kept.svg lines.svg out.svg roof.svg
