/* Cases for the checker: see tests/kernel/checker_cases.h. */
#include "tests/kernel/checker_cases.h"

#include <stdio.h>
#include <string.h>

#include "plan/bilateral.h"
#include "plan/order.h"
#include "tests/kernel/checker_masks.h"
#include "tests/random.h"

struct size {
    int width, height;
};

/* One cell; lines; sizes around the tiles 8, 16, 32 and 64; primes; two tiles of 112 rows and three
 * of 96. Then the largest size, whose middle band has tiles of 128 pixels without ghost cells under
 * masks of up to 7 rows. The last size has such tiles under larger masks too, and is only for masks
 * of weighted alpha. The small cases use the first 7 sizes, some with several tiles of 48 rows. */
static const struct size SIZES[] = {
    {1, 1},   {1, 17},  {19, 1},  {2, 3},   {7, 7},   {5, 113},  {9, 9},
    {15, 31}, {16, 16}, {17, 33}, {8, 8},   {31, 8},  {32, 32},  {33, 13},
    {63, 5},  {64, 15}, {65, 64}, {97, 61}, {3, 193}, {2500, 9}, {283, 53},
};
#define SIZE_COUNT ((int)(sizeof SIZES / sizeof *SIZES) - 1)

/* After these, pictures of few rows in every width from 321 to 384: the last block of a row ends at
 * each distance from the picture's edge. Order filters get more rows than a block makes at a time.
 */
#define WIDTHS      64
#define FIRST_WIDTH 321
#define WIDTHS_ROWS 3
#define ORDER_ROWS  9

/* The number of SIZES for a mask of this many cells: the reference computes cells * cells
 * products. */
static int sizes_of(int mask, bool small)
{
    int cells = check_mask_cells(mask);
    if (small)
        return cells > 600 ? 1 : cells > 100 ? 5 : 7;
    if (cells <= 150)
        return SIZE_COUNT + check_mask_is_weighted(mask);
    return cells > 60000 ? 7 : cells > 5000 ? 9 : cells > 600 ? 15 : 19;
}

/* Both depths for every size and border, and for every width. */
int check_case_count(int mask, bool small)
{
    int cells = check_mask_cells(mask);
    if (small)
        return cells > 5000 ? 0 : sizes_of(mask, true) * 2;
    return (sizes_of(mask, false) * BORDER_COUNT + (cells > 600 ? 0 : WIDTHS)) * 2;
}

/* The size and the border of a case, and its depth: 0 for 8 bits, 1 for 16. */
struct place {
    struct size size;
    int border, depth;
};

static struct place place_of(int mask, int index, bool small)
{
    const int sizes = sizes_of(mask, small), depth = index % 2, turn = index / 2;
    const int width = turn - sizes * BORDER_COUNT;
    const int rows = check_mask_order(mask) ? ORDER_ROWS : WIDTHS_ROWS;

    if (small || width < 0)
        return (struct place){SIZES[turn % sizes], turn / sizes, depth};
    return (struct place){{FIRST_WIDTH + width, rows}, (width / 2 + mask) % BORDER_COUNT, depth};
}

bool check_case_is_quick(int mask, int index)
{
    const int sizes = sizes_of(mask, false), size = index / 2 % sizes, border = index / 2 / sizes;
    return border >= BORDER_COUNT || (size + index % 2 + border + mask) % 3 == 0;
}

/* Sets alpha as filter_plan resolves it: WEIGHTED needs a mask without negative weights and with a
 * sum. */
static void choose_alpha(struct check_case *c, bool weighted, uint64_t *state)
{
    struct plan *plan = &c->plan;
    plan->alpha = ALPHA_PLAIN;
    if (image_has_alpha(c->channels)) {
        plan->alpha = weighted ? ALPHA_WEIGHTED : (enum alpha_mode)pick(state, 3);
        if (plan->alpha == ALPHA_WEIGHTED &&
            (plan->kind == PLAN_GRADIENT || plan->kind == PLAN_ORDER ||
             plan->mask[0].has_negative || plan->mask[0].sum == 0))
            plan->alpha = ALPHA_IGNORE;
    }
    plan->filtered = (1u << c->channels) - 1;
    if (pick(state, 5) == 0)
        plan->filtered &= (unsigned)pick(state, 16);
    if (plan->alpha == ALPHA_IGNORE)
        plan->filtered &= ~(1u << (c->channels - 1));
}

