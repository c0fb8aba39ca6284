/* The CPU as a device: its row of the backend table. */
#include "kernel/backend.h"

#include <stdio.h>

#include "base/machine.h"
#include "cpu/probe.h"
#include "cpu/processor.h"

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

const struct backend backend_cpu = {
    .device = DEVICE_CPU,
    .name = "cpu",
    .devices = cpu_devices,
    .describe = cpu_describe,
    .start = cpu_start,
    .pass_ms = cpu_pass_ms,
    .probe = cpu_probe,
};
