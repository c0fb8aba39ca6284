# JSON and CSV have the same numbers, the fractions are exact and reduced, and the grid's numbers
# equal those of a walk over every tile.
. "$CLI/lib"
stencilcli reuse --mask-width 1,2,5 --tile 1,3,8 --size 13 --json >lines
stencilcli reuse --mask-width 1,2,5 --tile 1,3,8 --size 13 --csv >csv
stencilcli reuse --mask-width 4x3 --tile 5 --size 9x12 --anchor 3,0 --json >>lines
stencilcli reuse --mask-width 4x3 --tile 5 --size 9x12 --anchor 3,0 --csv | tail -n +2 >>csv
stencilcli reuse --json >>lines
stencilcli reuse --csv | tail -n +2 >>csv
python3 - <<'END'
import csv, json, math

KEYS = ("outputs", "input_cells", "halo_cells", "ghost_cells", "multiplications", "basic_loads",
        "tiled_loads", "cached_loads", "cached_left_to_l2")


def walk(shape, grid):
    """The loads of every tile of the grid, counted cell by cell."""
    sums = {part: dict.fromkeys(("blocks",) + KEYS, 0) for part in ("internal", "boundary", "all")}
    width, height, tile = grid["width"], grid["height"], shape["tile"]
    for top in range(0, height, tile if shape["dims"] == 2 else 1):
        for left in range(0, width, tile):
            own = {(x, y) for x in range(left, min(left + tile, width))
                   for y in range(top, min(top + (tile if shape["dims"] == 2 else 1), height))}
            uses = [(x - shape["anchor_x"] + j, y - shape["anchor_y"] + i) for x, y in own
                    for j in range(shape["mask_width"]) for i in range(shape["mask_height"])]
            loads = [(x, y) for x, y in uses if 0 <= x < width and 0 <= y < height]
            cells, loaded = set(uses), set(loads)
            counts = (len(own), len(cells), len(cells - own), len(cells - loaded), len(uses),
                      len(loads), len(loaded), len(own), sum(cell not in own for cell in loads))
            whole = len(own) == tile ** shape["dims"] and cells == loaded
            for part in ("internal" if whole else "boundary", "all"):
                sums[part]["blocks"] += 1
                for key, count in zip(KEYS, counts):
                    sums[part][key] += grid["channels"] * count
    return sums


def check_ratio(counts):
    ratio, n, d = counts["reduction"], counts["basic_loads"], counts["tiled_loads"]
    if d == 0:
        assert ratio is None
        return
    assert ratio["numerator"] * d == ratio["denominator"] * n
    assert math.gcd(ratio["numerator"], ratio["denominator"]) == 1
    assert round(ratio["decimal"] * 10**6) == (2 * n * 10**6 + d) // (2 * d)


shapes = [json.loads(line) for line in open("lines")]
rows, expected, walked = list(csv.DictReader(open("csv"))), [], 0
for shape in shapes:
    kinds = [(tile["place"], 1, tile) for tile in shape["tiles"]]
    assert sum(shape["uses_x"]) * sum(shape.get("uses_y", [1])) == kinds[0][2]["basic_loads"]
    if "grid" in shape:
        parts = walk(shape, shape["grid"])
        for part in ("internal", "boundary", "all"):
            found = shape["grid"][part]
            assert {key: found[key] for key in parts[part]} == parts[part], (shape, part)
            kinds.append(("grid" if part == "all" else "grid " + part, found["blocks"], found))
        walked += 1
    for kind, tiles, counts in kinds:
        check_ratio(counts)
        assert counts["multiplications_without_ghosts"] == counts["basic_loads"]
        ratio = counts["reduction"] or {"numerator": "", "denominator": ""}
        expected.append([str(value) for value in (
            shape["dims"], shape["mask_width"], shape["mask_height"], shape["anchor_x"],
            shape["anchor_y"], shape["tile"], kind, tiles, *(counts[key] for key in KEYS),
            ratio["numerator"], ratio["denominator"])])
columns = list(rows[0])[:19]
assert [[row[column] for column in columns] for row in rows] == expected
notes = [shape["note"]["text"] for shape in shapes if "note" in shape]
assert notes == [row["note"] for row in rows if row["note"]]
print(len(shapes), "shapes,", walked, "grids,", len(rows), "rows,", len(notes), "notes")
END
