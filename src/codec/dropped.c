/* The sentence about dropped metadata: see codec/dropped.h. It grows by names alone, so
 * every decoder says the same thing in the same words. */
#include "codec/dropped.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const struct {
    unsigned bit;
    const char *name;
    bool plural;
} table[] = {
    {DROPPED_ICC, "ICC profile", false},
    {DROPPED_EXIF, "EXIF data", true},
    {DROPPED_GAMMA, "gamma", false},
    {DROPPED_COLOURS, "colour space", false},
    {DROPPED_FRAMES, "animation frames", true},
};
#define NAMES (sizeof table / sizeof table[0])

void dropped_describe(unsigned dropped, const char *name, char *text, size_t bytes)
{
    char list[128] = "";
    size_t i, used = 0, count = 0, left = 0;
    bool plural = false;

    for (i = 0; i < NAMES; i++)
        left += (dropped & table[i].bit) != 0;
    text[0] = '\0';
    for (i = 0; i < NAMES; i++) {
        const char *before;
        if (!(dropped & table[i].bit))
            continue;
        left--;
        before = count == 0 ? "" : left == 0 ? " and " : ", ";
        /* The list holds all names with room to spare: nothing is ever cut here. */
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", before, table[i].name);
        plural = count > 0 || table[i].plural;
        count++;
    }
    if (count > 0)
        snprintf(text, bytes, "%s: %s %s not kept", name, list, plural ? "are" : "is");
}
