"""Image filters with one defined result: the library libstencil for Python.

Pictures are arrays of uint8 or uint16: rows x columns (gray) or rows x columns x channels
(1 gray, 2 gray and alpha, 3 RGB, 4 RGBA). The samples of a row must lie side by side; rows may be
any distance apart, so slices of rows and columns need no copy. NumPy arrays, PyTorch tensors on
the CPU and everything else with `__array_interface__` or DLPack are accepted; the result is a
NumPy array. A Pillow image gives a Pillow image. Arrays on a CUDA device (CuPy, PyTorch, and
everything else with `__cuda_array_interface__`) are filtered there and give an array there.

    >>> import numpy, stencil
    >>> picture = numpy.zeros((3, 5), numpy.uint8)
    >>> picture[1, 2] = 160
    >>> stencil.convolve(picture, [[1, 2, 1], [2, 4, 2], [1, 2, 1]], divisor=16)
    array([[ 0, 10, 20, 10,  0],
           [ 0, 20, 40, 20,  0],
           [ 0, 10, 20, 10,  0]], dtype=uint8)

The same input gives the same bytes as the program stencilcli, on every processor and number of
threads. Options are those of the command line, with `_` for `-`:
`stencil.filter(a, "gauss", sigma=2, border="mirror")` is `stencilcli gauss ... --sigma 2 --border
mirror`, and their defaults are the same. Importing this package imports neither NumPy nor Pillow.

Functions may be called from several threads: each thread has a context of its own, and a call
releases Python's lock.
"""
from __future__ import annotations

import ctypes
import numbers
import os
import sys
import threading
from typing import Any, Mapping, NamedTuple, Optional, Sequence, Union

__all__ = [
    "ArgumentError", "ArrayError", "Context", "DeviceError", "Difference", "Error", "FileError",
    "bilateral", "box", "compare", "convolve", "dilate", "erode", "filter", "filter_file", "gauss",
    "median", "plan", "read", "sobel", "unsharp", "version", "write",
]

Option = Union[str, int, float, bool, "os.PathLike[str]", None]


class Error(Exception):
    """The base of all errors of this package; its text is one sentence."""


class FileError(Error, OSError):
    """A file cannot be read or written, or there is no memory."""


class ArgumentError(Error, ValueError):
    """An argument is wrong; the sentence names it."""


class ArrayError(Error, TypeError):
    """An object is no picture: it has another type, dtype, shape or layout."""


class DeviceError(Error, RuntimeError):
    """The device does not exist, or cannot run the filter."""


class Difference(NamedTuple):
    """What `compare` measures, over all channels."""

    samples: int
    differing: int
    max_diff: int
    x: int  # where the largest difference is
    y: int
    channel: int
    psnr: float  # in dB; infinite for equal pictures
    ssim: float


# ---- libstencil (include/stencil.h) ----


class _Options(ctypes.Structure):
    _fields_ = [("threads", ctypes.c_int), ("device", ctypes.c_char_p),
                ("device_index", ctypes.c_int), ("kernel", ctypes.c_char_p)]


class _Image(ctypes.Structure):
    _fields_ = [("width", ctypes.c_int32), ("height", ctypes.c_int32),
                ("channels", ctypes.c_int32), ("sample_bytes", ctypes.c_int32),
                ("pitch", ctypes.c_size_t), ("max", ctypes.c_uint32), ("data", ctypes.c_void_p),
                ("memory", ctypes.c_int32), ("stream", ctypes.c_void_p)]


class _Difference(ctypes.Structure):
    _fields_ = [("samples", ctypes.c_uint64), ("differing", ctypes.c_uint64),
                ("max_diff", ctypes.c_uint32), ("x", ctypes.c_int32), ("y", ctypes.c_int32),
                ("channel", ctypes.c_int32), ("psnr", ctypes.c_double), ("ssim", ctypes.c_double)]


