/* Fuzz target: any bytes as mask text. A text that parses must make plans that keep their bounds,
 * and must print as text that parses to the same mask. Run by scripts/fuzz; a violation is a trap,
 * which the fuzzer reports with the input. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "plan/mask.h"
#include "plan/plan.h"

/* Longer texts test nothing new, and the ranks of large masks would make runs slow. */
#define MAX_BYTES 4096

static void require(bool condition)
{
    if (!condition)
        __builtin_trap();
}

static void check_plan(struct mask *mask, uint32_t max)
{
    struct plan_mask plan, turned;
    struct error err;
    __extension__ typedef __int128 int128;
    int cells = mask->width * mask->height;
    int128 sum = 0, sum_abs = 0;

    bool made = plan_mask_make(&plan, mask, max, &err);
    mask_flip(mask);
    require(made == plan_mask_make(&turned, mask, max, &err));
    mask_flip(mask);
    if (!made) {
        require(err.code == EXIT_USAGE && !plan.weight);
        return;
    }
    require(plan.divisor >= 1 && plan.divisor == turned.divisor && plan.sum == turned.sum);
    for (int k = 0; k < cells; k++) {
        int64_t w = plan.weight[k];
        sum += w;
        sum_abs += w < 0 ? -w : w;
        /* Quantised weights may differ by the unit that goes to the first of equal rests. */
        int64_t difference = w - turned.weight[cells - 1 - k];
        require(difference == 0 || (plan.quantised_bits >= 0 && llabs(difference) <= 1));
        require(!plan.row || w == (int128)plan.column[k / plan.width] * plan.row[k % plan.width]);
    }
    int128 bound = sum_abs * max + (plan.offset < 0 ? -plan.offset : plan.offset) + plan.divisor;
    require(sum == plan.sum && sum_abs == plan.sum_abs && bound == plan.bound);
    require(bound < (int128)1 << 62);
    int rank = plan_mask_rank(&plan);
    require((rank == 1) == (plan.row != NULL) && (rank == 0) == (sum_abs == 0));
    plan_mask_free(&plan);
    plan_mask_free(&turned);
}

static bool equal(const struct mask *a, const struct mask *b)
{
    bool same = a->width == b->width && a->height == b->height && a->anchor_x == b->anchor_x &&
                a->anchor_y == b->anchor_y && mpq_equal(a->divisor, b->divisor) &&
                mpq_equal(a->offset, b->offset) && a->offset_percent == b->offset_percent &&
                (a->title == NULL) == (b->title == NULL) &&
                (!a->title || strcmp(a->title, b->title) == 0);
    for (int k = 0; same && k < a->width * a->height; k++)
        same = mpq_equal(a->weight[k], b->weight[k]);
    return same;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct mask mask, again;
    struct error err;

    if (bytes > MAX_BYTES)
        return 0;
    char given[MAX_BYTES + 1] = "";
    memcpy(given, data, bytes);
    if (!mask_parse(&mask, "mask", given, bytes, &err)) {
        require(err.code == EXIT_USAGE && strncmp(err.text, "mask:", 5) == 0 && !mask.weight);
        return 0;
    }
    check_plan(&mask, 255);
    check_plan(&mask, 65535);
    char *text = mask_print(&mask, &err);
    require(text != NULL);
    require(mask_parse(&again, "mask", text, strlen(text), &err));
    require(equal(&mask, &again));
    free(text);
    mask_free(&mask);
    mask_free(&again);
    return 0;
}
