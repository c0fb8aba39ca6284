/* What the cost models of pictures and signals multiply with; scripts/measure_rates prints
 * them for a machine with a GPU. Rounded, so that they do not look like more than they are:
 * another machine's differ by a factor of two, and those of CUDA here are estimates. */
#ifndef STENCIL_RATES_H
#define STENCIL_RATES_H

/* Decoding, bytes of samples per millisecond. */
#define DECODE_PNG  94e3
#define DECODE_JPEG 140e3
#define DECODE_BMP  97e3
#define DECODE_PNM  4.4e6

/* The CPU, one thread: taps (one weight times one sample) per millisecond, and samples
 * per millisecond for all that comes once a sample. */
#define CPU_TAPS_RANK1    5.3e6
#define CPU_TAPS_8_BITS   17e6
#define CPU_TAPS_16_BITS  18e6
#define CPU_TAPS_32       6.4e6
#define CPU_TAPS_64       1e6
#define CPU_TAPS_WEIGHTED 9.7e6
#define CPU_SAMPLES       1.5e6

/* CUDA: the start in milliseconds, per process; bytes per millisecond of bus one way, from pageable
 * and pinned memory; then as above. */
#define CUDA_START_MS       200.0
#define CUDA_BYTES_PAGEABLE 8e6
#define CUDA_BYTES_PINNED   50e6
#define CUDA_TAPS_INT8      10e9
#define CUDA_SAMPLES_INT8   1e9
#define CUDA_TAPS_FLOAT     600e6
#define CUDA_TAPS_32        400e6
#define CUDA_TAPS_64        150e6
#define CUDA_SAMPLES_PLANES 50e6

#endif