def _load() -> ctypes.CDLL:
    """The library named by STENCIL_LIBRARY, the one in this package, or the system's."""
    own = os.path.join(os.path.dirname(__file__), "lib", "libstencil.so.0")
    library = ctypes.CDLL(os.environ.get("STENCIL_LIBRARY") or
                          (own if os.path.exists(own) else "libstencil.so.0"))
    pointer, text, image = ctypes.c_void_p, ctypes.c_char_p, ctypes.POINTER(_Image)
    for name, result, arguments in (
            ("version", text, []),
            ("open", ctypes.c_int, [pointer, pointer]),
            ("close", None, [pointer]),
            ("message", text, [pointer]),
            ("filter_add", ctypes.c_int, [pointer, pointer, text]),
            ("filter_add_weights", ctypes.c_int,
             [pointer, pointer, ctypes.POINTER(ctypes.c_double), ctypes.c_int, ctypes.c_int, text]),
            ("filter_free", None, [pointer]),
            ("apply", ctypes.c_int, [pointer, pointer, image, image]),
            ("plan", ctypes.c_int,
             [pointer, pointer, image, ctypes.c_int, ctypes.POINTER(text)]),
            ("filter_file", ctypes.c_int, [pointer, pointer, text, text]),
            ("read", ctypes.c_int, [pointer, text, image]),
            ("image_free", None, [image]),
            ("write", ctypes.c_int, [pointer, text, image, ctypes.c_int]),
            ("compare", ctypes.c_int, [pointer, image, image, ctypes.POINTER(_Difference)])):
        function = getattr(library, "stencil_" + name)
        function.restype = result
        function.argtypes = arguments
    return library


_library = _load()
_OK, _FAILED, _ARGUMENT, _DEVICE, _DIFFERENT = range(5)
_ERRORS = {_FAILED: FileError, _ARGUMENT: ArgumentError, _DEVICE: DeviceError}


def version() -> str:
    """The version of the library, as "0.1.0"."""
    return str(_library.stencil_version().decode())


# ---- arrays ----


def _describe(picture: Any, name: str, maximum: int) -> tuple[_Image, Any]:
    """The picture as the library takes it, and an object that keeps its memory alive."""
    keep = picture
    if _is_pillow(picture) and picture.mode not in _PILLOW_MODES:
        raise ArrayError(f"{name}: expected a Pillow image of mode {', '.join(_PILLOW_MODES)}, "
                         f"got {picture.mode}; convert it first")
    on_device = _is_on_device(picture)
    if not on_device and not hasattr(picture, "__array_interface__") and \
       hasattr(picture, "__dlpack__"):
        keep = _numpy().from_dlpack(picture)
    try:
        interface: Mapping[str, Any] = \
            keep.__cuda_array_interface__ if on_device else keep.__array_interface__
    except AttributeError:
        raise ArrayError(f"{name}: expected an array or a Pillow image, "
                         f"got {type(picture).__name__}") from None
    shape, kind, strides = interface["shape"], interface["typestr"], interface.get("strides")
    if kind[1:] == "u2" and kind[0] in ("<" if sys.byteorder == "big" else ">"):
        raise ArrayError(f"{name}: expected samples in the machine's byte order")
    if kind[1:] not in ("u1", "u2"):
        raise ArrayError(f"{name}: expected uint8 or uint16, got {kind}")
    size = int(kind[2:])
    if len(shape) not in (2, 3) or (len(shape) == 3 and not 1 <= shape[2] <= 4):
        raise ArrayError(f"{name}: expected rows x columns or rows x columns x 1 to 4 channels, "
                         f"got the shape {shape}")
    most = 2 ** (8 * size) - 1
    if not isinstance(maximum, numbers.Integral) or not 0 <= maximum <= most:
        raise ArgumentError(f"maximum: expected a whole number from 0 to {most}, got {maximum}")
    height, width = shape[0], shape[1]
    channels = shape[2] if len(shape) == 3 else 1
    if height < 1 or width < 1:
        raise ArrayError(f"{name}: the shape {shape} has no pixels")
    pitch = width * channels * size
    if strides is not None:
        if (width > 1 and strides[1] != channels * size) or \
           (len(shape) == 3 and channels > 1 and strides[2] != size):
            raise ArrayError(f"{name}: the samples of a row do not lie side by side; "
                             f"copy it, as numpy.ascontiguousarray does")
        if height > 1:
            pitch = strides[0]
    if pitch < width * channels * size:
        raise ArrayError(f"{name}: its rows overlap or run backwards in memory; "
                         f"copy it, as numpy.ascontiguousarray does")
    data = interface.get("data")
    if isinstance(data, bytes) and name != "out":
        keep = ctypes.create_string_buffer(data, len(data))
        address = ctypes.addressof(keep)
    elif isinstance(data, tuple):
        address = data[0]
        if name == "out" and data[1]:
            raise ArrayError("out: it cannot be written to")
    else:
        raise ArrayError(f"{name}: its memory cannot be used in place")
    return _Image(width, height, channels, size, pitch, maximum, address, on_device,
                  _stream(picture, interface) if on_device else None), keep


