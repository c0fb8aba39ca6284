#!/usr/bin/env python3
"""Tests the Python package beside the program: bytes, arrays, errors, doctests.

    tests/python/test_stencil.py PROGRAM LIBRARY [CASES [SEED]]

Prints TAP. It skips itself without NumPy.
"""
import doctest
import enum
import fractions
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import threading

PACKAGE = str(pathlib.Path(__file__).resolve().parent.parent.parent / "src/library/python")
PROGRAM, LIBRARY = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:3])
CASES = int(sys.argv[3]) if len(sys.argv) > 3 else 100
SEED = int(sys.argv[4]) if len(sys.argv) > 4 else 1
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

BORDERS = ["replicate", "mirror", "reflect", "wrap", "zero", "constant:7"]


def random_steps(rng):
    """A filter's name and options, small enough for the smallest pictures."""
    name, options = rng.choice([
        ("blur", {}), ("gauss", {"sigma": rng.choice([0.5, 1, 2.3, 6])}),
        ("box", {"radius": rng.randrange(1, 9)}), ("sobel", {}), ("sharpen", {}),
        ("unsharp", {"sigma": 1.5, "amount": 0.8}), ("emboss", {}),
        ("median", {"radius": rng.randrange(1, 5)}),
        ("erode", {"radius": rng.randrange(1, 20)}), ("close", {"shape": "disc", "radius": 3}),
        ("bilateral", {"sigma": 1}), ("convolve", {"mask": "1 2 3; 4 -5 6", "divisor": 7}),
    ])
    return name, {**options, "border": rng.choice(BORDERS)}


def random_view(rng, generator):
    """An array with gaps between its rows, and its pixels as a file has them."""
    channels = rng.choice([1, 2, 3, 4])
    height, width = rng.randrange(1, 40), rng.randrange(1, 70)
    kind = rng.choice([numpy.uint8, numpy.uint16])
    whole = generator.integers(0, numpy.iinfo(kind).max, (height + 3, width + 5, channels),
                               kind, endpoint=True)
    top, left = rng.randrange(3), rng.randrange(5)
    view = whole[top:top + height, left:left + width]
    return view


def to_pam(path, picture):
    height, width, channels = picture.shape
    most = numpy.iinfo(picture.dtype).max
    kind = ["GRAYSCALE", "GRAYSCALE_ALPHA", "RGB", "RGB_ALPHA"][channels - 1]
    with open(path, "wb") as file:
        file.write(b"P7\nWIDTH %d\nHEIGHT %d\nDEPTH %d\nMAXVAL %d\nTUPLTYPE %s\nENDHDR\n" % (
            width, height, channels, most, kind.encode()))
        file.write(picture.astype(picture.dtype.newbyteorder(">")).tobytes())


def test_bytes_of_the_program():
    rng, generator = random.Random(SEED), numpy.random.default_rng(SEED)
    contexts = [stencil, stencil.Context(threads=1), stencil.Context(threads=3),
                stencil.Context(kernel="scalar")]
    for case in range(CASES):
        picture, (name, options) = random_view(rng, generator), random_steps(rng)
        to_pam("in.pam", picture)
        words = [word for key, value in options.items() for word in (f"--{key}", str(value))]
        subprocess.run([PROGRAM, name, "in.pam", "out.pam", "-q", *words], check=True)
        with open("out.pam", "rb") as file:
            want = file.read().split(b"ENDHDR\n", 1)[1]
        got = rng.choice(contexts).filter(picture, name, **options)
        got = got.astype(got.dtype.newbyteorder(">")).tobytes()
        check(got == want, f"case {case}: {name} {options} of {picture.shape} {picture.dtype}")


def test_in_place_and_gaps():
    whole = numpy.random.default_rng(3).integers(0, 255, (50, 60, 3), numpy.uint8)
    for steps in (["gauss --sigma 2"], ["gauss --sigma 2", "sharpen", "median"]):
        target = whole.copy()
        view = target[5:40, 7:50]
        want = stencil.filter(view, *steps)
        check(stencil.filter(view, *steps, out=view) is view, "out is returned")
        check((view == want).all(), "in place")
        view[...] = whole[5:40, 7:50]
        check((target == whole).all(), "bytes between rows are not written")
    target = whole.copy()
    raises(ValueError, "overlaps", stencil.gauss, target[:40], out=target[5:45])
    raises(ValueError, "shape", stencil.gauss, target[:40], out=target[:39].copy())


