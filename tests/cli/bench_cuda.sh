# `bench` on the GPU: every kernel compared and timed, warm and cold, on odd sizes and channels.
. "$CLI/lib"
need_cuda
cat >check.py <<'END'
import json, sys
row = json.load(open("json"))
for r in row["results"]:
    assert r["state"] in ("timed", "unsupported"), r
    if r["state"] == "timed":
        assert r["verified"] and r["median_ms"] > 0 and r["bytes"] > 0, r
        assert r["share_of_copy"] and r["end_to_end_ms"], r
timed = {r["kernel"] for r in row["results"] if r["state"] == "timed"}
for kernel in ("basic", "constant", "readonly", "cached", "tiled"):
    assert kernel in timed, kernel
(device,) = [d for d in row["devices"] if d["device"] == "cuda:0"]
assert device["ceilings"][0]["gflop_s"] > 0 and device["copies"]
if row["sweep"] == "none" and row["mask"]["width"] == 5:
    (tiled,) = [r for r in row["results"] if r["kernel"] == "tiled"]
    width = tiled["tile"] + 4
    assert abs(tiled["predicted_load_reduction"] - 25 * tiled["tile"] ** 2 / width ** 2) < 0.001
    assert tiled["speedup_over"] == "basic"
END
for words in '--size 301x203' '--size 33x1 --cold' '--size 640x480 --mask box7 --border wrap' \
    '--size 120x77 --channels 4 --alpha weighted --sigma 1' \
    '--size 91x40 --channels 2 --depth 16 --radius 2 --border mirror' \
    "$TESTDATA/deep_alpha.pam --cold"; do
    # shellcheck disable=SC2086
    stencilcli bench --device cuda --runs 3 --json $words --plot roof.svg >json
    python3 check.py
    python3 -c 'import xml.etree.ElementTree as tree; tree.parse("roof.svg")'
done
