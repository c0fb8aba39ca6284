# `bench --json`: one object with all results.
. "$CLI/lib"
stencilcli bench --device cpu --size 64 --kernel all --runs 2 --json >json
[ "$(wc -l <json)" = 1 ]
python3 - <<'END'
import json
row = json.load(open("json"))
print(*row)
print(*row["picture"], row["picture"]["width"], row["picture"]["height"])
print(*row["mask"], row["mask"]["name"], row["mask"]["width"])
print(*row["devices"][0])
print(*row["devices"][0]["ceilings"][0])
print(*row["devices"][0]["copies"][0])
print(*row["results"][0])
results = {r["kernel"]: r for r in row["results"]}
assert "reference" in results and "scalar" in results
for r in row["results"]:
    if r["state"] != "timed":
        continue
    assert r["verified"] is True and r["runs"] == 2 and r["bytes"] == 2 * 64 * 64 * 3
    assert r["mad_ms"] >= 0 and r["p10_ms"] <= r["median_ms"] <= r["p90_ms"]
    assert r["flop_per_byte"] == 25
assert results["scalar"]["speedup_over"] == "reference"
END
stencilcli bench --device cpu --size 40x30 --sweep mask --kernel scalar --runs 1 --json >json
python3 - <<'END'
import json
row = json.load(open("json"))
print(row["sweep"], *[r["mask_width"] for r in row["results"]])
END
