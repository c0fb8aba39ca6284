"""Filters NumPy arrays and Pillow images.

    python3 arrays.py
"""
import numpy
import stencil

picture = numpy.zeros((480, 640, 3), numpy.uint8)
picture[200:280, 280:360] = (255, 128, 0)

soft = stencil.gauss(picture, sigma=2, border="mirror")
edges = stencil.filter(picture, "gauss --sigma 1", "sobel")  # one step after the other
mean = stencil.convolve(picture, [[1, 1, 1]] * 3, normalize=True)
print("middle of an edge:", soft[240, 280].tolist(), edges[240, 280].tolist(),
      mean[240, 280].tolist())

# A part of the picture, in place: rows may lie any distance apart.
face = picture[180:300, 260:380]
stencil.box(face, radius=60, out=face)
print("hidden:", picture[240, 320].tolist())

try:
    from PIL import Image
except ImportError:
    print("Pillow: not installed")
else:
    image = stencil.median(Image.fromarray(picture), radius=2)
    print("Pillow:", image.mode, image.size)