# ---- arrays on a CUDA device ----


def _is_on_device(picture: Any) -> bool:
    return hasattr(picture, "__cuda_array_interface__")


def _library_of(picture: Any) -> str:
    """The package that the array is from."""
    return type(picture).__module__.partition(".")[0]


def _stream(picture: Any, interface: Mapping[str, Any]) -> Optional[int]:
    """The CUDA stream that makes the array; None: the default one, or there is nothing to wait for.
    """
    if _library_of(picture) == "torch":
        import torch
        return int(torch.cuda.current_stream(picture.device).cuda_stream)
    return interface.get("stream")


def _device_index(picture: Any) -> int:
    device = getattr(picture, "device", None)
    return int(getattr(device, "id", None) or getattr(device, "index", None) or 0)


def _empty_on_device(picture: Any) -> Any:
    """A new array of the picture's library, shape and dtype."""
    library, shape = _library_of(picture), picture.__cuda_array_interface__["shape"]
    if library == "torch":
        import torch
        return torch.empty(shape, dtype=picture.dtype, device=picture.device)
    if library == "cupy":
        import cupy
        with picture.device:
            return cupy.empty(shape, picture.dtype)
    raise ArrayError(f"out: expected an array, since {library} is not known here; "
                     f"CuPy and PyTorch are")


def _numpy() -> Any:
    import numpy
    return numpy


_PILLOW_MODES = ("L", "LA", "RGB", "RGBA", "I;16")  # samples that filters may mix


def _is_pillow(picture: Any) -> bool:
    return type(picture).__module__.startswith("PIL.")


def _text(option: str, value: Any) -> str:
    """The value of an option as a word of the command line."""
    if not isinstance(value, (str, os.PathLike, numbers.Number)):
        raise ArgumentError(f"{option}: expected a number or text, got {type(value).__name__}")
    for kind in (float, int):  # subclasses, as numpy.float64, may have another text
        value = kind(value) if isinstance(value, kind) else value
    text = str(value)
    if "'" in text:
        raise ArgumentError(f"{option}: expected a value without quotes, got {text}")
    return text


def _words(name: str, options: Mapping[str, Option]) -> str:
    """A filter and its options as the words of the command line."""
    words = [name]
    for option, value in options.items():
        if option in dict(_Options._fields_):
            raise ArgumentError(f"{option}: give it to a context: "
                                f"stencil.Context({option}={value!r}).filter(...)")
        if getattr(value, "ndim", None) == 0 and not isinstance(value, numbers.Number):
            value = value.item()  # numpy.bool_, an array of one number
        if value is None or value is False:
            continue
        words.append("--" + option.replace("_", "-"))
        if value is not True:
            words.append(f"'{_text(option, value)}'")
    return " ".join(words)


def _with(steps: Sequence[str], options: Mapping[str, Option]) -> Sequence[str]:
    """The steps in words, with the options of the only one."""
    if not steps or not all(isinstance(step, str) for step in steps):
        raise ArgumentError('steps: expected texts, as in filter(picture, "gauss", "sobel")')
    if not options:
        return steps
    if len(steps) > 1:
        raise ArgumentError("options: several steps have their options in their words")
    return (_words(steps[0], options),)


