#!/usr/bin/env python3
"""Tests the Python package with arrays on a CUDA device. The device is the software GPU, and the
arrays are those of soft/cupy.py, a small module in place of CuPy.

    tests/python/test_device.py LIBRARY

LIBRARY is libstencil on the software GPU, which also shows CUDA's functions. Prints TAP.
"""
import contextlib
import io
import os
import pathlib
import runpy
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
os.environ["STENCIL_LIBRARY"] = str(pathlib.Path(sys.argv[1]).resolve())
sys.path[:0] = [str(ROOT / "src/library/python"), str(ROOT / "tests/python/soft")]
sys.dont_write_bytecode = True
try:
    import numpy
except ImportError:
    if sys.executable != "/usr/bin/python3" and os.path.exists("/usr/bin/python3"):
        os.execv("/usr/bin/python3", ["/usr/bin/python3", *sys.argv])  # it has Debian's packages
    print("1..0 # SKIP NumPy is not installed")
    sys.exit(0)
import cupy  # noqa: E402  (after the path is set)
import stencil  # noqa: E402
from checks import check, failures, raises  # noqa: E402


class Stranger(cupy.ndarray):
    """An array of a library that the package does not know."""


GENERATOR = numpy.random.default_rng(3)


def picture(*shape, dtype="u1"):
    return GENERATOR.integers(0, numpy.iinfo(dtype).max, shape, dtype, True)


def test_bytes():
    for shape in ((9, 16), (33, 64, 3), (20, 17, 4), (1, 1), (5, 30, 2)):
        for dtype in ("u1", "u2"):
            for name, options in (("gauss", {"sigma": 2}), ("median", {"radius": 1}),
                                  ("sobel", {"border": "mirror"}), ("box", {"radius": 3})):
                host = picture(*shape, dtype=dtype)
                device = cupy.asarray(host)
                before = cupy.copies
                made = stencil.filter(device, name, **options)
                check(cupy.copies == before, "a copy to the host")
                check(isinstance(made, cupy.ndarray), "another kind of array")
                check((made.get() == stencil.filter(host, name, **options)).all(),
                      f"{name} {options} {shape} {dtype}")


def test_functions():
    host = picture(12, 32, 3)
    device = cupy.asarray(host)
    check((stencil.gauss(device, sigma=1).get() == stencil.gauss(host, sigma=1)).all(), "gauss")
    check((stencil.convolve(device, [[1, 2, 1]], divisor=4).get()
           == stencil.convolve(host, [[1, 2, 1]], divisor=4)).all(), "convolve")
    check((stencil.filter(device, "blur", "median --radius 1").get()
           == stencil.filter(host, "blur", "median --radius 1")).all(), "two steps")
    stencil.erode(device, 2, out=device)
    check((device.get() == stencil.erode(host, 2)).all(), "in place")


def test_views():
    host = picture(12, 32, 3)
    device = cupy.asarray(host)
    part = cupy.ndarray((12, 16, 3), "u1", device.memory, device.memory + 24, (96, 3, 1))
    check((stencil.gauss(part, sigma=1).get() == stencil.gauss(host[:, 8:24], sigma=1)).all(),
          "a view of columns")
    part.strides = (96, 6, 1)
    raises(stencil.ArrayError, "do not lie side by side", stencil.gauss, part)


def test_contexts():
    host = picture(6, 16)
    device = cupy.asarray(host)
    context = stencil.Context(device="cuda")
    check((context.filter(host, "blur") == stencil.filter(host, "blur")).all(), "host through cuda")
    check((context.filter(device, "blur").get() == stencil.filter(host, "blur")).all(), "device")
    raises(stencil.ArgumentError, "the context's device is cpu", stencil.Context().filter, device,
           "blur")


def test_bad_arguments():
    host = picture(6, 16)
    device = cupy.asarray(host)
    raises(stencil.ArgumentError, "out: it lies on the host, but in on the device", stencil.filter,
           device, "blur", out=numpy.empty_like(host))
    wrong = cupy.ndarray((6, 16), "u1", device.memory, host.ctypes.data)
    raises(stencil.ArgumentError, "does not point into the memory of cuda:0", stencil.filter, wrong,
           "blur")
    stranger = Stranger((6, 16), "u1", device.memory)
    raises(stencil.ArrayError, "is not known here", stencil.filter, stranger, "blur")
    raises(stencil.ArrayError, "expected uint8 or uint16", stencil.filter,
           cupy.ndarray((6, 16), "f4"), "blur")
    raises(stencil.ArgumentError, "expected a picture in host memory", stencil.write, "x.png",
           device)


def test_example():
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        runpy.run_path(str(ROOT / "docs/examples/on_gpu.py"))
    check(said.getvalue().endswith("\nequal bytes: True\n"), said.getvalue())


tests = [test for name, test in list(globals().items()) if name.startswith("test_")]
status = 0
for number, test in enumerate(tests, 1):
    failures.clear()
    test()
    for failure in failures[:5]:
        print("#", failure)
    print(f"{'not ok' if failures else 'ok'} {number} - {test.__name__}")
    status |= bool(failures)
print(f"1..{len(tests)}")
sys.exit(status)
