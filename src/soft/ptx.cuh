/* kernels/ptx.cuh for the software GPU: the same functions, in C++, after the PTX manual. */
#ifndef STENCIL_PTX_CUH
#define STENCIL_PTX_CUH

#include "soft/gpu.h"

static inline uint32_t shared_address(const void *shared)
{
    return soft_shared_address(shared);
}

/* ---- matrices in shared memory ---- */

/* Lane l gets, of each matrix, word l % 4 of row l / 4. */
static inline void load_matrices(uint32_t *m, uint32_t address)
{
    soft_words *at = soft_exchange(&address, 1);
    const int lane = threadIdx.x % 32;
    for (int i = 0; i < 4; i++)
        memcpy(&m[i], (char *)soft_shared_at(at[8 * i + lane / 4][0]) + lane % 4 * 4, 4);
}

/* Lane l has, of each matrix, cells 2t and 2t + 1 of row g (l = 4g + t), which become column g of
 * the stored matrix. */
static inline void store_matrices(uint32_t address, const uint32_t *m)
{
    soft_words *at = soft_exchange(&address, 1);
    const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 2; j++) {
            uint16_t cell = (uint16_t)(m[i] >> 16 * j);
            memcpy((char *)soft_shared_at(at[8 * i + 2 * t + j][0]) + 2 * g, &cell, 2);
        }
    soft_warp_wait();
}

/* ---- products ---- */

/* Byte K of words in memory order. */
template <bool SIGNED> static inline int byte_at(const uint32_t *words, int k)
{
    return SIGNED ? (int)((const int8_t *)words)[k] : (int)((const uint8_t *)words)[k];
}

/* Copies a row of A or a column of B, which four lanes hold: word FIRST of each, then the word STEP
 * further of each, COUNT times. */
static inline void gather(uint32_t *to, const soft_words *lanes, int first, int step, int count)
{
    for (int w = 0; w < 4 * count; w++)
        to[w] = lanes[w % 4][first + w / 4 * step];
}

/* Lane 4g + t holds sums of rows g, g, g + 8, g + 8 and columns 2t, 2t + 1, 2t, 2t + 1. For A, lane
 * 4r + t has bytes 4t..4t+3 of row r in word 0, of row r + 8 in word 1, and the bytes 16 further in
 * words 2 and 3. For B, lane 4n + t has bytes 4t..4t+3 of column n in word 0, and 16 further in
 * each next word. */
template <bool A_SIGNED, bool B_SIGNED>
static inline void product_any(int *sum, const uint32_t *ab, int a_words, int b_words, const int *c)
{
    soft_words *all = soft_exchange(ab, a_words + b_words);
    const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
    int result[4];
    for (int i = 0; i < 4; i++) {
        uint32_t s = (uint32_t)c[i], row[8], column[8];
        gather(row, all + 4 * g, i / 2, 2, b_words);
        gather(column, all + 4 * (2 * t + i % 2), a_words, 1, b_words);
        for (int k = 0; k < 16 * b_words; k++)
            s += (uint32_t)(byte_at<A_SIGNED>(row, k) * byte_at<B_SIGNED>(column, k));
        result[i] = (int)s;
    }
    memcpy(sum, result, sizeof result);
}

template <bool A_SIGNED, bool B_SIGNED>
static inline void product_32(int *sum, uint32_t a0, uint32_t a1, uint32_t a2, uint32_t a3,
                              uint32_t b0, uint32_t b1, const int *c)
{
    const uint32_t ab[6] = {a0, a1, a2, a3, b0, b1};
    product_any<A_SIGNED, B_SIGNED>(sum, ab, 4, 2, c);
}

template <bool A_SIGNED, bool B_SIGNED>
static inline void product_16(int *sum, uint32_t a0, uint32_t a1, uint32_t b0, const int *c)
{
    const uint32_t ab[3] = {a0, a1, b0};
    product_any<A_SIGNED, B_SIGNED>(sum, ab, 2, 1, c);
}

/* The 32 bytes of a row of A are the used bytes of 64; two of them belong to each group of four.
 * Word `at` of lane 4g + t tells which two of the four, 2 bits each, ascending: for row g + t % 2 *
 * 8, from group 8 * (t / 2) on. */
