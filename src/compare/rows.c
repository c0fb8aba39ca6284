/* What is measured in one row: see compare/rows.h. */
#include "compare/rows.h"

#include <string.h>

static uint16_t *plane_row(const struct compare_band *band, int side, int row, int channel)
{
    size_t index = (size_t)row * (size_t)band->channels + (size_t)channel;
    return band->plane[side] + index * (size_t)band->width;
}

static bool *same_flag(const struct compare_band *band, int row, int channel)
{
    return &band->same[(size_t)row * (size_t)band->channels + (size_t)channel];
}

static void split(const struct compare_band *band, int side, int y)
{
    int channels = band->channels;
    const void *in = image_row(&band->in[side], y);

    for (int c = 0; c < channels; c++) {
        uint16_t *out = plane_row(band, side, band->kept + y, c);
        if (band->type == SAMPLE_U8) {
            const uint8_t *sample = (const uint8_t *)in + c;
            for (int x = 0; x < band->width; x++)
                out[x] = sample[(size_t)x * (size_t)channels];
        } else {
            const uint16_t *sample = (const uint16_t *)in + c;
            for (int x = 0; x < band->width; x++)
                out[x] = sample[(size_t)x * (size_t)channels];
        }
    }
}

/* Adds up one channel's row and takes its differences into DIFF. */
static void measure_channel(const struct compare_band *band, const uint16_t *a, const uint16_t *b,
                            struct compare_row *row, uint16_t *diff)
{
    uint64_t differing = 0, sum = 0, squares = 0;
    uint32_t most = 0;

    for (int x = 0; x < band->width; x++) {
        uint32_t d = a[x] > b[x] ? (uint32_t)(a[x] - b[x]) : (uint32_t)(b[x] - a[x]);
        differing += d != 0;
        sum += d;
        squares += (uint64_t)d * d;
        most = d > most ? d : most;
        diff[x] = d > diff[x] ? (uint16_t)d : diff[x];
    }
    *row = (struct compare_row){.differing = differing, .sum = sum, .squares = squares};
    row->max_diff = most;
    for (int x = 0; x < band->width; x++) {
        uint32_t d = a[x] > b[x] ? (uint32_t)(a[x] - b[x]) : (uint32_t)(b[x] - a[x]);
        if (d == most) {
            row->x = x;
            break;
        }
    }
    row->a = a[row->x];
    row->b = b[row->x];
}

void compare_row_measure(struct compare_band *band, int y)
{
    size_t width = (size_t)band->width, bytes = width * sizeof(uint16_t);
    uint16_t *diff = band->diff + (size_t)y * width;
    struct compare_row_pixels *pixels = &band->pixels[y];
    bool all_same = true;

    split(band, 0, y);
    split(band, 1, y);
    memset(diff, 0, bytes);
    memset(pixels, 0, sizeof *pixels);
    for (int c = 0; c < band->channels; c++) {
        const uint16_t *a = plane_row(band, 0, band->kept + y, c);
        const uint16_t *b = plane_row(band, 1, band->kept + y, c);
        struct compare_row *row = &band->row[y * band->channels + c];
        bool same = memcmp(a, b, bytes) == 0;
        *same_flag(band, band->kept + y, c) = same;
        memset(row, 0, sizeof *row);
        if (!same)
            measure_channel(band, a, b, row, diff);
        all_same = all_same && same;
    }
    for (size_t x = 0; !all_same && x < width; x++) {
        pixels->differing += diff[x] != 0;
        pixels->failing += diff[x] > band->max_diff;
    }
}

void compare_row_ssim(struct compare_band *band, int y, void *scratch)
{
    int windows = band->width - ssim_side(band->width) + 1, last = band->kept + y;
    int first = last - band->side + 1;
    struct ssim_rows rows = {.width = band->width, .rows = band->side, .max = band->max};

    if (band->first_row + y < band->side - 1)
        return;
    for (int c = 0; c < band->channels; c++) {
        bool same = true;
        for (int i = 0; i < band->side; i++) {
            rows.a[i] = plane_row(band, 0, first + i, c);
            rows.b[i] = plane_row(band, 1, first + i, c);
            same = same && *same_flag(band, first + i, c);
        }
        /* Both factors of the quotient are then equal: it is 1 to the last bit. */
        band->row[y * band->channels + c].ssim = same ? windows : ssim_row(&rows, scratch);
    }
}