# ---- contexts ----

_MOST_FILTERS = 64  # that a context keeps


class Context:
    """Where and how filters run: threads (0: all), "cpu", "cuda" or "auto", a kernel by its name.

    A context with "cuda" filters arrays on that device where they lie, and copies arrays of the
    host to it and back. No choice changes a byte of any result. A context serves one thread at a
    time. Its methods do what the functions of their names do; `filter` has every filter:

        >>> one_thread = stencil.Context(threads=1)
        >>> one_thread.filter(numpy.full((2, 2), 7, numpy.uint8), "box", radius=1)
        array([[7, 7],
               [7, 7]], dtype=uint8)
    """

    def __init__(self, threads: int = 0, device: str = "cpu", device_index: int = 0,
                 kernel: Optional[str] = None) -> None:
        self._filters: dict[object, ctypes.c_void_p] = {}
        self._pointer = ctypes.c_void_p()
        options = _Options(threads, device.encode(), device_index, kernel and kernel.encode())
        self._check(_library.stencil_open(ctypes.byref(self._pointer), ctypes.byref(options)))

    def __del__(self) -> None:
        if _library is None:  # Python is ending
            return
        for pointer in self._filters.values():
            _library.stencil_filter_free(pointer)
        _library.stencil_close(self._pointer)

    def _check(self, status: int) -> None:
        if status != _OK:
            sentence = _library.stencil_message(self._pointer).decode(errors="replace")
            if sentence.startswith("in: "):  # its name in the library
                sentence = "picture" + sentence[2:]
            raise _ERRORS.get(status, Error)(sentence or "no memory")

    def _filter(self, steps: Sequence[str]) -> ctypes.c_void_p:
        """The library's filter of these words, made when it is first used."""
        key = tuple(steps)
        if key not in self._filters:
            pointer = ctypes.c_void_p()
            try:
                for words in steps:
                    self._check(_library.stencil_filter_add(
                        self._pointer, ctypes.byref(pointer), words.encode()))
            except Error:
                _library.stencil_filter_free(pointer)
                raise
            self._keep(key, pointer)
        return self._filters[key]

    def _keep(self, key: object, pointer: ctypes.c_void_p) -> None:
        if len(self._filters) >= _MOST_FILTERS:
            _library.stencil_filter_free(self._filters.pop(next(iter(self._filters))))
        self._filters[key] = pointer

    def _apply(self, pointer: ctypes.c_void_p, picture: Any, out: Any, maximum: int) -> Any:
        image, keep = _describe(picture, "picture", maximum)
        result = out
        if out is None:
            if _is_pillow(picture):
                return self._apply_pillow(pointer, picture, image)
            if image.memory:
                result = _empty_on_device(picture)
            else:
                shape = keep.__array_interface__["shape"]
                result = _numpy().empty(shape, f"u{image.sample_bytes}")
        target, _ = _describe(result, "out", maximum)
        self._check(_library.stencil_apply(self._pointer, pointer, image, target))
        return result

    def _apply_pillow(self, pointer: ctypes.c_void_p, picture: Any, image: _Image) -> Any:
        memory = bytearray(image.pitch * image.height)
        target = _Image.from_buffer_copy(image)
        target.data = ctypes.addressof((ctypes.c_char * len(memory)).from_buffer(memory))
        self._check(_library.stencil_apply(self._pointer, pointer, image, target))
        from PIL import Image
        return Image.frombytes(picture.mode, picture.size, bytes(memory))

    def filter(self, picture: Any, *steps: str, out: Any = None, maximum: int = 0,
               **options: Option) -> Any:
        """See `stencil.filter`."""
        return self._apply(self._filter(_with(steps, options)), picture, out, maximum)

    def convolve(self, picture: Any, mask: Any, *, out: Any = None, maximum: int = 0,
                 **options: Option) -> Any:
        """See `stencil.convolve`."""
        if isinstance(mask, (str, os.PathLike)):
            return self.filter(picture, "convolve", out=out, maximum=maximum, mask=mask, **options)
        try:
            rows = [[float(weight) for weight in row] for row in mask]
        except (TypeError, ValueError):
            raise ArgumentError("mask: expected rows of numbers, as [[1, 2, 1]]") from None
        if not rows or any(len(row) != len(rows[0]) for row in rows) or not rows[0]:
            raise ArgumentError("mask: expected rows of equal length")
        flat = [weight for row in rows for weight in row]
        words = _words("", options)
        key = (tuple(flat), len(rows[0]), words)
        if key not in self._filters:
            pointer = ctypes.c_void_p()
            self._check(_library.stencil_filter_add_weights(
                self._pointer, ctypes.byref(pointer), (ctypes.c_double * len(flat))(*flat),
                len(rows[0]), len(rows), words.encode()))
            self._keep(key, pointer)
        return self._apply(self._filters[key], picture, out, maximum)

    def plan(self, picture: Any, *steps: str, maximum: int = 0,
             **options: Option) -> dict[str, Any]:
        """See `stencil.plan`."""
        image, _keep = _describe(picture, "picture", maximum)
        text = ctypes.c_char_p()
        self._check(_library.stencil_plan(self._pointer, self._filter(_with(steps, options)), image,
                                          1, ctypes.byref(text)))
        import json
        made: dict[str, Any] = json.loads(text.value or b"")
        return made

    def filter_file(self, source: Union[str, os.PathLike[str]],
                    target: Union[str, os.PathLike[str]], *steps: str, **options: Option) -> None:
        """See `stencil.filter_file`."""
        self._check(_library.stencil_filter_file(
            self._pointer, self._filter(_with(steps, options)), os.fsencode(source),
            os.fsencode(target)))

    def read(self, path: Union[str, os.PathLike[str]]) -> Any:
        """See `stencil.read`."""
        image = _Image()
        self._check(_library.stencil_read(self._pointer, os.fsencode(path), image))
        numpy = _numpy()
        try:
            row = image.width * image.channels * image.sample_bytes
            memory = (ctypes.c_ubyte * (image.pitch * image.height)).from_address(image.data)
            rows = numpy.frombuffer(memory, numpy.uint8).reshape(image.height, image.pitch)
            samples = rows[:, :row].copy().view(f"u{image.sample_bytes}")
            shape = (image.height, image.width, image.channels)
            return samples.reshape(shape if image.channels > 1 else shape[:2])
        finally:
            _library.stencil_image_free(image)

    def write(self, path: Union[str, os.PathLike[str]], picture: Any, *, maximum: int = 0,
              quality: int = 0) -> None:
        """See `stencil.write`."""
        image, _keep = _describe(picture, "picture", maximum)
        self._check(_library.stencil_write(self._pointer, os.fsencode(path), image, quality))

    def compare(self, a: Any, b: Any, *, maximum: int = 0) -> Difference:
        """See `stencil.compare`."""
        first, _keep_a = _describe(a, "a", maximum)
        second, _keep_b = _describe(b, "b", maximum)
        found = _Difference()
        status = _library.stencil_compare(self._pointer, first, second, found)
        if status != _DIFFERENT:
            self._check(status)
        return Difference(found.samples, found.differing, found.max_diff, found.x, found.y,
                          found.channel, found.psnr, found.ssim)


