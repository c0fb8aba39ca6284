/* Prints the rows of a made-up photograph of any size, for scripts/make_huge.
 *
 *     huge_rows WIDTH HEIGHT ppm|png [SEED]
 *
 * The picture has clouds at every scale, soft edges, slow colour and a sensor's noise. It resembles
 * the picture of scripts/make_photo but has other bytes. `ppm` prints pixels (3 * WIDTH bytes a
 * row, no header), `png` prints filtered rows, each after its filter byte. Memory holds only a few
 * rows. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LAYERS    14
#define MAX_WIDTH 1000000

/* Value noise: a lattice of hashed values, interpolated linearly. */
static const struct layer {
    int cell, amplitude, sum; /* index of the sum below that this layer adds to */
} layers[LAYERS] = {{512, 120, 0}, {256, 80, 0}, {128, 55, 0},  {64, 32, 1},   {32, 18, 1},
                    {16, 10, 1},   {8, 6, 1},    {4, 4, 1},     {1024, 35, 2}, {256, 15, 2},
                    {1024, 35, 3}, {256, 15, 3}, {1024, 35, 4}, {256, 15, 4}};

/* Sums: 0 is the shape from which edges are cut, 1 the texture, 2 to 4 red, green and blue. */
enum { SUMS = 5 };

struct rows {
    int width;
    uint32_t seed;
    int32_t *lattice[LAYERS][2]; /* the lattice rows above and below, interpolated to the width */
    int32_t *sum[SUMS];
    uint8_t *row, *up, *coded[5];
};

static uint32_t hash(uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t h = a * 0x9e3779b1u ^ b * 0x85ebca6bu ^ c * 0xc2b2ae35u;
    h = (h ^ h >> 15) * 0x2c1b3c6du;
    h = (h ^ h >> 12) * 0x297a2d39u;
    return h ^ h >> 15;
}

static void stretch(int32_t *out, const struct rows *r, int number, int j)
{
    const int width = r->width;
    const uint32_t layer = (uint32_t)number + r->seed * LAYERS;
    const int cell = layers[number].cell, amplitude = layers[number].amplitude;
    for (int x = 0; x < width; x += cell) {
        int32_t a = hash(layer, (uint32_t)j, (uint32_t)(x / cell)) & 255;
        int32_t b = hash(layer, (uint32_t)j, (uint32_t)(x / cell + 1)) & 255;
        for (int t = 0; t < cell && x + t < width; t++)
            out[x + t] = (a * (cell - t) + b * t) * amplitude / cell;
    }
}

/* Adds one layer's row y: at most 255 * amplitude * 1024 a pixel. */
static void add_layer(struct rows *r, int number, int y)
{
    const int cell = layers[number].cell, t = y % cell;
    if (t == 0) {
        int32_t *above = r->lattice[number][0];
        r->lattice[number][0] = r->lattice[number][1];
        r->lattice[number][1] = above;
        if (y == 0)
            stretch(r->lattice[number][0], r, number, 0);
        stretch(r->lattice[number][1], r, number, y / cell + 1);
    }
    const int32_t *a = r->lattice[number][0], *b = r->lattice[number][1];
    int32_t *sum = r->sum[layers[number].sum];
    const int above = (cell - t) * (1024 / cell), below = t * (1024 / cell);
    for (int x = 0; x < r->width; x++)
        sum[x] += a[x] * above + b[x] * below;
}

/* A smooth step: 0 below LOW, TOP above HIGH. */
static int step(int v, int low, int high, int top)
{
    double t = v <= low ? 0 : v >= high ? 1 : (double)(v - low) / (high - low);
    return (int)(top * t * t * (3 - 2 * t) + 0.5);
}

static void make_row(struct rows *r, int y, const uint8_t edge[256])
{
    for (int i = 0; i < SUMS; i++)
        memset(r->sum[i], 0, sizeof(int32_t) * (size_t)r->width);
    for (int i = 0; i < LAYERS; i++)
        add_layer(r, i, y);
    uint64_t state = 0x9e3779b97f4a7c15u * ((uint64_t)r->seed << 32 | (uint64_t)(y + 1));
    for (int x = 0; x < r->width; x++) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17; /* xorshift64 */
        int light = edge[r->sum[0][x] >> 18] + (r->sum[1][x] >> 18);
        for (int c = 0; c < 3; c++) { /* noise: three draws from 0 to 3 */
            uint32_t bits = (uint32_t)(state >> (20 + 8 * c));
            int noise = (int)((bits & 3) + (bits >> 2 & 3) + (bits >> 4 & 3));
            r->row[3 * x + c] = (uint8_t)(light + (r->sum[2 + c][x] >> 18) + noise);
        }
    }
}

