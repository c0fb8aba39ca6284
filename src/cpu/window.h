/* The window of an order filter as runs: adjacent cells of one of its rows. */
#ifndef STENCIL_CPU_WINDOW_H
#define STENCIL_CPU_WINDOW_H

#include "plan/plan.h"

struct cpu_window {
    int runs;
    struct cpu_run {
        int row, left, length;
    } * run;           /* row by row, from left to right; owned */
    bool is_rectangle; /* every row is one run over the whole width */
};

/* How many runs the window has; whether it is a rectangle. */
int cpu_window_runs(const struct plan_mask *m);
bool cpu_window_is_rectangle(const struct plan_mask *m);

/* False: no memory. Free with cpu_window_free. */
bool cpu_window_make(struct cpu_window *window, const struct plan_mask *m);
void cpu_window_free(struct cpu_window *window);

#endif
