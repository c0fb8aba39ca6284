"""Bytes behind the Adler-32 of a PNG's data are refused, however the data is cut into chunks.
Part of png_behind.sh."""
import os
import struct
import subprocess
import zlib


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def write(path, width, height, pieces):
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) +
                   b"".join(chunk(b"IDAT", piece) for piece in pieces) + chunk(b"IEND", b""))


def main():
    right, wrong = 0, 0
    for level, (width, height) in ((0, (7, 5)), (9, (7, 5)), (9, (1, 1)), (9, (64, 64))):
        rows = b"".join(b"\0" + bytes(x * y * 7 % 256 for x in range(width)) for y in range(height))
        data = zlib.compress(rows, level)
        for behind in range(5):
            whole = data + bytes(behind)
            for cut in range(len(data) - 9, len(whole) + 1):
                write("a.png", width, height, [whole[:cut], whole[cut:]])
                done = subprocess.run([os.environ["STENCILCLI"], "blur", "a.png", "b.pgm", "-q"],
                                      capture_output=True, text=True)
                good = (done.returncode == 0 if behind == 0 else
                        done.returncode == 1 and "more compressed data" in done.stderr)
                right += good
                wrong += not good
                if not good:
                    print(f"{width}x{height}, {behind} bytes behind, cut at {cut - len(data)}:",
                          done.returncode, done.stderr)
    print(right, "right,", wrong, "wrong")


main()
