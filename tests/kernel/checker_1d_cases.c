/* Cases for the checker of the 1D kernels: see tests/kernel/checker_1d_cases.h. Numbers are as
 * large as the job's bound allows, so that a sum in too few bits is detected; masks are random, so
 * that mixed-up cells are detected. */
#include "tests/kernel/checker_1d_cases.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/random.h"

/* Sizes around the tiles of 32 to 1024 threads and the pieces of 2048 outputs; one cell; primes. */
static const int SIZES[] = {1,   2,    3,    5,    31,   32,   33,   63,   64,
                            65,  97,   127,  128,  129,  255,  256,  257,  511,
                            513, 1023, 1024, 1025, 2047, 2048, 2049, 4099, 7919};
#define SIZE_COUNT ((int)(sizeof SIZES / sizeof *SIZES))

/* One weight; even and odd widths; wider than a small block; wider than constant memory (8192
 * integers, 16384 floats), which takes several launches. */
static const int WIDTHS[] = {1, 2, 3, 4, 5, 9, 10, 31, 64, 65, 255, 1500, 9000, 17000};
#define WIDTH_COUNT ((int)(sizeof WIDTHS / sizeof *WIDTHS))

/* -most ... most */
static int64_t pick_signed(uint64_t *state, int64_t most)
{
    return (int64_t)(random_next(state) % (uint64_t)(2 * most + 1)) - most;
}

static void put(enum signal_type type, void *cells, int i, int64_t value)
{
    if (type == SIGNAL_F32)
        ((float *)cells)[i] = (float)value;
    else
        ((int64_t *)cells)[i] = value;
}

int64_t case_1d_get(enum signal_type type, const void *cells, int i)
{
    return type == SIGNAL_F32 ? (int64_t)((const float *)cells)[i] : ((const int64_t *)cells)[i];
}

/* Random, all 0, all largest, alternating, or one impulse (its output shows the mask). */
static int64_t pattern(int kind, int n, int i, int64_t most, uint64_t *state)
{
    int64_t value = pick_signed(state, most);
    switch (kind) {
    case 1:
        return 0;
    case 2:
        return most;
    case 3:
        return i % 2 ? -most : most;
    case 4:
        return i == n / 2 ? most : 0;
    default:
        return value;
    }
}

/* Chooses bounds for which sums of WIDTH products stay below 2^BITS; *weight_most is for the
 * weights. */
static int64_t bounds(int bits, int width, uint64_t *state, int64_t *weight_most)
{
    int width_bits = 0, weight_bits, room;
    while (1 << width_bits <= width)
        width_bits++;
    room = bits - width_bits;
    weight_bits = room < 2 ? 0 : 1 + pick(state, room - 1);
    *weight_most = ((int64_t)1 << weight_bits) - (weight_bits > 0);
    return ((int64_t)1 << (room - weight_bits)) - 1;
}

/* The number of SIZES for a mask of this width: the reference computes a sum for each cell. */
static int sizes_of(int width, bool small)
{
    if (small)
        return width > 5000 ? 2 : width > 255 ? 4 : 9;
    return width > 5000 ? 7 : width > 255 ? 19 : SIZE_COUNT;
}

int case_1d_widths(void)
{
    return (int)(sizeof WIDTHS / sizeof *WIDTHS);
}

int case_1d_width(int width)
{
    return WIDTHS[width];
}

/* Every size with every border for both types; small: with one border each. */
int case_1d_count(int width, bool small)
{
    return sizes_of(WIDTHS[width], small) * 2 * (small ? 1 : BORDER_COUNT);
}

static bool fill(struct case_1d *c, int kind, int64_t most, int64_t weight_most, uint64_t *state)
{
    size_t cell = signal_cell_bytes(c->job.type);

    c->job.in = c->in = malloc((size_t)c->job.n * cell);
    c->job.weight = c->weight = malloc((size_t)c->job.mask_width * cell);
    if (!c->in || !c->weight)
        return false;
    for (int i = 0; i < c->job.n; i++)
        put(c->job.type, c->in, i, pattern(kind, c->job.n, i, most, state));
    for (int j = 0; j < c->job.mask_width; j++)
        put(c->job.type, c->weight, j, pick_signed(state, weight_most));
    return true;
}

