/* Cutting a picture into bands: how high they are. */
#include "run/bands.h"

/* A band of input and its output stay near the cores: most of a 512 KiB L2 cache each, in an L3
 * slice together. Twice as much was no faster, half as much slower: */
#define BAND_BYTES ((size_t)384 * 1024)
/* a kernel prepares its buffers and the halo once a band, so that low bands cost more. */
#define MIN_ROWS       16
#define MAX_BAND_BYTES ((size_t)4 << 20)

/* Bands a thread at least, to even out threads that lose their core for a while. */
#define BANDS_EACH 4
/* Of bands that a kernel wants higher than others are. */
#define WANTED_EACH 2

/* Through a device: large enough for the bus and for few calls, small enough for stages to overlap
 * early. */
#define DEVICE_BAND_BYTES     ((size_t)4 << 20)
#define DEVICE_MAX_BAND_BYTES ((size_t)64 << 20)

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

void bands_cut(struct bands *bands, int rows)
{
    bands->rows = rows < bands->height ? rows : bands->height;
    bands->count = (bands->height - 1) / bands->rows + 1;
}

int bands_rows_cpu(const struct bands *bands, const struct plan *plan, const struct kernel *kernel,
                   const char *method, const struct image *shape, int threads)
{
    size_t row = image_row_bytes(shape), height = (size_t)shape->height;
    size_t rows = BAND_BYTES / row, most = MAX_BAND_BYTES / row;
    size_t least = larger(2 * ((size_t)bands->above + (size_t)bands->below + 1), MIN_ROWS);

    if (threads > 1)
        rows = smaller(rows, height / ((size_t)threads * BANDS_EACH));
    rows = larger(larger(rows, smaller(least, most)), 1);
    if (threads > 1)
        most = smaller(most, height / ((size_t)threads * WANTED_EACH));
    return most < rows || !kernel->rows
               ? (int)rows
               : kernel->rows(kernel, plan, method, shape->width, (int)rows, (int)most);
}

int bands_rows_device(const struct bands *bands, const struct image *shape)
{
    size_t row = image_row_bytes(shape);
    size_t halo = (size_t)bands->above + (size_t)bands->below;
    size_t rows = larger(DEVICE_BAND_BYTES / row, halo + 1);

    return (int)larger(smaller(rows, DEVICE_MAX_BAND_BYTES / row), 1);
}
