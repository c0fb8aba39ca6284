/* The backend table: see kernel/backend.h. The rows are in their own rooms. */
#include "kernel/backend.h"

#include <stdio.h>

static const struct backend *const BACKENDS[] = {&backend_cpu, &backend_cuda};

const struct backend *backend_find(enum device device)
{
    return device == DEVICE_CUDA ? &backend_cuda : &backend_cpu;
}

bool backend_check_cuda(int index, struct error *err)
{
    char why[256] = "";
    int count = backend_cuda.devices(why, sizeof why);

    if (count == 0)
        return error_set(err, EXIT_DEVICE, "cuda:%d is not there: %s", index, why);
    return (index >= 0 && index < count) ||
           error_set(err, EXIT_DEVICE, "cuda:%d is not there: this machine has %d CUDA device%s",
                     index, count, count == 1 ? "" : "s");
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
