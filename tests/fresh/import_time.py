#!/usr/bin/env python3
"""Prints how much longer than its own start Python takes with `import stencil`."""
import statistics
import subprocess
import sys
import time


def seconds(code):
    started = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True)
    return time.perf_counter() - started


pairs = [(seconds("pass"), seconds("import stencil")) for _ in range(31)]
start = statistics.median(bare for bare, _ in pairs)
more = statistics.median(both - bare for bare, both in pairs)
print(f"import stencil: {1000 * more:.1f} ms; Python's own start: {1000 * start:.1f} ms")