_local = threading.local()


def _own(picture: Any = None) -> Context:
    """The context of this thread; for a picture on a CUDA device that of thread and device."""
    device = _device_index(picture) if _is_on_device(picture) else -1
    contexts: Optional[dict[int, Context]] = getattr(_local, "contexts", None)
    if contexts is None:
        contexts = _local.contexts = {}
    if device not in contexts:
        contexts[device] = Context() if device < 0 else Context(device="cuda", device_index=device)
    return contexts[device]


# ---- functions ----


def filter(picture: Any, *steps: str, out: Any = None, maximum: int = 0, **options: Option) -> Any:
    """Filters a picture: any filter of `stencilcli list filters`, or several one after the other.

    One step is the name of a filter, with its options as keywords or in its words. Several steps
    have their options in their words; each filters the output of the step before it. `out` gets
    the result; it may be `picture` itself. `maximum` is the largest sample; 0 means 255 or 65535.

    Returns `out`, or a new array of the shape and dtype of `picture`.

        >>> noisy = numpy.full((3, 3), 9, numpy.uint8)
        >>> noisy[1, 1] = 255
        >>> filter(noisy, "median", radius=1)
        array([[9, 9, 9],
               [9, 9, 9],
               [9, 9, 9]], dtype=uint8)
        >>> filter(noisy, "median --radius 1", "gauss --sigma 0.8").tolist()[0]
        [9, 9, 9]
        >>> filter(noisy, "gaus", sigma=1)
        Traceback (most recent call last):
        stencil.ArgumentError: unknown filter 'gaus'; did you mean 'gauss'?
    """
    return _own(picture).filter(picture, *steps, out=out, maximum=maximum, **options)


