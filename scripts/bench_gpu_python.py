"""PyTorch or CuPy for comparison, for scripts/bench_gpu_peers:

    bench_gpu_python.py torch|cupy PICTURE.ppm K...

PyTorch filters interleaved bytes to interleaved bytes (float convolution by cuDNN, each
channel alone), CuPy three planes of floats; border replicate. Prints one JSON line for each K
with the median time on the device and the time of a device copy of the same bytes. Exit
status 3: the package or a device is missing.
"""
import json
import pathlib
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from bench_common import lopsided  # noqa: E402


def read_ppm_bytes(path):
    with open(path, "rb") as file:
        words = (file.readline() + file.readline() + file.readline()).split()
        return int(words[1]), int(words[2]), bytearray(file.read())


def median_ms(call, event):
    """EVENT makes events with record, synchronize and time differences. Takes at most about 5 s."""
    times, spent = [], 0.0
    for turn in range(23):
        if turn >= 6 and spent > 5000:
            break
        start, end = event.make(), event.make()
        start.record()
        call()
        end.record()
        end.synchronize()
        elapsed = event.between(start, end)
        spent += elapsed
        if turn >= 3:
            times.append(elapsed)
    return statistics.median(times)


def report(name, k, call, copy, event):
    copy_ms = median_ms(copy, event)
    print(json.dumps({"peer": name, "k": k, "ms": median_ms(call, event), "copy_ms": copy_ms}),
          flush=True)


def run_torch(path, widths):
    import torch
    import torch.nn.functional as functional
    if not torch.cuda.is_available():
        raise ImportError

    class Events:
        make = staticmethod(lambda: torch.cuda.Event(enable_timing=True))
        between = staticmethod(lambda a, b: a.elapsed_time(b))

    width, height, data = read_ppm_bytes(path)
    pixels = torch.frombuffer(data, dtype=torch.uint8).reshape(height, width, 3).cuda()
    other = torch.empty_like(pixels)
    torch.backends.cudnn.benchmark = True
    torch.backends.cudnn.allow_tf32 = False
    for k in widths:
        rows = lopsided(k)
        mask = torch.tensor(rows, dtype=torch.float32, device="cuda") / sum(map(sum, rows))
        mask = mask.expand(3, 1, k, k).contiguous()

        def call():
            planes = pixels.permute(2, 0, 1).unsqueeze(0).float()
            planes = functional.pad(planes, (k // 2,) * 4, mode="replicate")
            out = functional.conv2d(planes, mask, groups=3)
            other.copy_(out.round_().clamp_(0, 255).squeeze(0).permute(1, 2, 0))

        with torch.no_grad():
            report("PyTorch conv2d, 8 bits in and out", k, call, lambda: other.copy_(pixels),
                   Events)


def run_cupy(path, widths):
    import cupy
    import numpy
    from cupyx.scipy import ndimage
    try:
        cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError:
        raise ImportError from None

    class Events:
        make = staticmethod(cupy.cuda.Event)
        between = staticmethod(cupy.cuda.get_elapsed_time)

    width, height, data = read_ppm_bytes(path)
    pixels = cupy.asarray(numpy.frombuffer(data, dtype=numpy.uint8)).reshape(height, width, 3)
    planes = [cupy.ascontiguousarray(pixels[:, :, c]).astype(cupy.float32) for c in range(3)]
    outs = [cupy.empty_like(p) for p in planes]
    for k in widths:
        rows = lopsided(k)
        mask = cupy.array(rows, dtype=cupy.float32) / sum(map(sum, rows))

        def call():
            for plane, out in zip(planes, outs):
                ndimage.correlate(plane, mask, output=out, mode="nearest")

        def copy():
            for plane, out in zip(planes, outs):
                out[...] = plane

        report("CuPy ndimage.correlate, 3 float planes", k, call, copy, Events)


def main():
    if len(sys.argv) < 4 or sys.argv[1] not in ("torch", "cupy"):
        sys.exit(__doc__)
    try:
        {"torch": run_torch, "cupy": run_cupy}[sys.argv[1]](sys.argv[2],
                                                            [int(k) for k in sys.argv[3:]])
    except ImportError:
        sys.exit(3)


if __name__ == "__main__":
    main()
