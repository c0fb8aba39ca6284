"""Filters all PNG files of a folder on several threads, one picture a thread.

    python3 folder.py IN OUT
"""
import concurrent.futures
import pathlib
import sys
import threading

import stencil

source, target = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
target.mkdir(parents=True, exist_ok=True)
local = threading.local()


def work(path: pathlib.Path) -> str:
    if not hasattr(local, "context"):  # one context a thread
        local.context = stencil.Context(threads=1)
    try:
        local.context.filter_file(path, target / path.name, "unsharp", sigma=1.5, amount=0.8)
    except stencil.Error as error:
        return str(error)
    return f"{path.name}: done"


with concurrent.futures.ThreadPoolExecutor() as pool:
    for line in pool.map(work, sorted(source.glob("*.png"))):
        print(line)
