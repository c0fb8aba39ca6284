/* The kernel on a GPU: see gpu.h. */
#include "try/gpu.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "try/compiler.h"
#include "try/cuda/try_gpu_case.h"
#include "try/process.h"
#include "try/sandbox.h"

#define SECONDS    120 /* for all cases */
#define TIMED_RUNS 15
#define SAMPLES    20000 /* of the large case's outputs that are compared */

/* ---- the compiler ---- */

static bool compile(const struct try_setup *setup, struct error *err)
{
    static const char *const words[] = {"-O3",       "-std=c++17", "-arch=native", "-w", "-I.",
                                        "kernel.cu", "-o",         "kernel_gpu",   NULL};
    static const struct compiler_header headers[] = {{"try_gpu", "try_gpu.h"},
                                                     {"try_gpu_case", "try/cuda/try_gpu_case.h"},
                                                     {"try_gpu_main", "try_gpu_main.h"},
                                                     {"try_arguments", "try/cuda/try_arguments.h"}};
    struct compiler nvcc = {.folder = setup->scratch, .seconds = 60};
    char *source = try_translate_gpu(setup->file, err), *text = NULL;
    enum process_end end;
    bool good = source && compiler_headers(setup->scratch, headers, 4, err) &&
                compiler_write(setup->scratch, "kernel.cu", source, err);

    free(source);
    if (!good)
        return false;
    if (!compiler_find(&nvcc, "nvcc") && !compiler_find(&nvcc, "/usr/local/cuda/bin/nvcc"))
        return error_set(err, EXIT_DEVICE,
                         "--device cuda needs nvcc, the compiler of the CUDA "
                         "Toolkit, and it is not there");
    good = compiler_run(&nvcc, words, &text, &end);
    if (!good && text && strstr(text, "native"))
        error_set(err, EXIT_DEVICE, "nvcc finds no GPU, or is older than CUDA 11.6");
    else if (!good)
        compiler_say_error(setup->file, text ? text : "", end, err);
    free(text);
    return good;
}

/* ---- cases and results ---- */

static struct try_gpu_case case_of(const struct try_file *file, const struct try_case *it, int runs)
{
    const uint64_t cells = (uint64_t)it->height * (uint64_t)it->pitch;
    const int row = file->mask_constant[0] && file->mask_row > 0 && it->mask_rows > 1
                        ? file->mask_row
                        : it->mask_width;

    return (struct try_gpu_case){
        .mask_width = it->mask_width,
        .width = it->width,
        .height = it->height,
        .pitch = it->pitch,
        .channels = it->channels,
        .grid = {(uint32_t)((it->width + file->tile[0] - 1) / file->tile[0]),
                 (uint32_t)((it->height + file->tile[1] - 1) / file->tile[1])},
        .block = {(uint32_t)file->block[0], (uint32_t)file->block[1]},
        .runs = runs,
        .shared = (uint64_t)file->shared,
        .n_bytes = cells * (uint64_t)try_type_bytes(file->type[ROLE_N]),
        .p_bytes = cells * (uint64_t)try_type_bytes(file->type[ROLE_P]),
        .m_bytes =
            (uint64_t)row * (uint64_t)it->mask_rows * (uint64_t)try_type_bytes(file->type[ROLE_M]),
    };
}

static bool write_case(FILE *out, const struct try_file *file, const struct try_case *it, int runs)
{
    const struct try_gpu_case head = case_of(file, it, runs);
    const long long samples = (long long)it->width * it->channels;
    const int row = (int)(head.m_bytes / (uint64_t)it->mask_rows /
                          (uint64_t)try_type_bytes(file->type[ROLE_M]));
    char *n = malloc(head.n_bytes), *m = malloc(head.m_bytes);
    bool good = n && m;

    if (good) {
        memset(n, 0x4B, head.n_bytes);
        memset(m, 0x4B, head.m_bytes);
        for (long long y = 0; y < it->height; y++)
            for (long long x = 0; x < samples; x++)
                try_element_put(n, file->type[ROLE_N], y * it->pitch + x, it->n[y * samples + x]);
        for (int y = 0; y < it->mask_rows; y++)
            for (int x = 0; x < it->mask_width; x++)
                try_element_put(m, file->type[ROLE_M], (long long)y * row + x,
                                it->m[y * it->mask_width + x]);
        good = fwrite(&head, sizeof head, 1, out) == 1 &&
               fwrite(n, 1, head.n_bytes, out) == head.n_bytes &&
               fwrite(m, 1, head.m_bytes, out) == head.m_bytes;
    }
    free(n);
    free(m);
    return good;
}

