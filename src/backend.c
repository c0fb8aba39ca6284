/* The backend table, and the CPU's row of it. */
#include "backend.h"

#include <stdio.h>

#include "bench.h"
#include "cpu_ops.h"
#include "parallel.h"

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
    snprintf(text, text_bytes, "%d threads, %s", parallel_cpus(), simd);
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
    .probe = bench_cpu_probe,
};

static const struct backend *const BACKENDS[] = {&backend_cpu, &backend_cuda};

const struct backend *backend_find(enum device device)
{
    return device == DEVICE_CUDA ? &backend_cuda : &backend_cpu;
}

int backend_describe_devices(void (*line)(const char *text, void *context), void *context)
{
    int total = 0;
    for (size_t b = 0; b < sizeof BACKENDS / sizeof *BACKENDS; b++) {
        char about[256] = "", text[320];
        int devices = BACKENDS[b]->devices(about, sizeof about);
        if (devices == 0) {
            snprintf(text, sizeof text, "%s: none (%s)", BACKENDS[b]->name, about);
            line(text, context);
        }
        for (int i = 0; i < devices; i++) {
            BACKENDS[b]->describe(i, about, sizeof about);
            if (BACKENDS[b]->device == DEVICE_CPU)
                snprintf(text, sizeof text, "cpu: %s", about);
            else
                snprintf(text, sizeof text, "%s:%d: %s", BACKENDS[b]->name, i, about);
            line(text, context);
        }
        total += devices;
    }
    return total;
}
