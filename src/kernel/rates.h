/* A GPU's rates in the cost models of pictures and signals, as scripts/measure_rates prints them.
 * They are rounded, because another machine's rates differ by a factor of two. Measured on
 * 2026-11-21 with an NVIDIA H200 (PCIe 5, driver 580.159, CUDA 13.0) beside 16 cores of an Intel
 * Xeon; CUDA_END_MS was 25 to 90. */
#ifndef STENCIL_KERNEL_RATES_H
#define STENCIL_KERNEL_RATES_H

/* The decoding rate of each format is in its row of src/codec/formats.def. The CPU's rates are the
 * costs of its methods (cpu/method.h). */

/* CUDA: milliseconds per process for the start, for loading the kernel's code, and for the longer
 * end of the process; bytes per millisecond over the bus in one direction, with pageable and with
 * pinned memory; then taps and samples per millisecond. */
#define CUDA_START_MS       160.0
#define CUDA_LOAD_MS        12.0
#define CUDA_END_MS         60.0
#define CUDA_BYTES_PAGEABLE 7.4e6
#define CUDA_BYTES_PINNED   49e6
#define CUDA_TAPS_INT8      210e9
#define CUDA_SAMPLES_INT8   2e9
#define CUDA_TAPS_FLOAT     3.1e9
#define CUDA_TAPS_32        3.1e9
#define CUDA_TAPS_64        2.3e9
/* For weights of one byte in the kernel "weighted". */
#define CUDA_TAPS_WEIGHTED    25e9
#define CUDA_SAMPLES_WEIGHTED 1.6e9
#define CUDA_SAMPLES_PLANES   92e6
/* Comparisons of samples of 8 bits per millisecond, in kernels of order filters. The numbers of
 * comparisons in cuda/cost.c fit `scripts/bench_gpu_peers --order` on an H100 to 20 %. */
#define CUDA_COMPARISONS 14e9
/* The kernel "bilateral" on an H100, 8192x8192 RGB of 8 bits: 0.95e9 with 5x5 cells, 1.5e9 with
 * 11x11. */
#define CUDA_TAPS_BILATERAL 1e9

/* The software GPU, for all kernels alike: far from exact. */
#define SOFT_TAPS    1e5
#define SOFT_SAMPLES 5e3

#endif
