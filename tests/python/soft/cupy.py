"""Stands in for CuPy in tests: arrays on the software GPU, with the few functions that are used.

STENCIL_LIBRARY names libstencil on the software GPU, which also shows CUDA's functions.
"""
import contextlib
import ctypes
import os

import numpy

cuda = ctypes.CDLL(os.environ["STENCIL_LIBRARY"])
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


class ndarray:  # CuPy's name
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


empty = ndarray


def asarray(host):
    made = ndarray(host.shape, host.dtype)
    copy(made.address, host.ctypes.data, host.nbytes, UP)
    return made


def is_available():
    return True
