# Audio files: 8 to 32 bits and several channels, compared with the formula in Python; all
# containers; and files that are written back unchanged.
. "$CLI/lib"
stencilcli --version | grep -q '^audio: libsndfile' || skip 'built without libsndfile'
cat >make.py <<'END'
import random, struct, wave


def frames(bits, channels, count, seed):
    """random samples, with runs of the largest and the smallest, so that sums are clamped"""
    rng, top = random.Random(seed), 2 ** (bits - 1)
    values = [rng.randrange(-top, top) for _ in range(count * channels)]
    values[:6 * channels] = [top - 1] * (3 * channels) + [-top] * (3 * channels)
    return [values[i * channels:(i + 1) * channels] for i in range(count)]


def write_wav(path, rows, bits, rate=44100):
    file = wave.open(path, "wb")
    file.setnchannels(len(rows[0])), file.setsampwidth(bits // 8), file.setframerate(rate)
    shift = 128 if bits == 8 else 0  # 8-bit WAV is unsigned
    file.writeframes(b"".join((v + shift).to_bytes(bits // 8, "little", signed=bits > 8)
                              for row in rows for v in row))
    file.close()


def read_wav(path):
    file = wave.open(path, "rb")
    width, channels = file.getsampwidth(), file.getnchannels()
    data, shift = file.readframes(file.getnframes()), 128 if width == 1 else 0
    values = [int.from_bytes(data[i:i + width], "little", signed=width > 1) - shift
              for i in range(0, len(data), width)]
    return [values[i:i + channels] for i in range(0, len(values), channels)], 8 * width, \
        file.getframerate()
END
cat >check.py <<'END'
import os, subprocess
from make import *

MASK, ANCHOR, DIVISOR, OFFSET = [3, -1, 4, 1], 2, 5, -7


def expected(rows, bits, passes):
    top = 2 ** (bits - 1)
    for _ in range(passes):
        rows = [[max(-top, min(top - 1, (sum(
            w * (rows[y + j - ANCHOR][c] if 0 <= y + j - ANCHOR < len(rows) else 0)
            for j, w in enumerate(MASK)) + OFFSET * DIVISOR + DIVISOR // 2) // DIVISOR))
            for c in range(len(rows[0]))] for y in range(len(rows))]
    return rows


for bits in (8, 16, 24, 32):
    for channels in (1, 2, 5):
        rows = frames(bits, channels, 500, bits * channels)
        write_wav("in.wav", rows, bits)
        for passes in (1, 3):
            subprocess.run([os.environ["STENCILCLI"], "signal", "in.wav", "out.wav", "--mask",
                            " ".join(map(str, MASK)), "--divisor", str(DIVISOR), "--offset",
                            str(OFFSET), "--repeat", str(passes), "--verify", "-q"], check=True)
            got = read_wav("out.wav")
            assert got == (expected(rows, bits, passes), bits, 44100), (bits, channels, passes)
        for kind in ("aiff", "aif", "flac", "wav"):
            if kind == "flac" and bits == 32:
                continue
            for source, target in (("in.wav", "copy." + kind), ("copy." + kind, "back.wav")):
                subprocess.run([os.environ["STENCILCLI"], "signal", source, target, "--mask", "1"],
                               check=True)
            assert read_wav("back.wav")[0] == rows, (kind, bits, channels)
print("as the formula has it")
END
python3 check.py
rm -f ./*.wav ./*.aif ./*.aiff ./*.flac
python3 -c '
from make import *
write_wav("in.wav", [[100, -100], [200, 0], [-32768, 5]], 16, 8000)'
# Through pipes, as text, in place; with a given kernel or border.
stencilcli signal - - --mask 1 <in.wav | cmp - in.wav
try signal in.wav out.txt --mask 1
cat out.txt
running_kernels 1 >names
while read -r kernel; do
    stencilcli signal in.wav "$kernel.txt" --mask '1 2 1' --kernel "$kernel" --verify -q
    cmp "$kernel.txt" reference.txt
done <names
cat reference.txt
stencilcli signal in.wav - --mask '1 0 0' --border constant:50% | tail -c 12 | od -An -td2
stencilcli signal in.wav out.txt --mask '0 0 1' --border wrap
cat out.txt
stencilcli signal in.wav in.wav --mask 0 --offset 50%
stencilcli signal in.wav out.txt --mask 1
cat out.txt
# Metadata of a file stays: tags, loudspeakers. Files whose header does not give their length are
# read to their end.
stencilcli signal in.wav long.flac --mask 1
python3 - <<'END'
import struct
def chunk(name, data):
    return name + struct.pack("<I", len(data)) + data + b"\0" * (len(data) % 2)
def riff(path, *chunks):
    data = b"WAVE" + b"".join(chunks)
    open(path, "wb").write(b"RIFF" + struct.pack("<I", len(data)) + data)
pcm = bytes.fromhex("0100000000001000800000aa00389b71")
extensible = struct.pack("<HHIIHHHHI", 0xFFFE, 6, 48000, 48000 * 18, 18, 24, 22, 24, 0x3F) + pcm
riff("six.wav", chunk(b"fmt ", extensible), chunk(b"data", bytes(range(180))))
tags = b"INFO" + chunk(b"INAM", b"A title\0") + chunk(b"IART", b"An artist\0")
plain = struct.pack("<HHIIHH", 1, 1, 8000, 16000, 2, 16)
riff("tags.wav", chunk(b"fmt ", plain), chunk(b"data", b"\1\2\3\4"), chunk(b"LIST", tags))
riff("stream.wav", chunk(b"fmt ", plain), b"data\xff\xff\xff\xff\1\2\3\4")
flac = bytearray(open("long.flac", "rb").read())
flac[21] &= 0xF0  # the number of samples: 36 bits from here
flac[22:26] = bytes(4)
open("stream.flac", "wb").write(flac)
END
stencilcli signal six.wav out.wav --mask 1
for file in six out; do dd if=$file.wav of=$file.fmt bs=1 skip=16 count=44 status=none; done
cmp six.fmt out.fmt
stencilcli signal tags.wav tags.flac --mask 1
stencilcli signal tags.flac tags.aiff --mask 1
stencilcli signal tags.aiff out.wav --mask 1
for file in tags.flac tags.aiff out.wav; do
    grep -aq 'A title' $file
    grep -aq 'An artist' $file
done
stencilcli signal stream.wav - --mask 1 | tail -c 4 | od -An -td2
stencilcli signal stream.flac stream.txt --mask 1
stencilcli signal in.wav in.txt --mask 1
cmp stream.txt in.txt
# A mask whose numbers have no common denominator within 62 bits is quantised once, with a note.
stencilcli signal in.wav quantised.txt --mask '1/1000000007 1/998244353 1/3' -v -d cpu 2>&1 |
    grep rounded
stencilcli signal in.wav third.txt --mask '0 0 1/3'
cmp quantised.txt third.txt
