/* Weights in the form of the inner loops: see cpu/taps.h. */
#include "cpu/taps.h"

#include <stdlib.h>

#include "plan/rational.h"

int64_t cpu_taps_common(const int64_t *weight, int count)
{
    int64_t gcd = 0;
    for (int i = 0; i < count; i++)
        gcd = greatest_common_divisor(gcd, weight[i]);
    return gcd == 0 ? 1 : gcd;
}

bool cpu_taps_alike(const int64_t *weight, int count)
{
    for (int i = 1; i < count; i++)
        if (weight[i] != weight[0])
            return false;
    return true;
}

bool cpu_taps_make(struct cpu_taps *taps, const int64_t *weight, int count, int step,
                   int64_t common)
{
    *taps = (struct cpu_taps){.count = count, .step = step, .twins = count / 2};
    taps->weight = calloc((size_t)count, sizeof *taps->weight);
    for (int i = 0; taps->weight && i < count; i++) {
        taps->weight[i] = (uint32_t)(weight[i] / common);
        if (weight[i] != weight[count - 1 - i])
            taps->twins = 0;
    }
    return taps->weight != NULL;
}

void cpu_taps_free(struct cpu_taps *taps)
{
    free(taps->weight);
    taps->weight = NULL;
}

/* ---- steps ---- */

struct change {
    int64_t weight;
    struct cpu_step step;
};

static uint64_t size_of(int64_t weight)
{
    return weight < 0 ? -(uint64_t)weight : (uint64_t)weight;
}

/* By size, then added before taken, then by place. */
static int compare_changes(const void *a, const void *b)
{
    const struct change *x = a, *y = b;
    uint64_t size_x = size_of(x->weight), size_y = size_of(y->weight);

    if (size_x != size_y)
        return size_x < size_y ? -1 : 1;
    if ((x->weight < 0) != (y->weight < 0))
        return x->weight < 0 ? 1 : -1;
    return x->step.row != y->step.row ? x->step.row - y->step.row : x->step.at - y->step.at;
}

/* The factor of the running sum at place K of a row. */
static int64_t change_at(const int64_t *row, int length, int k)
{
    return (k > 0 ? row[k - 1] : 0) - (k < length ? row[k] : 0);
}

int cpu_steps_count(const int64_t *weight, int rows, int length)
{
    int count = 0;
    for (int i = 0; i < rows; i++)
        for (int k = 0; k <= length; k++)
            count += change_at(weight + (size_t)i * (size_t)length, length, k) != 0;
    return count;
}

bool cpu_steps_make(struct cpu_steps *s, const int64_t *weight, int rows, int length, int stride)
{
    size_t count = (size_t)cpu_steps_count(weight, rows, length), used = 0;
    struct change *change = malloc((count + 1) * sizeof *change); /* + 1: never of no bytes */
    struct cpu_step_group *group;

    s->group = group = calloc(count + 1, sizeof *s->group);
    s->step = malloc((count + 1) * sizeof *s->step);
    if (!change || !s->group || !s->step) {
        free(change);
        return false;
    }
    for (int i = 0; i < rows; i++, weight += length)
        for (int k = 0; k <= length; k++)
            if (change_at(weight, length, k) != 0)
                change[used++] = (struct change){change_at(weight, length, k), {i, k * stride}};
    qsort(change, count, sizeof *change, compare_changes);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || size_of(change[i].weight) != group->size)
            (group = &s->group[s->groups++])->size = size_of(change[i].weight);
        *(change[i].weight > 0 ? &group->added : &group->taken) += 1;
        s->step[i] = change[i].step;
    }
    free(change);
    return true;
}

void cpu_steps_free(struct cpu_steps *s)
{
    free(s->group);
    free(s->step);
}
