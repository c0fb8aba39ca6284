/* Counts of a kernel, and of our own kernels: see ladder.h. */
#include "try/ladder.h"

#include <string.h>

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
