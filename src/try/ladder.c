/* Counts of a kernel, and of our own kernels: see ladder.h. */
#include "try/ladder.h"

#include <stdio.h>

static const struct {
    const char *key, *title;
    size_t at;
    bool of_block; /* else of an output */
} counts[LADDER_COUNTS] = {
    {"global_loads", "global loads an output", offsetof(struct try_counts, global_loads), false},
    {"n_loads", "loads of N an output", offsetof(struct try_counts, n_loads), false},
    {"global_stores", "global stores an output", offsetof(struct try_counts, global_stores), false},
    {"transactions", "32-byte transactions an output", offsetof(struct try_counts, transactions),
     false},
    {"constant_loads", "loads of constants an output", offsetof(struct try_counts, constant_loads),
     false},
    {"shared_loads", "shared loads an output", offsetof(struct try_counts, shared_loads), false},
    {"shared_stores", "shared stores an output", offsetof(struct try_counts, shared_stores), false},
    {"bank_conflicts", "bank conflicts an output", offsetof(struct try_counts, conflicts), false},
    {"threads", "threads an output", offsetof(struct try_counts, threads), false},
    {"divergent_branches", "divergent branches a block", offsetof(struct try_counts, divergences),
     true},
    {"barriers", "barriers a block", offsetof(struct try_counts, barriers), true},
};

const char *ladder_count_key(int count)
{
    return counts[count].key;
}

const char *ladder_count_title(int count)
{
    return counts[count].title;
}

double ladder_count_of(const struct try_counts *of, int count)
{
    const long long value = *(const long long *)((const char *)of + counts[count].at);
    const long long by = counts[count].of_block ? of->blocks : of->outputs;
    return by > 0 ? (double)value / (double)by : 0;
}

/* ---- our own kernels, on the case that is counted, with a mask of 5 or 5 x 5 ---- */

static const struct row {
    const char *name;
    int dims;
    double count[LADDER_COUNTS];
} rows[] = {
#include "try/ladder.inc"
};

const char *ladder_name(const struct try_case *it, int kernel)
{
    const int dims = it->mask_rows > 1 ? 2 : 1;

    for (size_t i = 0; it->mask_width == 5 && i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].dims == dims && kernel-- == 0)
            return rows[i].name;
    return NULL;
}

double ladder_count(const struct try_case *it, int kernel, int count)
{
    const int dims = it->mask_rows > 1 ? 2 : 1;

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].dims == dims && kernel-- == 0)
            return rows[i].count[count];
    return -1;
}

/* ---- what the counts and times say ---- */

struct ladder_reuse ladder_reuse_of(const struct try_file *file, const struct try_case *it,
                                    const struct try_counts *of)
{
    const int *tile = file->tile, k = it->mask_width;
    const double weights = (double)k * it->mask_rows;
    struct ladder_reuse reuse = {.predicted = (double)tile[0] * k / (tile[0] + k - 1),
                                 .counted = (double)of->outputs * weights /
                                            (double)(of->n_loads ? of->n_loads : 1)};
    char blocks[32];

    if (it->mask_rows > 1) {
        reuse.predicted *= (double)tile[1] * k / (tile[1] + k - 1);
        snprintf(blocks, sizeof blocks, "%d x %d", tile[0], tile[1]);
    } else {
        snprintf(blocks, sizeof blocks, "%d", tile[0]);
    }
    snprintf(
        reuse.sentence, sizeof reuse.sentence,
        "reuse: a block of %s outputs that shares its cells loads N %.1f times less often than "
        "once a weight; yours %.1f times",
        blocks, reuse.predicted, reuse.counted);
    return reuse;
}

void ladder_say_time(char *text, size_t room, const struct try_file *file,
                     const struct try_counts *of, const struct try_gpu *gpu)
{
    const double n = try_type_bytes(file->type[ROLE_N]), p = try_type_bytes(file->type[ROLE_P]);
    const double outputs = (double)of->outputs, copies = gpu->ms / gpu->copy_ms;
    /* A copy loads and stores the smaller of N and P. */
    const double loads = ((double)of->n_loads * n + outputs * p) / (2 * (n < p ? n : p) * outputs);

    snprintf(text, room,
             "its loads of N and stores of P would take %.1f copies if each went to memory; it "
             "takes %.1f: %s",
             loads, copies,
             copies < 0.7 * loads   ? "the caches serve many of its loads"
             : copies > 1.5 * loads ? "most of the time goes into other work: shared memory, "
                                      "barriers, arithmetic, or branches"
                                    : "about what its loads and stores take");
}
