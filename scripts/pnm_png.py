"""Small image files for the scripts, with only the standard library: reads binary PPM,
writes PPM and PNG. Rows are `bytes`. The PNG writer filters each row as libpng does by
default (the filter with the least sum), so that decoding its files costs as much as
decoding ordinary files."""
import struct
import zlib

ABS = [min(v, 256 - v) for v in range(256)]  # a filtered byte's distance from 0


def subtract(a, b):
    """a - b modulo 256, byte by byte, for whole rows at once: the top bits of the bytes
    are kept separate, so that no borrow goes from one byte to the next."""
    n = len(a)
    x, y = int.from_bytes(a, "little"), int.from_bytes(b, "little")
    high = int.from_bytes(b"\x80" * n, "little")
    return (((x | high) - (y & ~high)) ^ ((x ^ ~y) & high)).to_bytes(n, "little")


def average(a, b):
    n = len(a)
    x, y = int.from_bytes(a, "little"), int.from_bytes(b, "little")
    low = int.from_bytes(b"\x7f" * n, "little")
    return ((x & y) + (((x ^ y) >> 1) & low)).to_bytes(n, "little")


def paeth(left, up, corner):
    out = bytearray()
    for a, b, c in zip(left, up, corner):
        pa, pb = b - c, a - c
        pc = abs(pa + pb)
        pa, pb = abs(pa), abs(pb)
        out.append(a if pa <= pb and pa <= pc else b if pb <= pc else c)
    return bytes(out)


def filtered(row, up, channels):
    left, corner = bytes(channels) + row[:-channels], bytes(channels) + up[:-channels]
    choices = [row, subtract(row, left), subtract(row, up), subtract(row, average(left, up)),
               subtract(row, paeth(left, up, corner))]
    sums = [sum(choice.translate(bytes(ABS))) for choice in choices]
    best = sums.index(min(sums))
    return bytes([best]) + choices[best]


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def write_png(path, width, height, channels, rows):
    colour = {1: 0, 2: 4, 3: 2, 4: 6}[channels]
    packer = zlib.compressobj(6)
    up = bytes(width * channels)
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n")
        file.write(chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, colour, 0, 0, 0)))
        for row in rows:
            data = packer.compress(filtered(row, up, channels))
            up = row
            if data:
                file.write(chunk(b"IDAT", data))
        file.write(chunk(b"IDAT", packer.flush()) + chunk(b"IEND", b""))


def write_ppm(path, width, height, rows):
    with open(path, "wb") as file:
        file.write(b"P6\n%d %d\n255\n" % (width, height))
        file.writelines(rows)


def read_ppm(path):
    """(width, height, rows) of a P6 file with maxval 255 and no comments."""
    with open(path, "rb") as file:
        magic, width, height, maxval = (file.readline() + file.readline() + file.readline()).split()
        if magic != b"P6" or maxval != b"255":
            raise ValueError(f"{path}: not an 8-bit P6 file")
        width, height = int(width), int(height)
        return width, height, [file.read(3 * width) for _ in range(height)]
