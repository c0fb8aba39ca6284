/* What the cost models of pictures and signals multiply with; scripts/measure_rates prints them for
 * a machine, two columns of a CPU's where it has AVX-512. Rounded, so that they do not look like
 * more than they are: another machine's differ by a factor of two. 2026-11-21:
 *
 *   CUDA, AVX-512, decoding   NVIDIA H200 (PCIe 5, driver 580.159, CUDA 13.0), 16 cores of an
 *                             Intel Xeon; the end took 25 to 90 ms
 *   AVX2                      2 cores of an AMD EPYC (Zen 3) */
#ifndef STENCIL_KERNEL_RATES_H
#define STENCIL_KERNEL_RATES_H

/* How fast formats are decoded stands in their rows: src/codec/formats.def. */

/* The CPU, one thread: taps (one weight times one sample) per millisecond, and samples
 * per millisecond for all that comes once a sample. With AVX2; other kernels but AVX-512's count
 * as it. */
#define CPU_TAPS_RANK1    16e6
#define CPU_TAPS_8_BITS   55e6
#define CPU_TAPS_16_BITS  50e6
#define CPU_TAPS_32       15e6
#define CPU_TAPS_64       8.1e6
#define CPU_TAPS_WEIGHTED 19e6
#define CPU_SAMPLES       3.2e6

/* The same with AVX-512 and VNNI. */
#define CPU_TAPS_RANK1_AVX512    34e6
#define CPU_TAPS_8_BITS_AVX512   230e6
#define CPU_TAPS_16_BITS_AVX512  53e6
#define CPU_TAPS_32_AVX512       19e6
#define CPU_TAPS_64_AVX512       7.7e6
#define CPU_TAPS_WEIGHTED_AVX512 28e6
#define CPU_SAMPLES_AVX512       3.9e6

/* CUDA: milliseconds per process for the start, for the kernel's code on its way to the device, and
 * for what the process's end takes longer; bytes per millisecond of bus one way, from pageable and
 * pinned memory; then as above. */
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
/* Of weights of one byte in the kernel weighted. */
#define CUDA_TAPS_WEIGHTED    25e9
#define CUDA_SAMPLES_WEIGHTED 1.6e9
#define CUDA_SAMPLES_PLANES   92e6

#endif
