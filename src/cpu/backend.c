/* The CPU as a device: its row of the backend table. */
#include "kernel/backend.h"

#include <stdio.h>

#include "base/machine.h"
#include "cpu/method.h"
#include "cpu/probe.h"
#include "cpu/processor.h"

/* For --device auto. */
static double cpu_pass_ms(const struct plan *plan, int width, int height)
{
    const struct cpu_ops *ops = cpu_set_best()->ops;
    double ms = 0;

    for (; plan; plan = plan->then)
        ms += cpu_method_cost(cpu_method_fastest(plan, ops, width, height, 0), plan, ops, width,
                              height) /
              1e6;
    return ms;
}

/* ---- the row of the table ---- */

static int cpu_devices(char *why, size_t why_bytes)
{
    (void)why, (void)why_bytes;
    return 1;
}

static void cpu_describe(int index, char *text, size_t text_bytes)
{
    (void)index;
    snprintf(text, text_bytes, "%d threads, %s", machine_cpus(), cpu_set_best()->title);
}

static bool cpu_start(int index, struct error *err)
{
    (void)index, (void)err;
    return true;
}

static const char *cpu_method_idea(const char *method)
{
    return cpu_method_find(method)->idea;
}

const struct backend backend_cpu = {
    .device = DEVICE_CPU,
    .name = "cpu",
    .in_build = true,
    .devices = cpu_devices,
    .describe = cpu_describe,
    .start = cpu_start,
    .pass_ms = cpu_pass_ms,
    .probe = cpu_probe,
    .method_idea = cpu_method_idea,
};
