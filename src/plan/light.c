/* The tables of linear light: see plan/light.h. */
#include "plan/light.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

/* One table for each max that was asked for. */
struct kept {
    struct light light;
    struct kept *next;
};

static double curve(double v)
{
    return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
}

static bool make(struct light *l, uint32_t max)
{
    uint32_t code = 0;

    l->max = max;
    l->scale = max <= UINT8_MAX ? 257 : 17;
    l->top = l->scale * max;
    l->type = max <= UINT8_MAX ? SAMPLE_U16 : SAMPLE_U32;
    l->light = malloc((max + 1) * sizeof *l->light);
    l->code = malloc((l->top + 1) * sizeof *l->code);
    if (!l->light || !l->code) {
        free(l->light);
        free(l->code);
        return false;
    }
    for (uint32_t c = 0; c <= max; c++)
        l->light[c] = (uint32_t)floor(l->top * curve((double)c / max) + 0.5);
    for (uint32_t light = 0; light <= l->top; light++) {
        while (code < max && 2 * light >= l->light[code] + l->light[code + 1])
            code++;
        l->code[light] = (uint16_t)code;
    }
    return true;
}

const struct light *light_find(uint32_t max, struct error *err)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static struct kept *first;
    struct kept *kept;

    pthread_mutex_lock(&lock);
    for (kept = first; kept && kept->light.max != max; kept = kept->next)
        ;
    if (!kept && (kept = calloc(1, sizeof *kept))) {
        if (make(&kept->light, max)) {
            kept->next = first;
            first = kept;
        } else {
            free(kept);
            kept = NULL;
        }
    }
    pthread_mutex_unlock(&lock);
    if (!kept)
        error_set(err, EXIT_INPUT, "no memory for the table of linear light");
    return kept ? &kept->light : NULL;
}
