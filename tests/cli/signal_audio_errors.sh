# Audio that cannot stay exact, or is damaged, is refused with a suggestion; no file is written.
. "$CLI/lib"
stencilcli --version | grep -q '^audio: libsndfile' || skip 'built without libsndfile'
python3 - <<'END'
import struct, wave
def chunk(name, data):
    return name + struct.pack("<I", len(data)) + data + b"\0" * (len(data) % 2)
def wav(path, chunks, cut=0):
    data = b"WAVE" + b"".join(chunks)
    data = b"RIFF" + struct.pack("<I", len(data)) + data
    open(path, "wb").write(data[:len(data) - cut])
def fmt(tag, bits, channels=1):
    size = channels * bits // 8
    return chunk(b"fmt ", struct.pack("<HHIIHH", tag, channels, 8000, 8000 * size, size, bits))
samples = struct.pack("<8h", *range(8))
noise = b"".join(struct.pack("<h", i * i * 7919 % 65536 - 32768) for i in range(20000))
wav("float.wav", [fmt(3, 32), chunk(b"data", struct.pack("<4f", 0, 1, 2, 3))])
wav("ulaw.wav", [fmt(7, 8), chunk(b"data", b"12345678")])
wav("pcm32.wav", [fmt(1, 32), chunk(b"data", struct.pack("<4i", 1, 2, 3, 4))])
wav("nine.wav", [fmt(1, 16, 9), chunk(b"data", struct.pack("<9h", *range(9)))])
wav("cut.wav", [fmt(1, 16), chunk(b"data", samples)], 6)
wav("empty.wav", [fmt(1, 16), chunk(b"data", b"")])
wav("headless.wav", [chunk(b"data", samples)])
wav("more.wav", [fmt(1, 16), chunk(b"bext", b"x" * 603), chunk(b"cue ", b"\0" * 4),
                 chunk(b"data", samples)])
wav("noise.wav", [fmt(1, 16), chunk(b"data", noise)])
open("picture.wav", "wb").write(b"RIFF\x10\0\0\0WEBPVP8 \0\0\0\0")
END
for name in float ulaw cut empty; do
    try signal $name.wav never.wav --mask 1
done
for name in headless picture; do # libsndfile's own words, which change
    refuses 1 $name.wav signal $name.wav never.wav --mask 1
done
try signal pcm32.wav never.flac --mask 1
try signal nine.wav never.flac --mask 1
try signal more.wav never.ogg --mask 1
try signal more.wav never.wav --mask 1 --decimals 2
try signal more.wav never.wav --mask 1 --border constant:32768
try signal more.wav never.wav --mask '1e30' --divisor 1e-30
try signal more.wav out.wav --mask 1
try signal more.wav out.wav --mask 1 -q
stencilcli signal more.wav out.flac --mask 1 -q
head -c 60 out.flac >cut.flac
refuses 1 cut.flac signal cut.flac never.wav --mask 1
stencilcli signal noise.wav noise.flac --mask 1
head -c 20000 noise.flac >cut.flac
refuses 1 cut.flac signal cut.flac never.wav --mask 1
echo 1 2 3 >in.txt
try signal in.txt never.wav --mask 1
rm -f ./*.wav ./*.flac in.txt
alone