def convolve(picture: Any, mask: Any, *, out: Any = None, maximum: int = 0,
             **options: Option) -> Any:
    """Filters a picture with a mask: rows of numbers, or the name or file of a mask.

    The divisor is 1, unless `divisor` or `normalize=True` is given. The mask is not mirrored, as
    is usual for images; `flip=True` does that.

        >>> convolve(numpy.array([[1, 2, 3]], numpy.uint8), [[1, 0, 0]], border="zero")
        array([[0, 1, 2]], dtype=uint8)
    """
    return _own(picture).convolve(picture, mask, out=out, maximum=maximum, **options)


def gauss(picture: Any, sigma: Option = None, *, out: Any = None, maximum: int = 0,
          **options: Option) -> Any:
    """A Gaussian blur; without `sigma`, sigma is 1, or a third of `radius`.

    `border` is replicate, mirror, reflect, wrap, zero or constant:VALUE.

        >>> gauss(numpy.array([[0, 0, 200, 0, 0]], numpy.uint8), sigma=1, border="zero")
        array([[ 4, 19, 32, 19,  4]], dtype=uint8)
    """
    return _own(picture).filter(picture, "gauss", out=out, maximum=maximum, sigma=sigma, **options)


def box(picture: Any, radius: Option = None, *, out: Any = None, maximum: int = 0,
        **options: Option) -> Any:
    """The mean of a square of 2 radius + 1 pixels a side; without `radius`, radius is 1.

        >>> box(numpy.array([[0, 0, 90, 0, 0]], numpy.uint8), radius=1)
        array([[ 0, 30, 30, 30,  0]], dtype=uint8)
    """
    return _own(picture).filter(picture, "box", out=out, maximum=maximum, radius=radius, **options)


def unsharp(picture: Any, sigma: Option = None, amount: Option = None, *, out: Any = None,
            maximum: int = 0, **options: Option) -> Any:
    """Sharpens: adds `amount` times what a Gaussian blur removes; both numbers are 1 by default.

        >>> unsharp(numpy.array([[10, 10, 90, 90]], numpy.uint8)).tolist()
        [[5, 0, 114, 95]]
    """
    return _own(picture).filter(picture, "unsharp", out=out, maximum=maximum, sigma=sigma,
                         amount=amount, **options)


def sobel(picture: Any, *, out: Any = None, maximum: int = 0,
          **options: Option) -> Any:
    """The strength of edges, by Sobel's masks.

        >>> sobel(numpy.array([[0, 0, 50, 50]], numpy.uint8))
        array([[  0, 200, 200,   0]], dtype=uint8)
    """
    return _own(picture).filter(picture, "sobel", out=out, maximum=maximum, **options)


def median(picture: Any, radius: Option = None, *, out: Any = None, maximum: int = 0,
           **options: Option) -> Any:
    """The middle of the sorted cells of a window; `shape` is square, disc or cross, `radius` 1.

        >>> median(numpy.array([[5, 5, 99, 5, 5]], numpy.uint8))
        array([[5, 5, 5, 5, 5]], dtype=uint8)
    """
    return _own(picture).filter(picture, "median", out=out, maximum=maximum, radius=radius, **options)


