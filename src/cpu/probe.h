/* What the bench reports about the CPU. */
#ifndef STENCIL_CPU_PROBE_H
#define STENCIL_CPU_PROBE_H

#include "kernel/backend.h"

/* The probe of backend_cpu. */
bool cpu_probe(int index, int threads, struct device_probe *probe, struct error *err);

#endif
