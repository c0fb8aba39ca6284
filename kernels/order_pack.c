/* Packs the window of an order filter for the kernels extremes, network and bisect. */
#include <stdlib.h>

#include "image_job.h"

/* Finds the runs of the window; writes them to OUT unless it is NULL. Returns the bytes. */
static size_t pack(const int64_t *weight, int width, int height, int *out)
{
    struct order_run *run = out ? (struct order_run *)(out + height + 1) : NULL;
    int runs = 0;

    for (int i = 0; i < height; i++) {
        if (out)
            out[i] = runs;
        for (int j = 0, end; j < width; j = end + 1) {
            for (end = j; end < width && weight[i * width + end] != 0; end++)
                ;
            if (end > j && run)
                run[runs] = (struct order_run){i, j, end - j};
            runs += end > j;
        }
    }
    if (out)
        out[height] = runs;
    return (size_t)(height + 1) * sizeof(int) + (size_t)runs * sizeof(struct order_run);
}

size_t order_window_bytes(const int64_t *weight, int width, int height)
{
    return pack(weight, width, height, NULL);
}

static int compare_lengths(const void *a, const void *b)
{
    return ((const struct order_run *)b)->length - ((const struct order_run *)a)->length;
}

void order_window_pack(const int64_t *weight, int width, int height, bool by_length,
                       void *fragments)
{
    int *out = fragments;

    pack(weight, width, height, out);
    if (by_length)
        qsort(out + height + 1, (size_t)out[height], sizeof(struct order_run), compare_lengths);
}
