"""Measurements of the GPU itself for scripts/bench_gpu_pipeline, through the driver's own
library (no compiler, no package):

    bench_cuda.py hold SECONDS   makes a context and keeps it, to see its memory
    bench_cuda.py copy BYTES     GB/s of pinned copies: up, down, both at once

`used_bytes` (for import) asks the management library, without a context.
"""
import ctypes
import subprocess
import sys
import time

CHUNK = 64 << 20


def open_library(name):
    try:
        return ctypes.CDLL(name)
    except OSError:
        return None


def used_bytes(library=[]):  # the default is kept from call to call
    """Bytes of device 0 in use by all processes; None if unknown."""
    if not library:
        nvml = open_library("libnvidia-ml.so.1")
        library.append(nvml if nvml and nvml.nvmlInit_v2() == 0 else None)
    if library[0]:
        device, memory = ctypes.c_void_p(), (ctypes.c_ulonglong * 3)()  # total, free, used
        if library[0].nvmlDeviceGetHandleByIndex_v2(0, ctypes.byref(device)) == 0 and \
                library[0].nvmlDeviceGetMemoryInfo(device, memory) == 0:
            return memory[2]
    try:
        done = subprocess.run(["nvidia-smi", "-i", "0", "--query-gpu=memory.used",
                               "--format=csv,noheader,nounits"], capture_output=True, text=True)
        return int(done.stdout) << 20
    except (OSError, ValueError):
        return None


class Driver:
    """Device 0 with a context; every call is checked."""

    def __init__(self):
        self.driver = open_library("libcuda.so.1")
        if not self.driver:
            sys.exit("bench_cuda: libcuda.so.1: is not there")
        self.call("cuInit", 0)
        device, context = ctypes.c_int(), ctypes.c_void_p()
        self.call("cuDeviceGet", ctypes.byref(device), 0)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.call("cuCtxSetCurrent", context)

    def call(self, name, *arguments):
        status = getattr(self.driver, name)(*arguments)
        if status:
            sys.exit(f"bench_cuda: {name}: CUDA error {status}")

    def pointer(self, name, *arguments):
        value = ctypes.c_void_p()
        self.call(name, ctypes.byref(value), *arguments)
        return value


def copy_rates(total):
    """Seconds for copies in pieces, as the tool makes them; the best of three."""
    driver = Driver()
    size = ctypes.c_size_t(CHUNK)
    host = [driver.pointer("cuMemHostAlloc", size, 0) for _ in range(2)]
    device = [driver.pointer("cuMemAlloc_v2", size) for _ in range(2)]
    stream = [driver.pointer("cuStreamCreate", 1) for _ in range(2)]
    rates = []
    for up, down in ((1, 0), (0, 1), (1, 1)):
        best = 0.0
        for _ in range(3):
            start = time.perf_counter()
            for _ in range(max(1, total // CHUNK)):
                if up:
                    driver.call("cuMemcpyHtoDAsync_v2", device[0], host[0], size, stream[0])
                if down:
                    driver.call("cuMemcpyDtoHAsync_v2", host[1], device[1], size, stream[1])
            driver.call("cuCtxSynchronize")
            elapsed = time.perf_counter() - start
            best = max(best, max(1, total // CHUNK) * CHUNK / elapsed / 1e9)
        rates.append(best)
    return rates


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "hold":
        Driver()
        time.sleep(float(sys.argv[2]))
    elif len(sys.argv) == 3 and sys.argv[1] == "copy":
        print(*(f"{rate:.3f}" for rate in copy_rates(int(sys.argv[2]))))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
