/* Made-up measurements: see tests/bench/bench_reports.h. */
#include "tests/bench/bench_reports.h"

#include <math.h>
#include <string.h>

enum { REFERENCE, SCALAR, AVX2, BASIC, READONLY, CONSTANT, CACHED, TILED, INT8, KERNELS };

static const struct {
    const char *name;
    enum device device;
    enum kernel_tile tile;
    double ms; /* 8192 x 8192 RGB, 5 x 5 */
} ROWS[KERNELS] = {
    [REFERENCE] = {"reference", DEVICE_CPU, TILE_NONE, 52000},
    [SCALAR] = {"scalar", DEVICE_CPU, TILE_NONE, 121.4},
    [AVX2] = {"avx2", DEVICE_CPU, TILE_NONE, 19.83},
    [BASIC] = {"basic", DEVICE_CUDA, TILE_BLOCK, 3.187},
    [READONLY] = {"readonly", DEVICE_CUDA, TILE_BLOCK, 3.164},
    [CONSTANT] = {"constant", DEVICE_CUDA, TILE_BLOCK, 2.995},
    [CACHED] = {"cached", DEVICE_CUDA, TILE_INTERNAL, 2.411},
    [TILED] = {"tiled", DEVICE_CUDA, TILE_HALO, 1.613},
    [INT8] = {"int8", DEVICE_CUDA, TILE_NONE, 0.1312},
};

#define SAMPLES (8192ull * 8192 * 3)

static void begin(struct made_up *made, enum bench_sweep sweep)
{
    memset(made, 0, sizeof *made);
    made->report = (struct bench_report){
        .date = 1795248000,
        .width = 8192,
        .height = 8192,
        .channels = 3,
        .max = 255,
        .mask = sweep == SWEEP_MASK ? "lopsided" : "gauss5",
        .mask_width = 5,
        .mask_height = 5,
        .alpha = "none",
        .border = "replicate",
        .threads = 16,
        .sweep = sweep,
        .verified_rows = 96,
        .bands = 3,
        .result = made->result,
    };
    for (int i = 0; i < KERNELS; i++)
        made->kernel[i] = (struct kernel){
            .name = ROWS[i].name, .dims = 2, .device = ROWS[i].device, .tile = ROWS[i].tile};
}

static void add_cpu(struct made_up *made)
{
    struct bench_device *cpu = &made->report.device[made->report.devices++];
    *cpu = (struct bench_device){
        .device = DEVICE_CPU,
        .name = "cpu",
        .probe = {.name = "AMD EPYC 9454P, 16 threads",
                  .cache_bytes = 32 << 20,
                  .ceiling = {{"16-bit vpmaddwd", 3310}},
                  .ceilings = 1},
        .copy = {{2 * SAMPLES, 2.914, "memcpy"}},
        .copies = 1,
    };
}

static void add_cuda(struct made_up *made)
{
    struct bench_device *cuda = &made->report.device[made->report.devices++];
    *cuda = (struct bench_device){
        .device = DEVICE_CUDA,
        .name = "cuda:0",
        .probe = {.name = "NVIDIA H200",
                  .driver = "driver 580.65, CUDA 13.0",
                  .cache_bytes = 50 << 20,
                  .ceiling = {{"FFMA", 61800}, {"int8 mma.sync", 1266000}},
                  .ceilings = 2},
        .copy = {{8 * SAMPLES, 0.3841, "copy kernel"}, {2 * SAMPLES, 0.1003, "copy kernel"}},
        .copies = 2,
    };
}

static void add_result(struct made_up *made, int kernel, int tile, int mask, double ms)
{
    struct bench_report *report = &made->report;
    struct bench_result *result = &report->result[report->results++];
    bool is_plane = ROWS[kernel].tile != TILE_NONE;
    *result = (struct bench_result){
        .kernel = &made->kernel[kernel],
        .device = report->devices - 1,
        .tile = is_plane ? tile : 0,
        .mask_width = mask,
        .mask_height = mask,
        .stats = {.runs = ms > 100 ? 10 : 300,
                  .median_ms = ms,
                  .mad_ms = ms * 0.004,
                  .p10_ms = ms * 0.99,
                  .p90_ms = ms * 1.01,
                  .least_ms = ms * 0.985},
        .end_to_end_ms = ROWS[kernel].device == DEVICE_CUDA ? ms + 52 : ms,
        .rows = kernel == REFERENCE ? 16 : report->height,
        .bytes = (is_plane ? 8 : 2) * SAMPLES,
        .copy_ms = ROWS[kernel].device == DEVICE_CPU ? 2.914
                   : is_plane                        ? 0.3841
                                                     : 0.1003,
        .inputs = 1,
        .predicted = ROWS[kernel].tile == TILE_HALO       ? 19.75
                     : ROWS[kernel].tile == TILE_INTERNAL ? 8.8
                     : is_plane                           ? 1
                                                          : 0,
    };
}

void made_up_cpu(struct made_up *made)
{
    begin(made, SWEEP_NONE);
    add_cpu(made);
    for (int i = REFERENCE; i <= AVX2; i++)
        add_result(made, i, 0, 5, ROWS[i].ms);
}

void made_up_both(struct made_up *made)
{
    made_up_cpu(made);
    add_cuda(made);
    for (int i = BASIC; i < KERNELS; i++)
        add_result(made, i, 32, 5, ROWS[i].ms);
}

void made_up_sweep(struct made_up *made, enum bench_sweep sweep)
{
    static const int tiles[] = {8, 16, 32, 64}, masks[] = {3, 5, 7, 9, 11, 15, 21, 31};
    static const double by_tile[] = {1.42, 1.08, 1, 1.17};
    begin(made, sweep);
    add_cuda(made);
    for (int i = 0; i < (sweep == SWEEP_TILE ? 4 : 8); i++)
        for (int k = BASIC; k < KERNELS; k++) {
            double taps = sweep == SWEEP_TILE ? 1 : pow(masks[i] / 5.0, k == INT8 ? 1.3 : 1.9);
            if (sweep == SWEEP_TILE && k != INT8)
                add_result(made, k, tiles[i], 5,
                           ROWS[k].ms * pow(by_tile[i], k == BASIC ? 0.4 : 1));
            else if (sweep == SWEEP_MASK)
                add_result(made, k, 32, masks[i], ROWS[k].ms * (taps + 0.15));
        }
}
