# The textbook is named with its edition wherever its kernels are listed, and these are listed in one
# order: in the documents, in the files of the kernels, and by the program.
. "$CLI/lib"
stencilcli --help >help.txt
stencilcli help reuse >help_reuse.txt
stencilcli reuse >reuse.txt
stencilcli list kernels --json >kernels.txt
python3 - "$MASKS/.." <<'END'
import json, pathlib, re, sys
root = pathlib.Path(sys.argv[1])
ladders = {"2d": "basic readonly constant cached tiled".split(),
           "1d": "basic constant cached tiled".split()}

def text(path):
    return " ".join(re.sub(r"^ \*", "", path.read_text(), flags=re.M).split())

def need(good, *what):
    if not good:
        print(*what)

files = {f"kernels/{name}_{dims}.cu": name for dims, names in ladders.items() for name in names}
for path in [root / name for name in ["README.md", "docs/guide.md", "kernels/README.md", *files]] + \
        [pathlib.Path(name) for name in ["help.txt", "help_reuse.txt", "reuse.txt"]]:
    need(re.search(r"Hwu.{,8}Programming Massively Parallel Processors\W*3rd edition", text(path)),
         path.name, "does not name the textbook")
for name, names in ("README.md", "2d"), ("docs/guide.md", "2d"):
    need(", ".join(f"`{n}`" for n in ladders[names]) in text(root / name), name, "has another order")
readme = (root / "kernels/README.md").read_text()
heads = re.findall(r"`(\w+)`", "".join(re.findall(r"^### .*", readme, re.M)))
need(heads[:5] == ladders["2d"], "kernels/README.md, headings:", heads)
tables = re.split(r"^\| kernel \| ", readme, flags=re.M)
for table, names in zip(tables[2:], ladders.values()): # the first table says where masks lie
    rows = re.findall(r"^\| `(\w+)`", table, re.M)[:len(names)]
    need(rows == names, "kernels/README.md, table:", rows)
for dims, names in ladders.items():
    for this, following in zip(names, names[1:]):
        need(re.search(rf"next kernels? \({following}\b", text(root / f"kernels/{this}_{dims}.cu")),
             f"{this}_{dims}.cu does not lead to {following}")
    rows = [k["name"] for k in map(json.loads, open("kernels.txt"))
            if k["device"] == "cuda" and f"{k['dims']}d" == dims]
    need(rows[:len(names)] in ([], names), "list kernels:", rows) # none without CUDA
END
