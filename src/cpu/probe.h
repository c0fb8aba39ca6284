/* What the bench asks of the CPU. */
#ifndef STENCIL_CPU_PROBE_H
#define STENCIL_CPU_PROBE_H

#include "kernel/backend.h"

/* The probe of backend_cpu. */
bool cpu_probe(int index, int threads, struct device_probe *probe, struct error *err);

/* The pass_ms of backend_cpu. */
double cpu_pass_ms(const struct plan *plan, int width, int height);

#endif
