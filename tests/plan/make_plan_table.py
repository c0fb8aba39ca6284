#!/usr/bin/env python3
"""Writes plan_table.h: masks and the integers that docs/promise.md defines for them, computed
with Python's fractions directly from its sentences, independently of the program. Run by
hand:
tests/plan/make_plan_table.py | clang-format > tests/plan/plan_table.h"""
import random
import textwrap
from fractions import Fraction as F
from math import floor, lcm

LIMIT = 2**62


def fits(w, d, o, top):
    return sum(map(abs, w)) * top + abs(o) + d < LIMIT


def exact(v, offset, top):
    d = lcm(*(x.denominator for x in v), offset.denominator)
    w, o = [int(x * d) for x in v], int(offset * d)
    return (w, d, o, -1) if fits(w, d, o, top) else None


def quantised(v, offset, top):
    for q in range(61, -1, -1):
        scaled = [x * 2**q for x in v]
        w = [floor(x) for x in scaled]
        missing = floor(sum(scaled) + F(1, 2)) - sum(w)
        order = sorted(range(len(v)), key=lambda k: (-(scaled[k] - w[k]), k))
        for k in order[:missing]:
            w[k] += 1
        o = floor(offset * 2**q + F(1, 2))
        if fits(w, 2**q, o, top):
            return w, 2**q, o, q
    return None


def case(rows, top, divisor=None, offset=None, normalize=False, flip=False):
    v = [F(x) for row in rows for x in row]
    if normalize:
        total = sum(v)
        v = [x / total for x in v]
    elif divisor:
        v = [x / F(divisor) for x in v]
    if flip:
        v.reverse()
    off = F(0)
    if offset:
        off = F(offset[:-1]) / 100 * top if offset.endswith("%") else F(offset)
    plan = exact(v, off, top) or quantised(v, off, top)
    text = "; ".join(" ".join(row) for row in rows)
    if normalize:
        text = "normalize; " + text
    if divisor:
        text = f"divisor {divisor}; " + text
    if offset:
        text += f"; offset {offset}"
    w, d, o, q = plan or ([0], 0, 0, 0)
    text = '"\n     "'.join(textwrap.wrap(text, 88, drop_whitespace=False))
    print(f'    {{"{text}",')
    print(f'     {"true" if flip else "false"}, {top}, {d}, {o}, {q},')
    print(textwrap.fill("{" + ", ".join(map(str, w)) + "}},", 96, initial_indent="     ",
                        subsequent_indent="      "))


def spell(r):
    """A number as people and programs write them."""
    kind = r.randrange(5)
    if kind == 0:
        return str(r.randint(-9, 9))
    if kind == 1:
        return f"{r.randint(-20, 20)}/{r.randint(1, 30)}"
    if kind == 2:
        return f"{r.uniform(-2, 2):.3f}"
    if kind == 3:
        return f"{r.uniform(-1, 1):.18e}"
    return f"{r.randint(-10**20, 10**20)}e-{r.randint(15, 25)}"


print("""/* Written by make_plan_table.py: masks in place and the integers of the contract,
 * from exact fractions. d = 0: there are none. */
#include <stdbool.h>
#include <stdint.h>

static const struct {
    const char *mask;
    bool flip;
    uint32_t max;
    int64_t d, o;
    int q;
    int64_t w[12];
} plan_table[] = {""")
# Small and exact
case([["1", "2", "1"], ["2", "4", "2"]], 255, divisor="16")
case([["1/2", "1/3"], ["-1/4", "0"]], 255)
case([["1/2", "1/3"], ["-1/4", "0"]], 255, divisor="-5/7", offset="1/9")
case([["2", "4", "6"]], 65535, divisor="8", offset="50%")
case([["2", "4", "6"]], 255, divisor="8", offset="50%")
case([["2", "4", "6"]], 1, divisor="8", offset="12.5%")
case([["1", "2", "3"]], 255, normalize=True)
case([["-1", "-2", "-5"]], 255, normalize=True)
case([["0", "0"]], 255, offset="1/3")
case([["1e-30", "3e-30"]], 255, divisor="2e-30")
case([["1e64", "3e64"]], 255, divisor="4e64")
case([["0.1", "0.2"], ["0.3", "0.4"]], 255, flip=True)
case([["0.123456789012345", "-0.876543210987655"]], 255)
case([["0.123456789012345", "3/7"]], 255, divisor="0.000001")
# At the bound: 2^62 - 2 fits with d = 1, one more does not
case([["4611686018427387902"]], 1)
case([["4611686018427387903"]], 1)
case([["1e30"]], 255)
# Quantised: ties in row-major order, all rests equal, units missing at both ends of the mask
case([["1/3"] * 3], 255, divisor="1e19")
case([["1/3"] * 4, ["1/3"] * 3 + ["2/3"]], 65535, divisor="10000000000000061")
case([["1/3"] * 4, ["1/3"] * 3 + ["2/3"]], 65535, divisor="10000000000000061", flip=True)
case([["1", "1e-30"]], 255)
case([["1", "-1e-30", "1e-31"]], 255, offset="1e-10")
case([["4e18", "0.5"]], 1)
case([["2e18", "0.5", "-0.5", "0.25", "-0.75"]], 1)
case([["2e18", "0.25", "0.25", "0.1"]], 1, offset="-0.5")
case([["2e18", "-0.3", "-0.3", "-0.3"]], 1)
# Rests that differ only after their first 64 bits: the larger comes first, for any floor
case([["2e18", "0.25", "0.2500000000000000000000000000001"]], 1)
case([["2e18", "0.25", "1.2500000000000000000000000000001"]], 1)
case([["2e18", "-0.75", "0.2500000000000000000000000000001"]], 1)
case([["2e18", "-0.25", "-1.2500000000000000000000000000001"]], 1, divisor="-1")
case([["2e18", "1.2500000000000000000000000000001", "0.25"]], 1, flip=True)
# The rests sum to exactly 1/2, or to slightly less: 64 bits of each are not enough to decide
case([["2e18", "1/12", "1/6"]], 1)
case([["-2e18", "1/12", "1/6"]], 1)
case([["2e18", "1/12", "0.16666666666666666666666666"]], 1)
case([["2e18", "-1/12", "-1/6"]], 1, divisor="-1")
case([["1/1000003", "1/1000033", "1/1000037", "1/1000039", "1/1000081"]], 255)
case([["1.000000000000000021e-02", "9.800000000000000377e-01", "1.000000000000000021e-02"]], 255)
case([["1.000000000000000021e-02", "9.800000000000000377e-01"]], 65535, normalize=True)
r = random.Random(2)
for top in (255, 65535, 1000) * 12:
    width, height = r.randint(1, 4), r.randint(1, 3)
    rows = [[spell(r) for _ in range(width)] for _ in range(height)]
    option = r.randrange(4)
    if option == 0 and sum(F(x) for row in rows for x in row) != 0:
        case(rows, top, normalize=True, flip=r.random() < 0.3)
    elif option == 1:
        case(rows, top, divisor=r.choice(["-3", "7/11", "1e9", "-0.001"]), flip=r.random() < 0.3)
    elif option == 2:
        case(rows, top, offset=r.choice(["50%", "-1/3", "1/1000000007", "33.3%", "128"]))
    else:
        case(rows, top)
print("};")