bool case_1d_make(struct case_1d *c, int width, int index, int number, uint64_t seed, bool small)
{
    uint64_t state = seed * 1000003 + (uint64_t)number;
    int sizes = sizes_of(WIDTHS[width], small), rest = index / sizes;
    int kind = pick(&state, 3) < 2 ? 0 : 1 + pick(&state, 4);
    struct signal_job *job = &c->job;
    int64_t most, weight_most;

    memset(c, 0, sizeof *c);
    c->number = number;
    job->type = rest % 2 ? SIGNAL_I64 : SIGNAL_F32;
    job->n = SIZES[index % sizes];
    job->mask_width = WIDTHS[width];
    job->anchor = pick(&state, job->mask_width);
    job->border = (enum border)(small ? pick(&state, BORDER_COUNT) : rest / 2);
    job->threads = 1;
    most = bounds(job->type == SIGNAL_F32 ? SIGNAL_FLOAT_BITS : SIGNAL_INTEGER_BITS,
                  job->mask_width, &state, &weight_most);
    job->ghost = job->border == BORDER_CONSTANT ? pick_signed(&state, most) : 0;
    snprintf(c->text, sizeof c->text,
             "%s, %d samples, %d weights, anchor %d, border %s %" PRId64 ", pattern %d",
             job->type == SIGNAL_F32 ? "float" : "int64", job->n, job->mask_width, job->anchor,
             border_name(job->border), job->ghost, kind);
    return fill(c, kind, most, weight_most, &state);
}

void case_1d_free(struct case_1d *c)
{
    free(c->in);
    free(c->weight);
}

/* ---- the reference ---- */

/* Finds cell I by walking beyond the nearer end, one step a cell. */
static int64_t walk(const struct signal_job *job, int i)
{
    int at = i < 0 ? 0 : job->n - 1, step = i < 0 ? 1 : -1;
    int steps = i < 0 ? -i : i - (job->n - 1);

    if (i >= 0 && i < job->n)
        return case_1d_get(job->type, job->in, i);
    if (job->border == BORDER_ZERO || job->border == BORDER_CONSTANT)
        return job->border == BORDER_ZERO ? 0 : job->ghost;
    for (int k = 0; k < steps && job->border != BORDER_REPLICATE; k++) {
        bool at_end = step > 0 ? at == job->n - 1 : at == 0;
        if (job->border == BORDER_WRAP) /* outwards again, beyond the other end */
            at = (at + job->n - step) % job->n;
        else if (job->border == BORDER_REFLECT && k == 0)
            continue; /* the edge cell itself is repeated first */
        else if (!at_end)
            at += step;
        else if (job->border == BORDER_REFLECT)
            step = -step; /* at the other edge, the edge cell is repeated too */
        else if (job->n > 1)
            at += step = -step;
    }
    return case_1d_get(job->type, job->in, at);
}

bool case_1d_is_short(const struct case_1d *c)
{
    return (int64_t)c->job.n * c->job.mask_width * c->job.mask_width < 20000000;
}

bool case_1d_check(const struct case_1d *c, const void *sums)
{
    const struct signal_job *job = &c->job;

    for (int i = 0; i < job->n; i++) {
        int64_t sum = 0;
        for (int j = 0; j < job->mask_width; j++)
            sum += case_1d_get(job->type, job->weight, j) * walk(job, i - job->anchor + j);
        if (sum == case_1d_get(job->type, sums, i))
            continue;
        printf("# the reference: sample %d: %" PRId64 ", walking gives %" PRId64 "\n#   %s\n", i,
               case_1d_get(job->type, sums, i), sum, c->text);
        return false;
    }
    return true;
}