/* Compares an output with the formula. False: gpu->sentence says how they differ. */
static bool cell_is_right(const struct try_file *file, const struct try_case *it, const char *p,
                          int x, int y, int channel, struct try_gpu *gpu)
{
    const struct try_variant plain = {.border = file->border};
    const double want = try_reference(it, &plain, x, y, channel);
    const double got = try_element_get(p, file->type[ROLE_P],
                                       (long long)y * it->pitch + x * it->channels + channel);

    if (got == want)
        return true;
    snprintf(gpu->sentence, sizeof gpu->sentence,
             "right on the software GPU, but on the GPU row %d, column %d of case %s is %.10g, "
             "expected %.10g",
             y, x, it->hidden ? "(a hidden one)" : it->name, got, want);
    return false;
}

/* Compares all cells of a small case, and SAMPLES cells of a large one. */
static bool compare(const struct try_file *file, const struct try_case *it, const char *p,
                    struct try_gpu *gpu)
{
    const long long cells = (long long)it->height * it->width * it->channels;
    uint64_t at = 1;

    for (long long i = 0; i < (cells < SAMPLES ? cells : SAMPLES); i++) {
        at = at * 6364136223846793005U + 1442695040888963407U;
        const long long cell = cells <= SAMPLES ? i : (long long)((at >> 20) % (uint64_t)cells);
        const long long pixel = cell / it->channels;
        if (!cell_is_right(file, it, p, (int)(pixel % it->width), (int)(pixel / it->width),
                           (int)(cell % it->channels), gpu))
            return false;
    }
    return true;
}

/* Reads one result and judges it. False with ERR: the file is cut off. */
static bool read_case(FILE *in, const struct try_file *file, const struct try_case *it,
                      struct try_gpu *gpu, struct error *err)
{
    const size_t bytes = case_of(file, it, 0).p_bytes;
    struct try_gpu_result result;
    char *p = malloc(bytes);
    const bool good =
        p && fread(&result, sizeof result, 1, in) == 1 && fread(p, 1, bytes, in) == bytes;

    if (good && result.error) {
        result.sentence[sizeof result.sentence - 1] = '\0';
        snprintf(gpu->sentence, sizeof gpu->sentence, "the GPU stops it on case %s: %s",
                 it->hidden ? "(a hidden one)" : it->name, result.sentence);
    } else if (good && result.past_end) {
        snprintf(gpu->sentence, sizeof gpu->sentence,
                 "on the GPU it stores outside of P on case %s",
                 it->hidden ? "(a hidden one)" : it->name);
    } else if (good) {
        gpu->right = compare(file, it, p, gpu);
        gpu->cases += gpu->right;
        gpu->ms = result.ms;
        gpu->copy_ms = result.copy_ms;
    }
    free(p);
    return good || error_set(err, EXIT_DEVICE, "the kernel's program on the GPU ended too early");
}

/* ---- the program on the GPU ---- */

static void start(void *context)
{
    const struct try_setup *setup = context;
    char number[16];
    const struct sandbox_limits limits = {
        .seconds = SECONDS, .memory = SIZE_MAX, .file_size = (size_t)4 << 30};

    if (chdir(setup->scratch) != 0 || !sandbox_limit(&limits))
        _exit(126);
    snprintf(number, sizeof number, "%d", setup->gpu);
    execl("kernel_gpu", "kernel_gpu", "cases", "results", number, (char *)NULL);
    _exit(127);
}

