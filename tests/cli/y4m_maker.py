"""Makes and splits Y4M files, and PNM streams, for tests: a reader and writer of the tests' own."""
import os
import struct
import subprocess

SHARED = {"420": (2, 2), "422": (2, 1), "444": (1, 1), "440": (1, 2), "411": (4, 1)}
LAYOUTS = (["420", "420jpeg", "420mpeg2", "420paldv", "422", "444", "444alpha", "440", "411",
            "mono"] + [f"{a}p{n}" for a in ("420", "422", "444") for n in (9, 10, 12, 14, 16)]
           + [f"mono{n}" for n in (9, 10, 12, 16)])


def planes_of(layout, width, height):
    """The planes' sizes, and the largest sample."""
    digits = layout[4:] if layout.startswith("mono") else layout.partition("p")[2]
    bits = int(digits) if digits.isdigit() else 8
    planes = [(width, height)]
    if not layout.startswith("mono"):
        x, y = SHARED[layout[:3]]
        planes += 2 * [(-(-width // x), -(-height // y))]
    if layout.endswith("alpha"):
        planes.append((width, height))
    return planes, (1 << bits) - 1


def samples(count, top, seed):
    size = 1 if top < 256 else 2
    values = [(i * i * 7 + i * seed + seed * seed) * 2654435761 % 4294967291 % (top + 1)
              for i in range(count)]
    return bytes(values) if size == 1 else struct.pack(f"<{count}H", *values)


def make(path, layout, width, height, frames, words="F25:1 Ip A1:1", frame_words="", colour=True):
    planes, top = planes_of(layout, width, height)
    with open(path, "wb") as out:
        name = f" C{layout}" if colour else ""
        out.write(f"YUV4MPEG2 W{width} H{height} {words}{name}\n".encode())
        for frame in range(frames):
            out.write(f"FRAME{frame_words}\n".encode())
            for number, (w, h) in enumerate(planes):
                out.write(samples(w * h, top, 3 * frame + number + 1))


def split(path):
    """The first line, and for each frame its line and its planes as (width, height, top, bytes)."""
    data = open(path, "rb").read()
    header, _, data = data.partition(b"\n")
    words = {word[:1]: word[1:] for word in header.decode().split(" ")[1:]}
    planes, top = planes_of(words.get("C", "420jpeg"), int(words["W"]), int(words["H"]))
    frames = []
    while data:
        line, _, data = data.partition(b"\n")
        found = []
        for w, h in planes:
            size = w * h * (1 if top < 256 else 2)
            assert len(data) >= size, f"{path}: a cut frame"
            found.append((w, h, top, data[:size]))
            data = data[size:]
        frames.append((line, found))
    return header, frames


def swapped(data, top):
    return data if top < 256 else b"".join(data[i:i + 2][::-1] for i in range(0, len(data), 2))


def filtered(plane, args):
    """The plane as the tool filters it as a PGM file."""
    w, h, top, data = plane
    pgm = f"P5\n{w} {h}\n{top}\n".encode() + swapped(data, top)
    run = subprocess.run([os.environ["STENCILCLI"], args[0], "-", "-", *args[1:]], input=pgm,
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    head = f"P5\n{w} {h}\n{top}\n".encode()
    assert run.stdout.startswith(head)
    return swapped(run.stdout[len(head):], top)


def expected(path, args):
    """The whole output for a Y4M file."""
    header, frames = split(path)
    out = header + b"\n"
    for line, planes in frames:
        out += line + b"\n" + b"".join(filtered(plane, args) for plane in planes)
    return out