def test_chain_and_weights():
    picture = numpy.random.default_rng(4).integers(0, 255, (30, 31, 3), numpy.uint8)
    one = stencil.filter(stencil.filter(picture, "gauss", sigma=2), "sharpen")
    check((stencil.filter(picture, "gauss --sigma 2", "sharpen") == one).all(), "chain")
    mask = [[0.1, 0.2, 0.1], [0.3, -0.5, 1 / 3]]
    text = "; ".join(" ".join(repr(w) for w in row) for row in mask)
    check((stencil.convolve(picture, mask, border="wrap") ==
           stencil.convolve(picture, text, border="wrap")).all(), "weights")
    check((stencil.convolve(picture, numpy.array([[1]])) == picture).all(), "one cell")


class Two(enum.IntEnum):
    TWO = 2


def test_options():
    picture = numpy.random.default_rng(7).integers(0, 255, (30, 31), numpy.uint8)
    want = stencil.gauss(picture, sigma=2)
    for two in (2.0, numpy.float64(2), numpy.float32(2), numpy.int64(2), numpy.array(2), Two.TWO,
                fractions.Fraction(2), "2"):
        check((stencil.gauss(picture, sigma=two) == want).all(), f"sigma={two!r}")
    check((stencil.unsharp(picture, amount=numpy.float64(0.5)) ==
           stencil.unsharp(picture, amount="0.5")).all(), "amount")
    check((stencil.bilateral(picture, range=numpy.float64(12.5)) ==
           stencil.filter(picture, "bilateral --range 12.5")).all(), "range")
    for on in (True, numpy.True_):
        check((stencil.convolve(picture, [[1, 0, 0]], flip=on) ==
               stencil.convolve(picture, [[0, 0, 1]])).all(), f"flip={on!r}")
    check((stencil.convolve(picture, [[1, 0, 0]], flip=numpy.False_) ==
           stencil.convolve(picture, [[1, 0, 0]])).all(), "flip")
    pathlib.Path("mask.txt").write_text("1 2 1\n", encoding="ascii")
    check((stencil.convolve(picture, pathlib.Path("mask.txt")) ==
           stencil.convolve(picture, [[1, 2, 1]])).all(), "a mask's file")
    check((stencil.gauss(picture, maximum=numpy.uint8(255)) == stencil.gauss(picture)).all(),
          "maximum")


def test_functions_are_filters():
    """A function has the defaults of the command line, also for options that exclude them."""
    picture = numpy.random.default_rng(8).integers(0, 255, (30, 31), numpy.uint8)
    for name in ("gauss", "box", "unsharp", "sobel", "median", "erode", "dilate", "bilateral"):
        for options in ({}, {"radius": 3}, {"mask": "1 1 1"}, {"mask": "gauss5"}):
            if not options or (name not in ("sobel", "bilateral")):
                check((getattr(stencil, name)(picture, **options) ==
                       stencil.filter(picture, name, **options)).all(), f"{name} {options}")


