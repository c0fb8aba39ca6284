# The lists: names first, and as JSON one object per line.
. "$CLI/lib"
stencilcli list filters | awk '/^  / { print $1; next } { print }'
stencilcli list devices | awk 'NR == 1 { print $1 }'
stencilcli list kernels | awk 'NR == 1 { print $1, $2, $3 }'
# No reason is that a kernel is made for another filter.
stencilcli list kernels | grep -E 'it makes no|it runs|its weights' || true
stencilcli list masks | awk '$1 == "gauss5" || $1 == "sobel_x" { print $1, $2 }'
for what in filters kernels masks formats devices; do
    stencilcli list $what | grep -v '^[A-Z]' | awk '{ print $1 }' | sed 's/:$//' >names
    stencilcli list $what --json >json
    python3 - $what names json <<'END'
import json, sys
what, names, text = sys.argv[1:]
rows = [json.loads(line) for line in open(text)]
assert [row["name"] for row in rows] == open(names).read().split(), what
print(what, "keys:", *sorted(set.intersection(*(set(row) for row in rows))))
if what == "kernels":
    assert rows[0]["name"] == "reference" and rows[0]["runs"] is True and rows[0]["dims"] == 2
END
done
