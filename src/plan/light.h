/* Linear light (--light linear): the tables of the sRGB curve, from codes to light and back. Light
 * is a whole number that is proportional to the light's power.
 *
 *   light(code) = round( top * curve(code / max) )
 *   curve(v)    = v / 12.92  up to 0.04045, else  ((v + 0.055) / 1.055)^2.4      (IEC 61966-2-1)
 *   code(light) = the code whose light is nearest, the greater of two
 *
 * top is max times an odd number, the scale: 257 up to a max of 255, so that light has 16 bits,
 * else 17, so that it has 21 bits. The curve is flattest at 0, where a step of one code is a step
 * of scale / 12.92 in light. That is more than 1, so no two codes have the same light, and every
 * code comes back. Alpha has no curve and is multiplied by the scale; because the scale is odd,
 * rounding twice gives what rounding once would give. */
#ifndef STENCIL_PLAN_LIGHT_H
#define STENCIL_PLAN_LIGHT_H

#include "base/image.h"

struct light {
    uint32_t max, top;     /* the greatest code, and its light */
    uint32_t scale;        /* top / max */
    enum sample_type type; /* of light: U16 or U32 */
    uint32_t *light;       /* of each code, 0 to max */
    uint16_t *code;        /* of each light, 0 to top */
};

/* The table for samples up to MAX. It is made once and kept. NULL with an error: no memory. */
const struct light *light_find(uint32_t max, struct error *err);

#endif