def test_bad_arguments():
    gray = numpy.zeros((4, 5), numpy.uint8)
    raises(TypeError, "expected uint8 or uint16", stencil.gauss, gray.astype(float))
    raises(TypeError, "byte order", stencil.gauss, gray.astype(">u2"))
    raises(TypeError, "1 to 4 channels", stencil.gauss, numpy.zeros((4, 5, 6), numpy.uint8))
    raises(TypeError, "no pixels", stencil.gauss, numpy.zeros((0, 5), numpy.uint8))
    raises(TypeError, "side by side", stencil.gauss, gray[:, ::2])
    raises(TypeError, "backwards", stencil.gauss, gray[::-1])
    raises(TypeError, "got str", stencil.gauss, "text")
    raises(ValueError, "sigma", stencil.gauss, gray, sigma=0)
    raises(ValueError, "did you mean", stencil.filter, gray, "gaus")
    raises(ValueError, "mask", stencil.convolve, gray, [[1, 2], [3]])
    raises(ValueError, "no mask", stencil.convolve, gray, numpy.ones((3, 300)))
    raises(ValueError, "not finite", stencil.convolve, gray, [[float("nan")]])
    raises(ValueError, "picture: the sample in row 0, column 0 is 9, but the maximum is 3",
           stencil.filter, gray + 9, "gauss", maximum=3)
    for maximum in (-1, 256, 2.5):
        raises(ValueError, f"maximum: expected a whole number from 0 to 255, got {maximum}",
               stencil.gauss, gray, maximum=maximum)
    for mask in ([1, 2, 1], numpy.ones((3, 3, 3)), 5, [["a"]]):
        raises(ValueError, "mask: expected rows of numbers", stencil.convolve, gray, mask)
    raises(ValueError, "the weights are the mask", stencil.convolve, gray, [[1]], sigma=2)
    raises(ValueError, "steps: expected texts", stencil.filter, gray, ["gauss", "sobel"])
    raises(ValueError, "stencil.Context(threads=1)", stencil.filter, gray, "gauss", threads=1)
    raises(ValueError, "where: expected a number or text, got ndarray", stencil.filter, gray,
           "gauss", where=gray)
    raises(ValueError, "device", stencil.Context, device="tpu")
    raises(ValueError, "no kernel", stencil.Context, kernel="quick")
    raises(OSError, "cannot open", stencil.read, "missing.png")
    raises(OSError, "missing/a.png", stencil.write, "missing/a.png", gray)
    raises(ValueError, "shape", stencil.compare, gray, gray[:3])
    gray.flags.writeable = False
    raises(TypeError, "cannot be written", stencil.gauss, gray, out=gray)


def test_pillow():
    try:
        from PIL import Image
    except ImportError:
        return
    array = numpy.random.default_rng(5).integers(0, 255, (9, 8, 3), numpy.uint8)
    result = stencil.gauss(Image.fromarray(array), sigma=1)
    check(isinstance(result, Image.Image) and result.mode == "RGB", "mode")
    check((numpy.asarray(result) == stencil.gauss(array, sigma=1)).all(), "pixels")
    for mode in ("P", "CMYK", "HSV"):  # palette indices and inks are no gray and no alpha
        raises(TypeError, f"got {mode}", stencil.gauss, Image.new(mode, (4, 4)))
    raises(TypeError, "in place", stencil.gauss, array, out=Image.fromarray(array))


def test_threads():
    picture = numpy.random.default_rng(6).integers(0, 255, (90, 91, 3), numpy.uint8)
    want = stencil.gauss(picture, sigma=3)
    wrong = []

    def work():
        for _ in range(20):
            if (stencil.gauss(picture, sigma=3) != want).any():
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    check(not wrong, "threads")


def test_many_filters():
    picture = numpy.random.default_rng(7).integers(0, 255, (9, 9), numpy.uint8)
    first = stencil.gauss(picture, sigma=1)
    for i in range(200):
        stencil.gauss(picture, sigma=1 + i / 100)
    check((stencil.gauss(picture, sigma=1) == first).all(), "a filter that was freed")


def test_import_is_light():
    code = "import sys, stencil; print('numpy' in sys.modules, 'PIL' in sys.modules)"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": PACKAGE}, check=True)
    check(said.stdout == "False False\n", said.stdout)


def test_module_is_the_program():
    env = {**os.environ, "PYTHONPATH": PACKAGE,
           "PATH": f"{pathlib.Path(PROGRAM).parent}:{os.environ['PATH']}"}
    said = subprocess.run([sys.executable, "-m", "stencil", "--version"], capture_output=True,
                          text=True, env=env, check=True)
    check(stencil.version() in said.stdout, said.stdout)


def test_doctests():
    finder = doctest.DocTestFinder(exclude_empty=True)
    runner = doctest.DocTestRunner(verbose=False)
    names = {**vars(stencil), "numpy": numpy, "stencil": stencil}
    said = []
    for example in finder.find(stencil, globs=names):
        runner.run(example, out=said.append)
    check(runner.tries > 25 and runner.failures == 0, "".join(said).replace("\n", "\n# "))


TESTS = [value for name, value in list(globals().items()) if name.startswith("test_")]
print(f"1..{len(TESTS)}")
status = 0
for number, test in enumerate(TESTS, 1):
    failures.clear()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        test()
        os.chdir("/")
    for failure in failures:
        print("# " + failure)
    print(f"{'not ok' if failures else 'ok'} {number} - {test.__name__[5:]}")
    status = status or bool(failures)
sys.exit(status)
