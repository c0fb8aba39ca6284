"""What a hostile file may leave behind: files, and processes. Used by tests/try/run."""
import contextlib
import ctypes
import os
import pathlib
import shutil
import signal
import stat
import tempfile
import time

ELSEWHERE = pathlib.Path("/tmp/stencilcli-hostile-file")  # where hostile files try to write
PR_SET_CHILD_SUBREAPER = 36


@contextlib.contextmanager
def scratch():
    """A home folder with a file to keep, a folder for the kernel, and one for temporary files."""
    home = pathlib.Path(tempfile.mkdtemp(prefix="stencilcli-try-test-"))
    try:
        (home / "keep.txt").write_text("keep me\n", encoding="utf-8")
        (home / "work").mkdir()
        (home / "tmp").mkdir()
        yield home
    finally:
        shutil.rmtree(home, ignore_errors=True)


def files_of(folder):
    """{path: content} of everything in the folder."""
    found = {}
    for path in sorted(folder.rglob("*")):
        mode = path.lstat().st_mode
        found[path] = path.read_bytes() if stat.S_ISREG(mode) else stat.S_IFMT(mode)
    return found


def adopt_orphans():
    """Makes this process the parent of any process whose parents have ended."""
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def descendants():
    """The processes below this one that have not ended."""
    parents = {}
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text(errors="replace").rpartition(")")[2].split()
            except OSError:
                continue  # it has just ended
            if fields[0] not in "ZX":
                parents[int(entry.name)] = int(fields[1])
    below, growing = {os.getpid()}, True
    while growing:
        more = {child for child, parent in parents.items() if parent in below} - below
        below |= more
        growing = bool(more)
    return below - {os.getpid()}


def end_descendants():
    """Ends what is left over, also while it makes new processes."""
    for _ in range(1000):
        left = descendants()
        if not left:
            return
        for process in left:  # stopped first: a stopped process makes no other
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGSTOP)
        for process in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        time.sleep(0.01)


def left_behind(home, before, processes):
    """The lines that name what was left: processes, files that are new, changed or lost."""
    trouble = []
    if processes:
        left = descendants()
        if left:
            trouble.append(f"{len(left)} processes are left")
            end_descendants()
    after = files_of(home)
    for path in sorted(before.keys() | after.keys()):
        if before.get(path) != after.get(path):
            kind = "new" if path not in before else "lost" if path not in after else "changed"
            trouble.append(f"{kind}: {path.relative_to(home)}")
    if ELSEWHERE.exists():
        trouble.append(f"new: {ELSEWHERE}")
        ELSEWHERE.unlink()
    return trouble
