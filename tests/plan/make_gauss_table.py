#!/usr/bin/env python3
"""Writes gauss_table.h: the 1D weights that docs/promise.md defines, in decimals of 60 digits,
independently of the program's doubles. If a weight depended on the last digits of exp(), the
table would prove nothing: the script then stops and prints nothing. Run by hand:
tests/plan/make_gauss_table.py | clang-format > tests/plan/gauss_table.h"""
from decimal import Decimal, getcontext
from math import ceil

getcontext().prec = 60
MARGIN = Decimal("1e-9")


def weights(sigma, radius, units):
    s = Decimal(sigma)
    g = [(-(Decimal(i) ** 2) / (2 * s * s)).exp() for i in range(radius + 1)]
    total = g[0] + 2 * sum(g[1:])
    exact = [units * x / total for x in g]
    for x in exact:
        if min(x % 1, 1 - x % 1) < MARGIN and x > MARGIN and radius > 0:
            raise SystemExit(f"sigma {sigma}: {x} is too near to an integer")
    half = [int(x) for x in exact]
    rest = [x % 1 for x in exact]
    missing = units - half[0] - 2 * sum(half[1:])
    half[0] += missing % 2
    order = sorted(range(1, radius + 1), key=lambda i: (-rest[i], i))
    pairs = missing // 2
    if 0 < pairs < radius and rest[order[pairs - 1]] - rest[order[pairs]] < MARGIN:
        raise SystemExit(f"sigma {sigma}: two rests are too near to each other")
    for i in order[:pairs]:
        half[i] += 1
    row = half[:0:-1] + half
    assert sum(row) == units and row == row[::-1]
    return row


def checksum(row):
    value = 0xCBF29CE484222325
    for w in row:
        value = ((value ^ w) * 0x100000001B3) % 2**64
    return value


print("""/* Written by make_gauss_table.py: the weights of the contract for a Gaussian, from
 * decimals of 60 digits. Checksums are FNV-1a, one step for each weight. */
#include <stdint.h>

#include "plan/mask.h"

static const struct {
    double sigma;
    int radius;
    enum mask_units units;
    uint64_t checksum;
} gauss_checksums[] = {""")
cases = [(k / 2, -1) for k in range(1, 41)]
cases += [(0.2, -1), (0.3, -1), (0.85, -1), (1.4, -1), (42.25, -1)]
cases += [(1.0, 1), (1.0, 127), (5.0, 4), (100.0, 127)]
cases += [(43.0, -1), (100.0, -1), (333.3, -1), (1000.0, -1), (20.0, 500)]
for sigma, radius in cases:
    r = ceil(3 * sigma) if radius < 0 else radius
    for units in (2048, 65536) if r <= 127 else (65536,):
        row = weights(sigma, r, units)
        print(f"    {{{sigma}, {r}, MASK_UNITS_{units}, 0x{checksum(row):016x}}},")
print("""};

static const struct {
    double sigma;
    int radius;
    enum mask_units units;
    int weight[17];
} gauss_rows[] = {""")
for sigma in (0.5, 1.0, 1.5, 2.0, 2.5):
    r = ceil(3 * sigma)
    for units in (2048, 65536):
        row = ", ".join(map(str, weights(sigma, r, units)))
        print(f"    {{{sigma}, {r}, MASK_UNITS_{units}, {{{row}}}}},")
print("};")
