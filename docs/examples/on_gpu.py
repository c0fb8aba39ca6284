"""Filters CuPy arrays on their GPU. Pixels are copied to the GPU once, and back once.

    python3 on_gpu.py
"""
import sys

import numpy
import stencil

try:
    import cupy
    if not cupy.is_available():
        sys.exit("skipped: there is no CUDA device")
except ImportError:
    sys.exit("skipped: CuPy is not installed")

host = numpy.zeros((480, 640, 3), numpy.uint8)
host[200:280, 280:360] = (255, 128, 0)

picture = cupy.asarray(host)
soft = stencil.gauss(picture, sigma=2, border="mirror")  # a CuPy array, filtered on CuPy's stream
edges = stencil.filter(soft, "median --radius 1", "sobel")
stencil.dilate(edges, radius=2, out=edges)  # in place
print("middle of an edge:", edges.get()[240, 280].tolist())

# A context chooses the device and the kernel. With it, arrays of the host are filtered there, too.
gpu = stencil.Context(device="cuda")
same = gpu.filter(host, "gauss --sigma 2 --border mirror")
print("equal bytes:", bool((same == soft.get()).all()))
