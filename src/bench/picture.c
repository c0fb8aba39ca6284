/* The picture that the bench generates if the user gives none. It resembles a photograph in
 * everything that matters to a kernel and a cache: no sample is 0 (some hardware is faster on
 * zeros), neighbours are similar, nothing repeats. It is value noise: random values on lattices of
 * several widths are interpolated and added, one set for brightness and one for each colour, with a
 * little noise on every sample. Only integers are used, so the picture is the same on every
 * machine. */
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "bench/bench.h"

#define LEAST      1
#define MOST       254
#define NOISE_MASK 15 /* -8 to 7 */

/* Lattices: the cell width as a power of two, and the range of its values. The first lattices make
 * the brightness, which all channels share. */
static const struct lattice {
    int bits, amplitude;
} LATTICES[] = {{8, 100}, {6, 60}, {4, 40}, {2, 24}, {7, 48}, {5, 16}};
#define BRIGHTNESS     4
#define LATTICES_COUNT ((int)(sizeof LATTICES / sizeof LATTICES[0]))

struct picture {
    const struct image *image;
    int *lines; /* two for each thread: the brightness, and one channel */
};

/* Mixes the bits of H well (the finaliser of MurmurHash3, which is in the public domain). */
static uint32_t mix(uint32_t h)
{
    h = (h ^ h >> 16) * UINT32_C(0x85ebca6b);
    h = (h ^ h >> 13) * UINT32_C(0xc2b2ae35);
    return h ^ h >> 16;
}

/* The value at a lattice's corner, 0 to 255. */
static int corner(uint32_t seed, int x, int y)
{
    return (int)(mix(seed ^ mix((uint32_t)x ^ mix((uint32_t)y))) & 255);
}

/* Adds one lattice's part of row Y to LINE: linear between corners, first down, then across. */
static void add_lattice(int *line, int width, int y, const struct lattice *lattice, uint32_t seed)
{
    int cell = 1 << lattice->bits, row = y >> lattice->bits, down = y & (cell - 1);
    int left = 0, right = 0;
    for (int x = 0; x < width; x++) {
        int across = x & (cell - 1), column = x >> lattice->bits;
        if (across == 0) {
            left = x == 0 ? corner(seed, 0, row) * (cell - down) + corner(seed, 0, row + 1) * down
                          : right;
            right = corner(seed, column + 1, row) * (cell - down) +
                    corner(seed, column + 1, row + 1) * down;
        }
        /* the sum reaches 255 * 2^8 * 2^8, the product 255 * 2^8 * 100: inside 31 bits */
        line[x] +=
            ((left * (cell - across) + right * across) >> lattice->bits) * lattice->amplitude >>
            (lattice->bits + 8);
    }
}

static void make_row(void *context, int y, int worker)
{
    const struct picture *picture = context;
    const struct image *image = picture->image;
    unsigned char *row = image_row(image, y);
    uint16_t *row16 = image_row(image, y);
    int width = image->width, channels = image->channels;
    int *brightness = picture->lines + 2 * (size_t)width * (size_t)worker;
    int *line = brightness + width;

    for (int x = 0; x < width; x++)
        brightness[x] = -32; /* half of what the lattices of a colour add */
    for (int i = 0; i < BRIGHTNESS; i++)
        add_lattice(brightness, width, y, &LATTICES[i], (uint32_t)i);
    for (int c = 0; c < channels; c++) {
        memcpy(line, brightness, (size_t)width * sizeof *line);
        for (int i = BRIGHTNESS; i < LATTICES_COUNT; i++)
            add_lattice(line, width, y, &LATTICES[i], (uint32_t)(16 + 4 * c + i - BRIGHTNESS));
        for (int x = 0; x < width; x++) {
            uint32_t place = (uint32_t)y * 0x9e3779b9u + (uint32_t)(x * channels + c);
            int value = line[x] + (int)(mix(place) & NOISE_MASK) - 8;
            value = value < LEAST ? LEAST : value > MOST ? MOST : value;
            if (image->type == SAMPLE_U8)
                row[x * channels + c] = (unsigned char)value;
            else
                row16[x * channels + c] = (uint16_t)((uint32_t)value << 8 | mix(~place) >> 24);
        }
    }
}

bool bench_picture_make(struct image *image, int threads, struct error *err)
{
    struct picture picture = {.image = image};
    if (!image_alloc(image, image->width, image->height, image->channels, image->type,
                     "the generated picture", err))
        return false;
    picture.lines = malloc(2 * (size_t)image->width * (size_t)threads * sizeof *picture.lines);
    if (!picture.lines) {
        image_free(image);
        return error_set(err, EXIT_INPUT, "the generated picture: no memory for its rows");
    }
    parallel_for(threads, image->height, make_row, &picture);
    free(picture.lines);
    return true;
}
