#!/usr/bin/env python3
"""Tests the Python package with arrays on a CUDA device. The device is the software GPU, and the
arrays are those of a small module that calls itself cupy.

    tests/python/test_device.py LIBRARY

LIBRARY is libstencil on the software GPU, which also shows CUDA's functions. Prints TAP.
"""
import contextlib
import ctypes
import os
import pathlib
import sys
import types

PACKAGE = str(pathlib.Path(__file__).resolve().parent.parent.parent / "src/library/python")
LIBRARY = str(pathlib.Path(sys.argv[1]).resolve())
os.environ["STENCIL_LIBRARY"] = LIBRARY
sys.path.insert(0, PACKAGE)
sys.dont_write_bytecode = True
try:
    import numpy
except ImportError:
    if sys.executable != "/usr/bin/python3" and os.path.exists("/usr/bin/python3"):
        os.execv("/usr/bin/python3", ["/usr/bin/python3", *sys.argv])  # it has Debian's packages
    print("1..0 # SKIP NumPy is not installed")
    sys.exit(0)
import stencil  # noqa: E402  (after its path is set)
from checks import check, failures, raises  # noqa: E402

cuda = ctypes.CDLL(LIBRARY)
UP, DOWN = 0, 1  # cudaMemcpyKind of the software GPU
copies = 0


def must(error):
    assert error == 0, f"CUDA error {error}"


def copy(to, start, nbytes, kind):
    global copies
    copies += 1
    stream = ctypes.c_void_p()
    must(cuda.cudaStreamCreateWithFlags(ctypes.byref(stream), 1))
    must(cuda.cudaMemcpyAsync(ctypes.c_void_p(to), ctypes.c_void_p(start), ctypes.c_size_t(nbytes),
                              kind, stream))
    must(cuda.cudaStreamSynchronize(stream))
    must(cuda.cudaStreamDestroy(stream))


class Array:
    """An array on the device, as CuPy's."""

    def __init__(self, shape, dtype, memory=None, address=None, strides=None):
        self.shape, self.dtype = shape, numpy.dtype(dtype)
        self.memory = memory
        if memory is None:
            pointer = ctypes.c_void_p()
            must(cuda.cudaMalloc(ctypes.byref(pointer), ctypes.c_size_t(self.nbytes)))
            self.memory = pointer.value
        self.address = address or self.memory
        self.strides = strides
        self.device = contextlib.nullcontext()
        self.device.id = 0

    @property
    def nbytes(self):
        return int(numpy.prod(self.shape)) * self.dtype.itemsize

    @property
    def __cuda_array_interface__(self):
        return {"shape": self.shape, "typestr": self.dtype.str, "strides": self.strides,
                "data": (self.address, False), "version": 3, "stream": None}

    def get(self):
        host = numpy.empty(self.shape, self.dtype)
        copy(host.ctypes.data, self.address, self.nbytes, DOWN)
        return host


def array(host):
    made = Array(host.shape, host.dtype)
    copy(made.address, host.ctypes.data, host.nbytes, UP)
    return made


Array.__module__ = "cupy._core.core"
sys.modules["cupy"] = types.SimpleNamespace(empty=Array)


class Stranger(Array):
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
                device = array(host)
                before = copies
                made = stencil.filter(device, name, **options)
                check(copies == before and isinstance(made, Array), "a copy to the host")
                check((made.get() == stencil.filter(host, name, **options)).all(),
                      f"{name} {options} {shape} {dtype}")


def test_functions():
    host = picture(12, 32, 3)
    device = array(host)
    check((stencil.gauss(device, sigma=1).get() == stencil.gauss(host, sigma=1)).all(), "gauss")
    check((stencil.convolve(device, [[1, 2, 1]], divisor=4).get()
           == stencil.convolve(host, [[1, 2, 1]], divisor=4)).all(), "convolve")
    check((stencil.filter(device, "blur", "median --radius 1").get()
           == stencil.filter(host, "blur", "median --radius 1")).all(), "two steps")
    stencil.erode(device, 2, out=device)
    check((device.get() == stencil.erode(host, 2)).all(), "in place")


def test_views():
    host = picture(12, 32, 3)
    device = array(host)
    part = Array((12, 16, 3), "u1", device.memory, device.memory + 24, (96, 3, 1))
    check((stencil.gauss(part, sigma=1).get() == stencil.gauss(host[:, 8:24], sigma=1)).all(),
          "a view of columns")
    part.strides = (96, 6, 1)
    raises(stencil.ArrayError, "do not lie side by side", stencil.gauss, part)


def test_contexts():
    host = picture(6, 16)
    device = array(host)
    context = stencil.Context(device="cuda")
    check((context.filter(host, "blur") == stencil.filter(host, "blur")).all(), "host through cuda")
    check((context.filter(device, "blur").get() == stencil.filter(host, "blur")).all(), "device")
    raises(stencil.ArgumentError, "the context's device is cpu", stencil.Context().filter, device,
           "blur")


def test_bad_arguments():
    host = picture(6, 16)
    device = array(host)
    raises(stencil.ArgumentError, "out: it lies on the host, but in on the device", stencil.filter,
           device, "blur", out=numpy.empty_like(host))
    wrong = Array((6, 16), "u1", device.memory, host.ctypes.data)
    raises(stencil.ArgumentError, "does not point into the memory of cuda:0", stencil.filter, wrong,
           "blur")
    stranger = Stranger((6, 16), "u1", device.memory)
    raises(stencil.ArrayError, "is not known here", stencil.filter, stranger, "blur")
    raises(stencil.ArrayError, "expected uint8 or uint16", stencil.filter,
           Array((6, 16), "f4"), "blur")
    raises(stencil.ArgumentError, "expected a picture in host memory", stencil.write, "x.png",
           device)


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
