/* The places where the textbook's chapter 7 or the teaching kit print another
 * number than the exact ratio gives: what they print, and why it differs. The right
 * number is not kept here; it is worked out from the case. */
#include "bench/reuse.h"

#include <stdio.h>

static const struct reuse_note notes[] = {
    {1, 5, 128, "the teaching kit (module 8.4)", "4.9", 1,
     "4.9 is what the next column, T = 256, rounds to"},
    {1, 11, 32, "the chapter (section 7.4)", "8.14", 2,
     "it subtracts 10 loads for ghost cells, (32*11-10)/(32+10), but an internal tile has none"},
    {1, 11, 128, "the chapter (section 7.4)", "10.13", 2,
     "it subtracts 10 loads for ghost cells, (128*11-10)/(128+10), but an internal tile has none"},
    {2, 5, 32, "the chapter (Fig. 7.22) and in the teaching kit (module 8.4)", "19.7", 1,
     "the other digits were cut off there"},
};

const struct reuse_note *reuse_note_find(const struct reuse_shape *shape)
{
    int height = shape->dims == 1 ? 1 : shape->mask_width;
    for (size_t i = 0; i < sizeof notes / sizeof notes[0]; i++) {
        if (notes[i].dims == shape->dims && notes[i].mask == shape->mask_width &&
            notes[i].tile == shape->tile && shape->mask_height == height)
            return &notes[i];
    }
    return NULL;
}

int reuse_note_text(char *text, size_t bytes, const struct reuse_note *note,
                    const struct reuse_shape *shape)
{
    struct reuse_counts tile;
    char exact[REUSE_TEXT_CHARS], rounded[REUSE_TEXT_CHARS];
    reuse_tile_count(shape, REUSE_INSIDE, REUSE_INSIDE, &tile);
    reuse_fraction_text(exact, reuse_reduction(&tile), 4);
    reuse_fraction_text(rounded, reuse_reduction(&tile), note->decimals);
    return snprintf(text, bytes,
                    "k = %d, T = %d: %s in %s. The exact ratio is %lld/%lld = %s, rounded %s; %s.",
                    note->mask, note->tile, note->prints, note->source, (long long)tile.basic,
                    (long long)tile.tiled, exact, rounded, note->why);
}