static bool too_long(void *context, double seconds)
{
    (void)context;
    return seconds > SECONDS;
}

static bool run_program(const struct try_setup *setup, struct error *err)
{
    struct process process = {start, (void *)setup, too_long, NULL, 0, 0};
    const enum process_end end = process_run(&process);

    if (end == PROCESS_INTERRUPTED)
        return error_set(err, EXIT_INPUT, "interrupted");
    if (end == PROCESS_TOO_LONG)
        return error_set(err, EXIT_INPUT, "does not end on the GPU within %d s", SECONDS);
    if (end == PROCESS_FAILED || !WIFEXITED(process.status) || WEXITSTATUS(process.status) > 1)
        return error_set(err, EXIT_DEVICE, "the kernel's program on the GPU was stopped");
    return true;
}

static FILE *open_in(const char *folder, const char *name, const char *mode)
{
    char path[600];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    return fopen(path, mode);
}

static bool write_cases(const struct try_setup *setup, const struct try_battery *battery,
                        const struct try_case *large, struct error *err)
{
    FILE *out = open_in(setup->scratch, "cases", "wb");
    bool good = out != NULL;

    for (int i = 0; good && i < battery->count; i++)
        good = write_case(out, setup->file, &battery->cases[i], 0);
    good = good && write_case(out, setup->file, large, TIMED_RUNS);
    if (out)
        good = fclose(out) == 0 && good;
    return good || error_errno(err, setup->scratch, "write the cases");
}

static bool read_results(const struct try_setup *setup, const struct try_battery *battery,
                         const struct try_case *large, struct try_gpu *gpu, struct error *err)
{
    FILE *in = open_in(setup->scratch, "results", "rb");
    struct try_gpu_device device;
    bool good = in && fread(&device, sizeof device, 1, in) == 1;

    if (!good) {
        error_set(err, EXIT_DEVICE, "the kernel's program on the GPU ended too early");
    } else {
        device.name[sizeof device.name - 1] = '\0';
        snprintf(gpu->name, sizeof gpu->name, "%s", device.name);
        good = !device.error ||
               error_set(err, EXIT_DEVICE, "there is no GPU to run it on: %s", device.name);
    }
    gpu->ran = gpu->right = good;
    for (int i = 0; good && gpu->right && i <= battery->count; i++)
        good =
            read_case(in, setup->file, i < battery->count ? &battery->cases[i] : large, gpu, err);
    snprintf(gpu->timed, sizeof gpu->timed, "%s", large->name);
    if (good && gpu->right && gpu->ms < 0.5 * gpu->copy_ms) {
        gpu->right = false;
        snprintf(gpu->sentence, sizeof gpu->sentence,
                 "its time, %.3g ms, is less than half of the time of a copy, %.3g ms: it cannot "
                 "have computed all outputs",
                 gpu->ms, gpu->copy_ms);
    }
    if (in)
        fclose(in);
    return good;
}

bool try_gpu_run(const struct try_setup *soft, const struct try_battery *battery,
                 struct try_gpu *gpu, struct error *err)
{
    struct try_battery large = {0};
    struct try_setup own = *soft;
    const struct try_setup *const setup = &own;
    char folder[560]; /* the folder above has other headers of CUDA's names */

    snprintf(folder, sizeof folder, "%s/gpu", soft->scratch);
    own.scratch = folder;
    if (mkdir(folder, 0700) != 0)
        return error_errno(err, folder, "make the folder");
    const bool good = compile(setup, err) && try_battery_add_large(&large, setup->file, err) &&
                      write_cases(setup, battery, &large.cases[0], err) &&
                      run_program(setup, err) &&
                      read_results(setup, battery, &large.cases[0], gpu, err);

    if (good && gpu->right && setup->program && setup->file->dims == 2) {
        char device[16];
        snprintf(device, sizeof device, "cuda:%d", setup->gpu);
        try_ours_time(setup->program, device, &large.cases[0], &gpu->ours);
    }
    try_battery_free(&large);
    return good;
}
