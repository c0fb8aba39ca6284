/* The inner loops of colour weighted by alpha in portable C, for one kind of floating point; a part
 * of cpu/ops_template.h, which includes it for float and for double (REAL; REAL_BITS: an integer as
 * wide; REAL_LANES: of 32 bytes; REAL_SPREAD_4 and _2: for each lane its pixel's last one). What
 * they mean and why they are right: cpu/weighted_plan.h. No guard: it is read twice. */
#define REAL_PASTE2(a, b) a##_##b
#define REAL_PASTE(a, b)  REAL_PASTE2(a, b)
#define REAL_NAME(a)      REAL_PASTE(a, REAL)
#define REAL_VECTOR       REAL_NAME(reals)
#define REAL_MASK         REAL_NAME(real_bits)
#define REAL_INTS         REAL_NAME(real_ints)
#define REAL_WIDE         REAL_NAME(real_wide)

typedef REAL REAL_VECTOR __attribute__((vector_size(32)));
typedef REAL_BITS REAL_MASK __attribute__((vector_size(32)));
typedef int32_t REAL_INTS __attribute__((vector_size(4 * REAL_LANES)));
typedef REAL REAL_WIDE __attribute__((vector_size(OPS_VECTOR_BYTES)));

static void REAL_NAME(real_prepare)(const uint32_t *line, int channels, void *plain, void *product,
                                    int n)
{
    REAL_VECTOR one;
    REAL_MASK last;
    for (int k = 0; k < REAL_LANES; k++) {
        one[k] = 1;
        last[k] = k % channels == channels - 1 ? -1 : 0;
    }
    for (int x = 0; x < n; x += REAL_LANES) {
        REAL_INTS in;
        REAL_VECTOR v, alpha;
        memcpy(&in, line + x, sizeof in);
        v = __builtin_convertvector(in, REAL_VECTOR);
        memcpy((REAL *)plain + x, &v, sizeof v);
        alpha = channels == 4 ? __builtin_shufflevector(v, v, REAL_SPREAD_4)
                              : __builtin_shufflevector(v, v, REAL_SPREAD_2);
        v *= (REAL_VECTOR)(((REAL_MASK)alpha & ~last) | ((REAL_MASK)one & last));
        memcpy((REAL *)product + x, &v, sizeof v);
    }
}

static inline void REAL_NAME(real_add)(REAL_WIDE *sum, const REAL *samples, REAL weight)
{
    REAL_WIDE v;
    memcpy(&v, samples, sizeof v);
    *sum += v * weight;
}

/* Row by row, so that no number goes through more than width + height sums. */
static void REAL_NAME(real_sums)(const struct cpu_real_mask *mask, const void *const *rows,
                                 void *sums, int n)
{
    enum { SUM_LANES = OPS_VECTOR_BYTES / sizeof(REAL) };
    for (int x = 0; x < n; x += 4 * SUM_LANES) {
        const REAL *weight = mask->weight;
        REAL_WIDE a = {0}, b = {0}, c = {0}, d = {0};
        for (int i = 0; i < mask->height; i++) {
            const REAL *row = (const REAL *)rows[i] + x;
            REAL_WIDE e = {0}, f = {0}, g = {0}, h = {0};
            for (int j = 0; j < mask->width; j++, row += mask->step) {
                REAL w = *weight++;
                REAL_NAME(real_add)(&e, row, w);
                REAL_NAME(real_add)(&f, row + SUM_LANES, w);
                REAL_NAME(real_add)(&g, row + 2 * SUM_LANES, w);
                REAL_NAME(real_add)(&h, row + 3 * SUM_LANES, w);
            }
            a += e;
            b += f;
            c += g;
            d += h;
        }
        memcpy((REAL *)sums + x, &a, sizeof a);
        memcpy((REAL *)sums + x + SUM_LANES, &b, sizeof b);
        memcpy((REAL *)sums + x + 2 * SUM_LANES, &c, sizeof c);
        memcpy((REAL *)sums + x + 3 * SUM_LANES, &d, sizeof d);
    }
}

#define REAL_CLAMP(v)                                                                              \
    do {                                                                                           \
        REAL_MASK real_less = (REAL_MASK)((v) < max);                                              \
        (v) = (REAL_VECTOR)(((REAL_MASK)(v)&real_less) | ((REAL_MASK)max & ~real_less));           \
        (v) = (REAL_VECTOR)((REAL_MASK)(v) & (REAL_MASK)((v) > zero));                             \
    } while (0)

static void REAL_NAME(real_quotients)(const struct cpu_quotients *q, const void *sums,
                                      int32_t *quotient, int n)
{
    REAL_VECTOR scale, low, high, one, max, zero = {0};
    REAL_MASK divided;
    for (int k = 0; k < REAL_LANES; k++) {
        scale[k] = (REAL)q->scale[k % 4];
        low[k] = (REAL)q->low[k % 4];
        high[k] = (REAL)q->high[k % 4];
        divided[k] = q->divided[k % 4] ? -1 : 0;
        one[k] = 1;
        max[k] = (REAL)q->max;
    }
    for (int x = 0; x < n; x += REAL_LANES) {
        REAL_VECTOR s, by, below, above;
        REAL_INTS floor_below, floor_above;
        REAL_MASK none;
        memcpy(&s, (const REAL *)sums + x, sizeof s);
        by = q->channels == 4 ? __builtin_shufflevector(s, s, REAL_SPREAD_4)
                              : __builtin_shufflevector(s, s, REAL_SPREAD_2);
        by = (REAL_VECTOR)(((REAL_MASK)by & divided) | ((REAL_MASK)one & ~divided));
        none = (REAL_MASK)(by <= zero);
        by = (REAL_VECTOR)((REAL_MASK)by | ((REAL_MASK)one & none));
        s = s / by * scale;
        below = s + low;
        above = s + high;
        REAL_CLAMP(below);
        REAL_CLAMP(above);
        /* 0 and max: not the same */
        below = (REAL_VECTOR)((REAL_MASK)below & ~none);
        above = (REAL_VECTOR)(((REAL_MASK)above & ~none) | ((REAL_MASK)max & none));
        floor_below = __builtin_convertvector(below, REAL_INTS);
        floor_above = __builtin_convertvector(above, REAL_INTS);
        floor_below |= (REAL_INTS)(floor_below != floor_above);
        memcpy(quotient + x, &floor_below, sizeof floor_below);
    }
}

#undef REAL_CLAMP
#undef REAL_WIDE
#undef REAL_INTS
#undef REAL_MASK
#undef REAL_VECTOR
#undef REAL_NAME
#undef REAL_PASTE
#undef REAL_PASTE2
#undef REAL
#undef REAL_BITS
#undef REAL_LANES
#undef REAL_SPREAD_4
#undef REAL_SPREAD_2