def erode(picture: Any, radius: Option = None, *, out: Any = None, maximum: int = 0,
          **options: Option) -> Any:
    """The least cell of a window: dark areas grow. `radius` is 1 by default.

        >>> erode(numpy.array([[5, 5, 1, 5, 5]], numpy.uint8))
        array([[5, 1, 1, 1, 5]], dtype=uint8)
    """
    return _own(picture).filter(picture, "erode", out=out, maximum=maximum, radius=radius, **options)


def dilate(picture: Any, radius: Option = None, *, out: Any = None, maximum: int = 0,
           **options: Option) -> Any:
    """The greatest cell of a window: bright areas grow. `radius` is 1 by default.

        >>> dilate(numpy.array([[5, 5, 9, 5, 5]], numpy.uint8))
        array([[5, 9, 9, 9, 5]], dtype=uint8)
    """
    return _own(picture).filter(picture, "dilate", out=out, maximum=maximum, radius=radius, **options)


def bilateral(picture: Any, sigma: Option = None, *, range: Option = None, out: Any = None,
              maximum: int = 0, **options: Option) -> Any:
    """A blur that keeps edges. `range` is the difference of samples that counts as an edge.

    By default `sigma` is 1 and `range` "10%".

        >>> bilateral(numpy.array([[10, 12, 200, 202]], numpy.uint8)).tolist()
        [[11, 11, 201, 201]]
    """
    return _own(picture).filter(picture, "bilateral", out=out, maximum=maximum, sigma=sigma,
                         range=range, **options)


def plan(picture: Any, *steps: str, maximum: int = 0, **options: Option) -> dict[str, Any]:
    """What `filter` would do: weights as integers, divisor, border, device, kernel, threads.

        >>> made = plan(numpy.zeros((2, 2), numpy.uint8), "blur")
        >>> made["masks"][0]["divisor"], made["border"], made["device"]
        (256, 'replicate', 'cpu')
    """
    return _own().plan(picture, *steps, maximum=maximum, **options)


def filter_file(source: Union[str, os.PathLike[str]], target: Union[str, os.PathLike[str]],
                *steps: str, **options: Option) -> None:
    """Filters a file into a file, as `stencilcli FILTER SOURCE TARGET` does.

    Pages and metadata are kept, and `target` is there only when it is complete.

        >>> write("dot.png", numpy.array([[0, 0, 90, 0, 0]], numpy.uint8))
        >>> filter_file("dot.png", "blurred.png", "box", radius=1)
        >>> read("blurred.png")
        array([[ 0, 30, 30, 30,  0]], dtype=uint8)
    """
    _own().filter_file(source, target, *steps, **options)


def read(path: Union[str, os.PathLike[str]]) -> Any:
    """Reads a picture as an array: rows x columns for gray, else rows x columns x channels.

        >>> read("missing.png")
        Traceback (most recent call last):
        stencil.FileError: missing.png: cannot open: No such file or directory
    """
    return _own().read(path)


def write(path: Union[str, os.PathLike[str]], picture: Any, *, maximum: int = 0,
          quality: int = 0) -> None:
    """Writes a picture; the extension gives the format. `quality` (1 to 100) is for JPEG and WebP.

        >>> write("gray.pgm", numpy.array([[1, 2], [3, 4]], numpy.uint8))
        >>> read("gray.pgm")
        array([[1, 2],
               [3, 4]], dtype=uint8)
    """
    _own().write(path, picture, maximum=maximum, quality=quality)


def compare(a: Any, b: Any, *, maximum: int = 0) -> Difference:
    """Compares two pictures of equal shape.

        >>> one = numpy.array([[1, 2, 3]], numpy.uint8)
        >>> two = numpy.array([[1, 2, 9]], numpy.uint8)
        >>> compare(one, two).max_diff, compare(one, one).differing
        (6, 0)
    """
    return _own().compare(a, b, maximum=maximum)
