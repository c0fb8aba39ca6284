"""`python -m stencil ...` is the program stencilcli."""
import os
import pathlib
import shutil
import sys


def main() -> int:
    own = pathlib.Path(__file__).with_name("bin") / "stencilcli"
    program = str(own) if own.exists() else shutil.which("stencilcli")
    if program is None:
        print("stencil: the program stencilcli is not on the PATH", file=sys.stderr)
        return 1
    os.execv(program, ["stencilcli", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