static void choose_picture(struct check_case *c, const struct place *place, bool weighted,
                           uint64_t *state)
{
    static const uint32_t MAX_8[] = {255, 255, 255, 254, 7, 1};
    static const uint32_t MAX_16[] = {65535, 65535, 65535, 321, 4095, 32768, 0, 0};
    c->width = place->size.width;
    c->height = place->size.height;
    c->channels = weighted ? 2 + 2 * pick(state, 2) : 1 + pick(state, 4);
    c->type = place->depth ? SAMPLE_U16 : SAMPLE_U8;
    c->extra_pitch = pick(state, 3) * 5;
    c->pattern = pick(state, 7);
    c->plan.max = c->type == SAMPLE_U8 ? MAX_8[pick(state, 6)] : MAX_16[pick(state, 8)];
    if (c->plan.max == 0) { /* any odd one, of any number of bits */
        const uint32_t value = 256 + (uint32_t)pick(state, 65536 - 256);
        c->plan.max = value >> pick(state, 8) | 257;
    }
    c->plan.type = c->type;
    c->plan.channels = c->channels;
}

/* Now and then: samples of 32 bits, in place of 16. */
static void choose_wide(struct check_case *c, uint64_t *state)
{
    if (c->plan.kind == PLAN_ORDER || c->plan.kind == PLAN_BILATERAL || c->type != SAMPLE_U16 ||
        pick(state, 16) != 0)
        return;
    c->type = c->plan.type = SAMPLE_U32;
    c->plan.max *= 17;
    if (c->plan.border == BORDER_CONSTANT)
        c->plan.border_value = random_next(state) % (c->plan.max + 1);
}

/* Now and then: a sample that counts for nothing; a region. */
static void choose_around(struct check_case *c, uint64_t *state)
{
    struct plan *plan = &c->plan;

    if (plan->kind == PLAN_LINEAR && !plan->mask[0].has_negative && plan->mask[0].sum > 0 &&
        c->type != SAMPLE_U32 && pick(state, 16) == 0) {
        plan->has_nodata = true;
        plan->nodata = pick(state, 2) ? plan->max : random_next(state) % (plan->max + 1);
    }
    if (c->type != SAMPLE_U32 && pick(state, 16) == 0)
        plan->region = (struct plan_region){pick(state, c->width), pick(state, c->height),
                                            1 + pick(state, c->width), 1 + pick(state, c->height)};
}

/* Makes the steps of an order filter. */
static bool make_order(struct plan *plan, int mask, struct error *err)
{
    const char *words = check_mask_order(mask);
    char name[16];
    struct filter_request request = {0};

    snprintf(name, sizeof name, "%.*s", (int)strcspn(words, " "), words);
    if (strchr(words, ' '))
        request.rank = strchr(words, ' ') + 1;
    request.filter = filter_find(name);
    return order_make_steps(plan, &request, err);
}

static size_t device_line(size_t bytes)
{
    return (bytes + 255) / 256 * 256;
}

/* A limit for about a third of the rows at a time: two pictures (rows have up to 256 bytes to
 * spare), a plane with halo, up to five planes without, the weights. */
static size_t strip_limit(const struct check_case *c)
{
    const struct plan_mask *m = &c->plan.mask[0];
    size_t picture = device_line((size_t)c->width * (size_t)c->channels * c->type + 256);
    size_t plane = device_line(((size_t)c->width + (size_t)m->width) * sizeof(int64_t));
    size_t rows = (size_t)c->height / 3 + 1, halo = (size_t)m->height + 2;
    size_t weights = (size_t)m->width * (size_t)m->height * sizeof(int64_t) + 4096;
    return (rows + halo) * (2 * picture + plane) + rows * 5 * plane + 2 * weights;
}

