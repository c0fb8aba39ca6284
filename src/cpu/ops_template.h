/* The inner loops in portable C, included once per instruction set, whose name is OPS_SUFFIX; with
 * OPS_VECTORS the set brings operations on its own vectors (cpu/ops_vector.h). Accumulators stay in
 * registers over all taps of a block; that, not the instruction set, is most of the speed. */
#define OPS_PASTE2(a, b) a##b
#define OPS_PASTE(a, b)  OPS_PASTE2(a, b)
#define OPS_STRING2(a)   #a
#define OPS_STRING(a)    OPS_STRING2(a)

#ifndef OPS_VECTORS
#include "cpu/ops_plain.h"
#endif
#include "cpu/ops_divide.h"
#include "cpu/ops_fft.h"
#include "cpu/ops_order.h"
#include "cpu/ops_pairs.h"
#include "cpu/ops_running_sums.h"
#include "cpu/ops_separable.h"

#define REAL      float
#define REAL_BITS int32_t
#if VECTOR_BYTES == 64 /* a load of 64 bytes waits for two stores of 32 */
#define REAL_LANES    16
#define REAL_SPREAD_4 3, 3, 3, 3, 7, 7, 7, 7, 11, 11, 11, 11, 15, 15, 15, 15
#define REAL_SPREAD_2 1, 1, 3, 3, 5, 5, 7, 7, 9, 9, 11, 11, 13, 13, 15, 15
#else
#define REAL_LANES    8
#define REAL_SPREAD_4 3, 3, 3, 3, 7, 7, 7, 7
#define REAL_SPREAD_2 1, 1, 3, 3, 5, 5, 7, 7
#endif
#include "cpu/ops_real.h"
#define REAL          double
#define REAL_BITS     int64_t
#define REAL_LANES    4
#define REAL_SPREAD_4 3, 3, 3, 3
#define REAL_SPREAD_2 1, 1, 3, 3
#include "cpu/ops_real.h"

#include "cpu/ops_sums16.h"

#define REAL        float
#define REAL_BITS   int32_t
#define REAL_SAMPLE uint8_t
#define REAL_WORDS  words_of_u8
#include "cpu/ops_bilateral.h"
#define REAL        double
#define REAL_BITS   int64_t
#define REAL_SAMPLE uint16_t
#define REAL_WORDS  words_of_u16
#include "cpu/ops_bilateral.h"

const struct cpu_ops OPS_PASTE(cpu_ops_, OPS_SUFFIX) = {
    .name = OPS_STRING(OPS_SUFFIX),
    .vector_bytes = VECTOR_BYTES,
    .multiply_adds = multiply_adds,
    .sum_row = sum_row,
    .column_32 = column_32,
    .row_32 = row_32,
    .column_slide = column_slide,
    .row_slide_32 = row_slide_32,
    .split_halves = split_halves,
    .shift_halves = shift_halves,
    .divide_halves = divide_halves,
    .divide_64 = divide_64,
    .weighted = weighted,
    .byte_sums = byte_sums,
    .divide_16_u8 = divide_16_u8,
    .gradient_u8 = gradient_u8,
    .column_16_u8 = column_16_u8,
    .divide_32 = divide_32,
    .pairs_u8 = pairs_u8,
    .sum_two_rows = sum_two_rows,
    .sum_four_rows = sum_four_rows,
#ifdef TURNED_ROWS
    .word_row = word_row,
#endif
#ifdef QUAD_FLIP
    .byte_quads = byte_quads,
    .quad_four_rows = quad_four_rows,
    .quad_two_planes = quad_two_planes,
#ifdef BYTE_ROW
    .byte_row = byte_row,
#endif
#endif
#ifdef BYTE_PAIR_OPS
    .byte_pairs = byte_pairs,
    .byte_two_rows = byte_two_rows,
    .byte_two_rows_16 = byte_two_rows_16,
#endif
    .certify_u8 = certify_u8,
    .pairs_u16 = pairs_u16,
    .gradient_32 = gradient_32,
    .sum_steps_32 = sum_steps_32,
    .sum_steps_64 = sum_steps_64,
    .fft_forward = fft_forward,
    .fft_back = fft_back,
    .fft_multiply = fft_multiply,
    .fft_turn = fft_turn,
    .fft_floor = fft_floor,
    .real = {{REAL_ROWS, real_prepare_float, real_products_float, real_sums_float,
              real_certify_float},
             {REAL_ROWS, real_prepare_double, real_products_double, real_sums_double,
              real_certify_double}},
    .planes_u8 = planes_u8,
    .floats_u8 = floats_u8,
    .pixels_u8 = pixels_u8,
    .bilateral = {{bilateral_weights_float, bilateral_sums_float, bilateral_means_float},
                  {bilateral_weights_double, bilateral_sums_double, bilateral_means_double}},
    .least = {least_u8, least_u16},
    .greatest = {greatest_u8, greatest_u16},
    .tall = {{least_u8_tall, least_u16_tall}, {greatest_u8_tall, greatest_u16_tall}},
#ifdef WORDS_OF_TWO
    .doubled = {{doubled_least_u8, doubled_least_u16}, {doubled_greatest_u8, doubled_greatest_u16}},
#endif
    .columns_change = columns_change,
    .columns_row = columns_row,
    .ranks_row = ranks_row,
    .networks = &OPS_PASTE(cpu_networks_, NETWORKS),
};
