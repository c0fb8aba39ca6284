/* Ends of runs: see cpu/runs.h. */
#include "cpu/runs.h"

#include <stdlib.h>

#include "cpu/taps.h"

/* What the running sum at place j of a row is to be multiplied with, j = 0 .. width. */
static int64_t weight_at(const struct plan_mask *m, int i, int j)
{
    const int64_t *row = m->weight + (size_t)i * (size_t)m->width;
    return (j > 0 ? row[j - 1] : 0) - (j < m->width ? row[j] : 0);
}

/* The size that the most ends have: that of the first one, which is right for masks of one
 * weight. 0: there are none. */
static int64_t common_size(const struct plan_mask *m)
{
    for (int i = 0; i < m->height; i++)
        for (int j = 0; j <= m->width; j++) {
            int64_t w = weight_at(m, i, j);
            if (w != 0)
                return w < 0 ? -w : w;
        }
    return 0;
}

int cpu_runs_count(const struct plan_mask *m, int *others)
{
    int64_t size = common_size(m);
    int count = 0;

    *others = 0;
    for (int i = 0; i < m->height; i++)
        for (int j = 0; j <= m->width; j++) {
            int64_t w = weight_at(m, i, j);
            count += w != 0;
            *others += w != 0 && w != size && w != -size;
        }
    return count;
}

void *cpu_runs_make(struct cpu_runs *runs, const struct plan_mask *m, int channels)
{
    int others, count = cpu_runs_count(m, &others), at[3] = {0};
    int64_t size = common_size(m);
    struct cpu_run_end *end = malloc((size_t)count * (sizeof *end + sizeof(uint32_t)) + 1);
    uint32_t *other = (uint32_t *)(end + count);

    if (!end)
        return NULL;
    *runs = (struct cpu_runs){.others = others, .weight = (uint32_t)size, .end = end};
    runs->other = other;
    for (int pass = 0; pass < 2; pass++) { /* count, then put in order */
        for (int i = 0; i < m->height; i++)
            for (int j = 0; j <= m->width; j++) {
                int64_t w = weight_at(m, i, j);
                int kind = w == size ? 0 : w == -size ? 1 : 2;
                if (w == 0)
                    continue;
                if (pass == 1)
                    end[at[kind]] = (struct cpu_run_end){i, j * channels};
                if (pass == 1 && kind == 2)
                    *other++ = (uint32_t)w;
                at[kind]++;
            }
        if (pass == 0) {
            runs->added = at[0];
            runs->taken = at[1];
            at[2] = at[0] + at[1];
            at[1] = at[0];
            at[0] = 0;
        }
    }
    return end;
}

/* CHANNELS is a constant where it is called: the sums stay in registers. */
static inline __attribute__((always_inline)) void sum_up(uint32_t *line, int n, int channels)
{
    uint32_t sum[4] = {0};
    for (int x = 0; x < n; x += channels)
        for (int c = 0; c < channels; c++)
            line[x + c] = sum[c] += line[x + c];
}

void cpu_runs_sum_up(uint32_t *line, int n, int channels)
{
    if (channels == 1)
        sum_up(line, n, 1);
    else if (channels == 2)
        sum_up(line, n, 2);
    else if (channels == 3)
        sum_up(line, n, 3);
    else
        sum_up(line, n, 4);
}
