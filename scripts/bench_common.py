"""Shared by the bench scripts: processes timed with their peak memory, tables between marker
comments, a description of the machine, pictures made once and kept in $TMPDIR, Intel IPP, and this
program's times in memory."""
import ctypes
import datetime
import glob
import hashlib
import importlib.metadata
import os
import pathlib
import platform
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent


def fail(text):
    sys.exit(f"{os.path.basename(sys.argv[0])}: {text}")


def use_peers():
    """Runs the script again in the environment of scripts/bench_setup, if that is there."""
    peers = ROOT / "build-peers"
    if pathlib.Path(sys.prefix) != peers and (peers / "bin" / "python").exists():
        os.execv(peers / "bin" / "python", [str(peers / "bin" / "python"), *sys.argv])


def lopsided(k):
    """Weights that do not factor: heavier to the right, different rows, no zero."""
    return [[1 + j + (3 * i * i + 2 * i) % 7 for j in range(k)] for i in range(k)]


def find_program(given):
    """The program that the options name, else the one in build/."""
    program = pathlib.Path(given or ROOT / "build" / "stencilcli")
    if not os.access(program, os.X_OK):
        fail(f"{program}: is not there: build it with scripts/build or name it with --program")
    return str(program.resolve())


def timed(argv, env=None):
    """(milliseconds, peak MB) of a process and the processes it waits for. The kernel starts a
    child's peak with the peak of this script at the fork: see peak_text."""
    start = time.perf_counter()
    process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, env=env)
    message = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    elapsed = 1000 * (time.perf_counter() - start)
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stderr.close()
    if process.returncode:
        words = message.decode(errors="replace").strip().splitlines() or ["no message"]
        raise OSError(f"{argv[0]}: exit status {process.returncode}: {words[-1]}")
    return elapsed, usage.ru_maxrss * 1024 / 1e6


def peak_text(peak_mb):
    """A peak not above this script's own peak is unknown."""
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6
    return f"< {own:.0f}" if peak_mb <= own + 1 else f"{peak_mb:.0f}"


def spread(values):
    """The median distance from the median."""
    middle = statistics.median(values)
    return statistics.median(abs(v - middle) for v in values)


def machine():
    """The processor, the cores this process may use, and today's date."""
    model = platform.machine()
    try:
        for line in open("/proc/cpuinfo", encoding="utf-8"):
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    except OSError:
        pass
    return f"{model}, {len(os.sched_getaffinity(0))} cores, {datetime.date.today()}"


def replace_between(path, name, lines):
    """Puts lines between `<!-- NAME: ... -->` and `<!-- /NAME -->` of a Markdown file."""
    text = path.read_text(encoding="utf-8")
    begin, end = text.find(f"<!-- {name}: "), text.find(f"<!-- /{name} -->")
    if begin < 0 or end < begin:
        fail(f"{path}: the markers of the {name} are not there")
    start = text.index("-->", begin) + 4
    path.write_text(text[:start] + "\n".join(lines) + "\n" + text[end:], encoding="utf-8")


def kept_picture(name, make, *sources):
    """The path of a picture, or a folder of pictures, that make(path) writes. It is kept in
    $TMPDIR between runs while the files that it is made from are unchanged."""
    folder = pathlib.Path(tempfile.gettempdir()) / "stencilcli-bench"
    folder.mkdir(exist_ok=True)
    key = hashlib.sha1(b"".join(pathlib.Path(s).read_bytes() for s in sources)).hexdigest()[:8]
    stem, extension = os.path.splitext(name)
    path = folder / f"{stem}-{key}{extension}"
    if not path.exists():
        print(f"making {path}", file=sys.stderr)
        part = folder / f"{stem}-{key}.{os.getpid()}{extension}"
        try:
            make(str(part))
            os.replace(part, path)
        except (OSError, subprocess.CalledProcessError) as problem:
            fail(f"{path}: could not be made: {problem}")
        finally:
            if part.is_dir():
                shutil.rmtree(part)
            part.unlink(missing_ok=True)
    return str(path)


def photo(width, height, name, *options):
    """The picture of scripts/make_photo; beyond 4K of scripts/make_huge, which is faster."""
    scripts = ROOT / "scripts"
    if width * height > 10_000_000:
        tool, sources = "make_huge", [scripts / "make_huge", ROOT / "tests/codec/huge_rows.c"]
    else:
        tool, sources = "make_photo", [scripts / "make_photo", scripts / "pnm_png.py"]
    return kept_picture(name, lambda path: subprocess.run(
        [sys.executable, str(scripts / tool), str(width), str(height), path, *options],
        check=True), *sources)


# ---- beside other libraries ----

class Size(ctypes.Structure):
    _fields_ = [("width", ctypes.c_int), ("height", ctypes.c_int)]


def find_ipp():
    """The folder of IPP's libraries, from the Python package ipp. IPP looks in LD_LIBRARY_PATH for
    its variant for the processor, under a name with the whole version, which the package lacks: a
    folder of links has it, and this script starts again with it."""
    folder = pathlib.Path(tempfile.gettempdir()) / "stencilcli-bench" / "ipp"
    if str(folder) in os.environ.get("LD_LIBRARY_PATH", "").split(":"):
        return folder
    found = glob.glob(f"{sys.prefix}/lib/libipp*.so.*")
    if not found:
        return None
    folder.mkdir(parents=True, exist_ok=True)
    version = importlib.metadata.version("ipp").split(".")
    for path in found:
        for name in (os.path.basename(path), f"{os.path.basename(path)}.{version[1]}"):
            (folder / name).unlink(missing_ok=True)
            (folder / name).symlink_to(path)
    paths = [str(folder), *filter(None, [os.environ.get("LD_LIBRARY_PATH")])]
    os.execve(sys.executable, [sys.executable, *sys.argv],
              {**os.environ, "LD_LIBRARY_PATH": ":".join(paths)})


def ipp_library(name):
    return ctypes.CDLL(f"lib{name}.so.12", mode=ctypes.RTLD_GLOBAL)


def versions(names):
    packages = {"OpenCV": "opencv-python-headless", "IPP": "ipp", "scipy": "scipy",
                "Halide": "halide",
                "pyvips": "pyvips-binary"}
    found = []
    for name in names:
        try:
            found.append(f"{name} {importlib.metadata.version(packages[name])}")
        except (KeyError, importlib.metadata.PackageNotFoundError):
            found.append(name)
    return ", ".join(found)


def least_ms(function, threads):
    """The least of three times."""
    clock = time.process_time if threads == 1 else time.perf_counter
    times = []
    for _ in range(3):
        start = clock()
        function()
        times.append((clock() - start) * 1e3)
    return min(times)


def ours_in_memory(timer, words, size, runs, threads):
    """[(case, least ms)]: the cases of tests/cpu/time_2d.c with one of the words in their name."""
    done = subprocess.run([timer, "--size", size, "--runs", str(runs), "--threads", str(threads),
                           *words], check=True, capture_output=True, text=True)
    return [(cells[1].strip(), float(cells[3])) for line in done.stdout.splitlines()[2:]
            if (cells := line.split("|"))]
