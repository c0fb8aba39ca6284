#!/usr/bin/env python3
"""Executes the cells of a notebook in order, in the working folder; fails if a cell does.

    tests/python/run_notebook.py NOTEBOOK

Uses nbclient and a kernel (ipykernel) if they are installed, else this Python, without Jupyter.
Prints the text that the cells print. A notebook of the tree must not hold outputs.
"""
import contextlib
import io
import json
import pathlib
import sys

path = pathlib.Path(sys.argv[1])
notebook = json.loads(path.read_text(encoding="utf-8"))
cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
if not cells or any(cell["outputs"] or cell["execution_count"] for cell in cells):
    sys.exit(f"{path}: expected code cells without outputs")
try:
    import ipykernel  # noqa: F401
    import nbclient
    import nbformat
except ImportError:
    names = {"__name__": "__main__"}
    for cell in cells:
        with contextlib.redirect_stdout(io.StringIO()) as said:
            exec(compile("".join(cell["source"]), f"{path.name}, cell {cell['id']}", "exec"), names)
        print(said.getvalue(), end="")
else:
    checked = nbformat.reads(path.read_text(encoding="utf-8"), as_version=4)
    nbformat.validate(checked)
    nbclient.NotebookClient(checked, timeout=120).execute()
    for cell in checked.cells:
        print("".join(output.get("text", "") for output in cell.get("outputs", ())), end="")
