/* A baseline for scripts/bench_gpu_pipeline: a process that makes a CUDA context on device 0 and
 * exits. It prints the milliseconds that cuInit and the context took. Its caller measures the rest:
 * loading the driver's library before, and the kernel's work of taking the context down afterwards.
 * Needs no CUDA toolkit:  cc bench_context.c -ldl */
#include <dlfcn.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static double clock_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

int main(void)
{
    double start = clock_ms();
    void *library = dlopen("libcuda.so.1", RTLD_NOW), *context = NULL;
    int (*init)(unsigned), (*get)(int *, int), (*retain)(void **, int), device = 0, status;

    if (!library) {
        fprintf(stderr, "bench_context: %s\n", dlerror());
        return 1;
    }
    *(void **)&init = dlsym(library, "cuInit");
    *(void **)&get = dlsym(library, "cuDeviceGet");
    *(void **)&retain = dlsym(library, "cuDevicePrimaryCtxRetain");
    if (!init || !get || !retain) {
        fprintf(stderr, "bench_context: libcuda.so.1 is not the driver's\n");
        return 1;
    }
    status = init(0);
    if (status == 0)
        status = get(&device, 0);
    if (status == 0)
        status = retain(&context, device);
    if (status != 0) {
        fprintf(stderr, "bench_context: CUDA error %d\n", status);
        return 1;
    }
    printf("%.3f\n", clock_ms() - start);
    fflush(stdout);
    _exit(0); /* exits as the tool does: there is nothing else to take down */
}
