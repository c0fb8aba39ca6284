/* Windows as runs: see cpu/window.h. */
#include "cpu/window.h"

#include <stdlib.h>

/* Finds the run of row I that begins at column FROM or behind it; its length is 0 if there is
 * none. */
static struct cpu_run next_run(const struct plan_mask *m, int i, int from)
{
    const int64_t *row = m->weight + (size_t)i * (size_t)m->width;
    struct cpu_run run = {.row = i, .left = from};

    while (run.left < m->width && row[run.left] == 0)
        run.left++;
    while (run.left + run.length < m->width && row[run.left + run.length] != 0)
        run.length++;
    return run;
}

/* Writes the runs to RUN, unless that is NULL; returns their number. */
static int find_runs(const struct plan_mask *m, struct cpu_run *run)
{
    int count = 0;

    for (int i = 0; i < m->height; i++)
        for (struct cpu_run r = next_run(m, i, 0); r.length > 0;
             r = next_run(m, i, r.left + r.length), count++)
            if (run)
                run[count] = r;
    return count;
}

int cpu_window_runs(const struct plan_mask *m)
{
    return find_runs(m, NULL);
}

bool cpu_window_is_rectangle(const struct plan_mask *m)
{
    return m->sum == (int64_t)m->width * m->height;
}

bool cpu_window_make(struct cpu_window *window, const struct plan_mask *m)
{
    window->runs = cpu_window_runs(m);
    window->is_rectangle = cpu_window_is_rectangle(m);
    window->run = malloc((size_t)window->runs * sizeof *window->run);
    if (!window->run)
        return false;
    find_runs(m, window->run);
    return true;
}

void cpu_window_free(struct cpu_window *window)
{
    free(window->run);
}
