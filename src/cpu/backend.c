/* The CPU as a device: its row of the backend table. */
#include "kernel/backend.h"

#include <stdio.h>

#include "base/machine.h"
#include "cpu/ops.h"
#include "cpu/probe.h"

static int cpu_devices(char *why, size_t why_bytes)
{
    (void)why, (void)why_bytes;
    return 1;
}

static void cpu_describe(int index, char *text, size_t text_bytes)
{
    const char *simd = "plain C";
    (void)index;
#ifdef HAVE_NEON
    if (cpu_ops_neon.available())
        simd = "NEON";
#endif
#ifdef HAVE_NEON_DOT
    if (cpu_ops_neon_dot.available())
        simd = "NEON with dot products";
#endif
#ifdef HAVE_AVX2
    if (cpu_ops_avx2.available())
        simd = "AVX2";
#endif
#ifdef HAVE_AVX512
    if (cpu_ops_avx512.available())
        simd = "AVX-512 with VNNI";
#endif
    snprintf(text, text_bytes, "%d threads, %s", machine_cpus(), simd);
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
    .probe = cpu_probe,
};