static uint8_t paeth(int a, int b, int c)
{
    int pa = abs(b - c), pb = abs(a - c), pc = abs(a + b - 2 * c);
    return (uint8_t)(pa <= pb && pa <= pc ? a : pb <= pc ? b : c);
}

/* The row after the filter with the least sum; its first byte is the filter's number. */
static const uint8_t *filter_row(struct rows *r)
{
    const int n = 3 * r->width;
    long best_sum = -1;
    int best = 0;
    for (int f = 1; f < 5; f++) {
        uint8_t *out = r->coded[f] + 1;
        const uint8_t *row = r->row, *up = r->up;
        for (int i = 0; i < 3; i++)
            out[i] = (uint8_t)(row[i] - (f == 1 ? 0 : f == 3 ? up[i] / 2 : up[i]));
        if (f == 1)
            for (int i = 3; i < n; i++)
                out[i] = (uint8_t)(row[i] - row[i - 3]);
        else if (f == 2)
            for (int i = 3; i < n; i++)
                out[i] = (uint8_t)(row[i] - up[i]);
        else if (f == 3)
            for (int i = 3; i < n; i++)
                out[i] = (uint8_t)(row[i] - (row[i - 3] + up[i]) / 2);
        else
            for (int i = 3; i < n; i++)
                out[i] = (uint8_t)(row[i] - paeth(row[i - 3], up[i], up[i - 3]));
        long sum = 0;
        for (int i = 0; i < n; i++)
            sum += abs((int8_t)out[i]);
        if (best_sum < 0 || sum < best_sum)
            best_sum = sum, best = f;
    }
    r->coded[best][0] = (uint8_t)best;
    return r->coded[best];
}

static void *room(size_t bytes)
{
    void *p = calloc(bytes, 1);
    if (!p) {
        fprintf(stderr, "huge_rows: out of memory\n");
        exit(1);
    }
    return p;
}

static struct rows rows_make(int width, uint32_t seed)
{
    struct rows r = {.width = width, .seed = seed};
    const size_t n = (size_t)width;
    for (int i = 0; i < LAYERS; i++)
        for (int j = 0; j < 2; j++)
            r.lattice[i][j] = room(n * sizeof(int32_t));
    for (int i = 0; i < SUMS; i++)
        r.sum[i] = room(n * sizeof(int32_t));
    r.row = room(3 * n);
    r.up = room(3 * n);
    for (int i = 0; i < 5; i++)
        r.coded[i] = room(3 * n + 1);
    return r;
}

int main(int argc, char **argv)
{
    const bool right = argc == 4 || argc == 5;
    const int width = right ? (int)strtol(argv[1], NULL, 10) : 0;
    const int height = right ? (int)strtol(argv[2], NULL, 10) : 0;
    const uint32_t seed = argc == 5 ? (uint32_t)strtoul(argv[4], NULL, 10) : 0;
    if (width < 1 || width > MAX_WIDTH || height < 1) {
        fprintf(stderr, "usage: huge_rows WIDTH HEIGHT ppm|png [SEED]\n");
        return 2;
    }
    const int png = strcmp(argv[3], "png") == 0;
    uint8_t edge[256];
    for (int v = 0; v < 256; v++)
        edge[v] = (uint8_t)(step(v, 100, 104, 24) + step(v, 128, 131, 22) + step(v, 150, 170, 14));
    struct rows r = rows_make(width, seed);
    const size_t bytes = 3 * (size_t)width;
    for (int y = 0; y < height; y++) {
        make_row(&r, y, edge);
        const uint8_t *out = png ? filter_row(&r) : r.row;
        if (fwrite(out, 1, bytes + (size_t)png, stdout) != bytes + (size_t)png)
            return 1; /* the script reports why */
        uint8_t *up = r.up;
        r.up = r.row;
        r.row = up;
    }
    return fflush(stdout) != 0; /* the process's end frees the memory */
}