template <bool A_SIGNED>
static inline void product_sparse_64(int *sum, const uint4 &a, uint32_t at, uint32_t b0,
                                     uint32_t b1, uint32_t b2, uint32_t b3, const int *c)
{
    const uint32_t mine[9] = {a.x, a.y, a.z, a.w, at, b0, b1, b2, b3};
    soft_words *all = soft_exchange(mine, 9);
    const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
    int result[4];
    for (int i = 0; i < 4; i++) {
        uint32_t s = (uint32_t)c[i], row[8], column[16];
        gather(row, all + 4 * g, i / 2, 2, 2);
        gather(column, all + 4 * (2 * t + i % 2), 5, 1, 4);
        for (int half = 0; half < 2; half++) {
            const uint32_t places = all[4 * g + 2 * half + i / 2][4];
            for (int kept = 16 * half; kept < 16 * half + 16; kept++)
                s += (uint32_t)(byte_at<A_SIGNED>(row, kept) *
                                byte_at<false>(column,
                                               kept / 2 * 4 + (int)(places >> kept % 16 * 2 & 3)));
        }
        result[i] = (int)s;
    }
    memcpy(sum, result, sizeof result);
}

/* The value of a half, normalised or not. */
static inline float half_value(uint32_t half)
{
    const int exponent = (int)(half >> 10 & 31), hidden = exponent ? 1024 : 0;
    const float value =
        ldexpf((float)(hidden + (int)(half & 1023)), exponent ? exponent - 25 : -24);
    return half & 32768 ? -value : value;
}

/* Adds up COUNT floats as an adder of few bits does: each loses what is far below the largest. */
static inline float add_short(const float *addend, int count)
{
    int most = -200;
    float sum = 0;
    for (int i = 0; i < count; i++)
        most = addend[i] != 0 ? max(most, ilogbf(addend[i])) : most;
    for (int i = 0; i < count; i++)
        sum += ldexpf(truncf(ldexpf(addend[i], 20 - most)), most - 20);
    return sum;
}

/* As product_any, for halves: two halves take the place of four bytes. */
static inline void product_halves(float *sum, const uint32_t *ab, int a_words, int b_words,
                                  const float *c)
{
    soft_words *all = soft_exchange(ab, a_words + b_words);
    const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
    float result[4];
    for (int i = 0; i < 4; i++) {
        uint32_t row[8], column[8];
        gather(row, all + 4 * g, i / 2, 2, b_words);
        gather(column, all + 4 * (2 * t + i % 2), a_words, 1, b_words);
        float addend[1 + 16] = {c[i]};
        result[i] = c[i];
        for (int k = 0; k < 8 * b_words; k++) {
            addend[1 + k] =
                half_value(row[k / 2] >> k % 2 * 16) * half_value(column[k / 2] >> k % 2 * 16);
            result[i] += addend[1 + k];
        }
        if (soft_adder_is_short())
            result[i] = add_short(addend, 1 + 8 * b_words);
    }
    memcpy(sum, result, sizeof result);
}

static inline void product_halves_16(float *sum, uint32_t a0, uint32_t a1, uint32_t a2, uint32_t a3,
                                     uint32_t b0, uint32_t b1, const float *c)
{
    const uint32_t ab[6] = {a0, a1, a2, a3, b0, b1};
    product_halves(sum, ab, 4, 2, c);
}

static inline void product_halves_8(float *sum, uint32_t a0, uint32_t a1, uint32_t b0,
                                    const float *c)
{
    const uint32_t ab[3] = {a0, a1, b0};
    product_halves(sum, ab, 2, 1, c);
}

template <bool SIGNED> static inline int product_bytes(uint32_t cells, uint32_t weights, int sum)
{
    uint32_t s = (uint32_t)sum;
    for (int i = 0; i < 4; i++)
        s += (uint32_t)(byte_at<false>(&cells, i) * byte_at<SIGNED>(&weights, i));
    return (int)s;
}

/* The reciprocal with the largest error allowed, in either direction. */
static inline float reciprocal(float x)
{
    static uint32_t turn;
    return 1 / x * (1 + (++turn % 2 ? 1 : -1) * 0x1p-23f);
}

/* ---- copies ---- */

#define barrier_init                    soft_barrier_init
#define barrier_expect                  soft_barrier_expect
#define barrier_wait                    soft_barrier_wait
#define barrier_wait_once(at)           soft_barrier_wait(at, 0)
#define copies_fence()                  ((void)0)
#define copy_in                         soft_copy_in
#define copy_out                        soft_copy_out
#define copy_box_in                     soft_copy_box_in
#define copy_box_out(map, shared, x, y) soft_copy_box_out(map, soft_shared_at(shared), x, y)
#define prefetch_box(map, x, y)         ((void)(map))
#define copies_wait_sent                soft_copies_wait
#define copy_16                         soft_copy_16
#define copies_16_wait                  soft_copies_wait

/* ---- packing, clamped ---- */

static inline uint32_t pack_bytes(int high, int low, uint32_t above)
{
    return above << 16 | (uint32_t)min(max(high, 0), 255) << 8 | (uint32_t)min(max(low, 0), 255);
}

static inline uint32_t pack_shorts(int high, int low)
{
    return (uint32_t)min(max(high, 0), 65535) << 16 | (uint32_t)min(max(low, 0), 65535);
}

#endif