bool check_case_make(struct check_case *c, int mask, int index, int number, uint64_t seed,
                     bool small)
{
    const struct place place = place_of(mask, index, small);
    bool weighted = check_mask_is_weighted(mask);
    uint64_t state = seed * 1000003 + (uint64_t)number;
    struct plan_overrides turn = {0};
    struct filter_request request = {0};
    struct mask rational = {0};
    struct error err;
    bool ok = true;

    memset(c, 0, sizeof *c);
    c->number = number;
    choose_picture(c, &place, weighted, &state);
    c->plan.border = (enum border)((place.border + (small ? pick(&state, 6) : 0)) % 6);
    c->plan.border_value =
        c->plan.border == BORDER_CONSTANT ? random_next(&state) % (c->plan.max + 1) : 0;
    c->plan.repeat = pick(&state, 9) == 0 ? 2 + pick(&state, 2) : 1;
    c->plan.masks = check_mask_parts(mask);
    c->plan.kind = check_mask_order(mask)   ? PLAN_ORDER
                   : check_mask_range(mask) ? PLAN_BILATERAL
                   : c->plan.masks == 2     ? PLAN_GRADIENT
                                            : PLAN_LINEAR;
    choose_wide(c, &state);
    turn.flip = pick(&state, 4) == 0;
    for (int k = 0; ok && k < c->plan.masks; k++) {
        ok = check_mask_make(&rational, mask, k, &state, &err) &&
             plan_mask_override(&rational, &turn, &err) &&
             (c->plan.kind != PLAN_ORDER || order_flatten(&rational, &err)) &&
             plan_mask_make(&c->plan.mask[k], &rational, c->plan.max, &err);
        mask_free(&rational);
    }
    if (!ok) {
        printf("# mask %s: %s\n", check_mask_name(mask), err.text);
        plan_free(&c->plan);
        return false;
    }
    if (c->plan.kind == PLAN_LINEAR && plan_mask_is_long(&c->plan.mask[0]))
        c->plan.kind = PLAN_LONG;
    choose_alpha(c, weighted, &state);
    choose_around(c, &state);
    request.range = check_mask_range(mask);
    if ((c->plan.kind == PLAN_ORDER && !make_order(&c->plan, mask, &err)) ||
        !bilateral_make_range(&c->plan, &request, &err)) {
        printf("# mask %s: %s\n", check_mask_name(mask), err.text);
        plan_free(&c->plan);
        return false;
    }
    c->seed = random_next(&state);
    c->strip_bytes = strip_limit(c);
    snprintf(c->text, sizeof c->text,
             "mask %s%s, %dx%d, %d channels, %d bits, max %u, border %s %u, alpha mode %d, "
             "filtered %x, repeat %d, pattern %d, pitch +%d, nodata %d, region %d,%d,%d,%d",
             check_mask_name(mask), turn.flip ? " flipped" : "", c->width, c->height, c->channels,
             8 * c->type, c->plan.max, border_name(c->plan.border), c->plan.border_value,
             (int)c->plan.alpha, c->plan.filtered, c->plan.repeat, c->pattern, c->extra_pitch,
             c->plan.has_nodata ? (int)c->plan.nodata : -1, c->plan.region.x, c->plan.region.y,
             c->plan.region.width, c->plan.region.height);
    return true;
}

void check_case_free(struct check_case *c)
{
    plan_free(&c->plan);
}

/* A sample of the pattern: random, all 0, all max, checkerboard, one impulse (its output shows the
 * mask and its orientation), random with alpha mostly 0 or max, such alpha in blocks, small or
 * large blocks. */
static uint32_t pattern_sample(const struct check_case *c, int y, int x, int channel,
                               uint64_t *state)
{
    uint32_t max = c->plan.max, value = (uint32_t)(random_next(state) % (max + 1));
    bool is_alpha = image_has_alpha(c->channels) && channel == c->channels - 1;
    int across = c->seed % 2 ? 9 : 47, down = c->seed % 2 ? 7 : 40;
    switch (c->pattern) {
    case 1:
        return 0;
    case 2:
        return max;
    case 3:
        return (x + y + channel) % 2 ? max : 0;
    case 4:
        return x == c->width / 2 && y == c->height / 2 ? max : 0;
    case 5:
        return is_alpha ? (value % 3 == 0 ? 0 : value % 3 == 1 ? max : value) : value;
    case 6:
        return !is_alpha || (x / across + y / down) % 3 == 2 ? value
               : (x / across + y / down) % 3                 ? max
                                                             : 0;
    default:
        return value;
    }
}

void check_case_fill(const struct check_case *c, struct image *image)
{
    uint64_t state = c->seed;
    for (int y = 0; y < c->height; y++)
        for (int x = 0; x < c->width; x++)
            for (int channel = 0; channel < c->channels; channel++) {
                uint32_t value = pattern_sample(c, y, x, channel, &state);
                size_t i = (size_t)x * (size_t)c->channels + (size_t)channel;
                if (c->type == SAMPLE_U8)
                    ((uint8_t *)image_row(image, y))[i] = (uint8_t)value;
                else if (c->type == SAMPLE_U16)
                    ((uint16_t *)image_row(image, y))[i] = (uint16_t)value;
                else
                    ((uint32_t *)image_row(image, y))[i] = value;
            }
}
