/* Runs the bench. It selects the kernels: all that can run here, or the kernels that the user
 * named. For every mask and tile it goes through them, compares each kernel's output with the
 * reference's, calls bench/measure.c to time it, and adds the prediction of the reuse analysis. If
 * a kernel cannot run, fails or differs, its result says so, and the others continue. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "bench/bench.h"
#include "bench/reuse.h"

/* The reference needs some tenths of a second for this many taps (a weight times a sample). */
#define REFERENCE_TAPS 3e7

static const int SWEEP_TILES[] = {8, 16, 32, 64};
static const int SWEEP_MASKS[] = {3, 5, 7, 9, 11, 15, 21, 31};

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

/* ---- which kernels ---- */

struct bench {
    struct bench_report *report;
    const struct bench_request *request;
    const struct kernel *kernel[BENCH_KERNELS]; /* the selected kernels */
    int kernels;
    struct image out;  /* of the picture's shape */
    struct image part; /* the rows of `out` that the reference makes */
    struct plan plan;
    struct bench_bands bands;
    int step, steps; /* for the progress line */
};

/* Whether NAME is in the list; true if the list is NULL. */
static bool is_named(const char *list, const char *name)
{
    size_t length = strlen(name);
    while (list) {
        size_t word = strcspn(list, ",");
        if (word == length && memcmp(list, name, length) == 0)
            return true;
        list = list[word] == ',' ? list + word + 1 : NULL;
    }
    return false;
}

/* Refuses named kernels that contradict the other options on any machine. */
static bool check_named(const struct bench *bench, struct error *err)
{
    const struct bench_request *request = bench->request;
    int count;
    const struct kernel *table = kernel_table(&count);
    for (int i = 0; i < count; i++) {
        const struct kernel *kernel = &table[i];
        if (kernel->dims != 2 || !is_named(request->kernels, kernel->name))
            continue;
        if (!request->device_auto && kernel->device != request->device)
            return error_set(err, EXIT_USAGE, "kernel %s does not run on --device %s", kernel->name,
                             backend_find(request->device)->name);
        if (request->method && !kernel->open)
            return error_set(err, EXIT_USAGE,
                             "--method %s is for the CPU: kernel %s has no methods",
                             request->method, kernel->name);
        if (bench->report->sweep == SWEEP_TILE && kernel->tile == TILE_NONE)
            return error_set(err, EXIT_USAGE, "kernel %s has no tile to sweep", kernel->name);
    }
    return true;
}

/* Whether a kernel is part of the bench. Sweeps leave out the reference unless it is named: it is
 * slow, and it squeezes all other lines together. */
static bool is_meant(const struct bench *bench, const struct kernel *kernel)
{
    const struct bench_request *request = bench->request;
    enum bench_sweep sweep = bench->report->sweep;
    if (request->kernels)
        return is_named(request->kernels, kernel->name);
    if ((!request->device_auto && kernel->device != request->device) ||
        (request->method && kernel->device != DEVICE_CPU) ||
        (kernel->device == DEVICE_CUDA && bench->report->no_cuda[0]))
        return false;
    return sweep == SWEEP_NONE ||
           (!bench_is_reference(kernel) && (sweep == SWEEP_MASK || kernel->tile != TILE_NONE));
}

/* Checks that the requested CUDA device exists. With --device auto a missing device is no error:
 * the report's no_cuda then gives the reason; otherwise no_cuda is empty. */
static bool check_cuda(struct bench *bench, struct error *err)
{
    const struct bench_request *request = bench->request;
    char why[160] = "";
    int devices;
    if (!request->device_auto && request->device != DEVICE_CUDA)
        return true;
    devices = backend_find(DEVICE_CUDA)->devices(why, sizeof why);
    if (devices > request->device_index)
        return true;
    if (devices > 0)
        snprintf(why, sizeof why, "this machine has %d", devices);
    if (!request->device_auto)
        return error_set(err, EXIT_DEVICE, "%s:%d is not there: %s",
                         backend_find(DEVICE_CUDA)->name, request->device_index, why);
    snprintf(bench->report->no_cuda, sizeof bench->report->no_cuda, "%s", why);
    return true;
}

static bool kernels_choose(struct bench *bench, struct error *err)
{
    char *no_cuda = bench->report->no_cuda;
    int count;
    const struct kernel *table = kernel_table(&count);

    if (!check_named(bench, err) || !check_cuda(bench, err))
        return false;
    for (int i = 0; i < count && bench->kernels < BENCH_KERNELS; i++) {
        const struct kernel *kernel = &table[i];
        if (kernel->dims != 2 || !is_meant(bench, kernel))
            continue;
        if (kernel->device == DEVICE_CUDA && no_cuda[0])
            return error_set(err, EXIT_DEVICE,
                             "kernel %s needs a CUDA device (%s): --device soft runs the kernel "
                             "without a GPU",
                             kernel->name, no_cuda);
        bench->kernel[bench->kernels++] = kernel;
    }
    if (bench->request->kernels)
        no_cuda[0] = '\0'; /* only CPU kernels are named, so no GPU is missed */
    if (bench->kernels > 0)
        return true;
    if (bench->report->sweep != SWEEP_TILE)
        return error_set(err, EXIT_DEVICE, "no kernel of this device can run");
    if (no_cuda[0])
        return error_set(err, EXIT_DEVICE, "the kernels with a tile need a CUDA device: %s",
                         no_cuda);
    return error_set(err, EXIT_USAGE, "no kernel of --device %s has a tile to sweep",
                     backend_find(bench->request->device)->name);
}

bool bench_check(const struct bench_request *request, enum bench_sweep sweep, struct error *err)
{
    struct bench_report report = {.sweep = sweep};
    struct bench bench = {.report = &report, .request = request};
    return kernels_choose(&bench, err);
}

/* ---- the expectation ---- */

/* The reference's rows: the whole picture if that is quick, else three bands at the top, middle
 * and bottom. They include every kind of row that a kernel may treat differently: rows with ghost
 * rows above or below, and rows with neighbours only. All columns are compared, which covers both
 * edges. */

/* Taps (a weight times a sample) that the reference sums for one mask on each thread: about one
 * second of work. */
#define BANDS_TAPS 6e7

bool bench_bands_make(struct bench_bands *bands, const struct plan *plan, const struct image *in,
                      int threads, struct error *err)
{
    const struct plan_mask *m = &plan->mask[0];
    double row_taps =
        (double)in->width * (double)in->channels * (double)m->width * (double)m->height;
    double quick = BANDS_TAPS * (double)threads / row_taps; /* rows */
    double each = fmax(1, floor(quick / BENCH_BANDS));

    *bands = (struct bench_bands){.count = 1, .each = in->height};
    if (quick < in->height && each * BENCH_BANDS < in->height) {
        bands->count = BENCH_BANDS;
        bands->each = (int)each;
        bands->first[1] = (in->height - bands->each) / 2;
        bands->first[2] = in->height - bands->each;
    }
    if (!image_alloc(&bands->want, in->width, bands->count * bands->each, in->channels, in->type,
                     "the reference", err))
        return false;
    for (int i = 0; i < bands->count; i++) {
        struct image want = image_rows(&bands->want, i * bands->each, bands->each);
        struct kernel_job job = kernel_job_whole(plan, in, &want);
        job.out_first_row = bands->first[i];
        reference_rows(&job, threads);
    }
    return true;
}

bool bench_bands_check(const struct bench_bands *bands, const struct image *out, int first,
                       const char *name, struct error *err)
{
    for (int row = 0; row < bands->want.height; row++) {
        int y = bands->first[row / bands->each] + row % bands->each, got = y - first;
        if (got >= 0 && got < out->height &&
            !reference_check_row(out, got, &bands->want, row, y, name, "", err))
            return false;
    }
    return true;
}

/* ---- one kernel ---- */

/* Takes the next result; bench_run has allocated it. */
static struct bench_result *result_add(struct bench *bench, const struct kernel *kernel, int tile)
{
    struct bench_report *report = bench->report;
    struct bench_result *result = &report->result[report->results++];

    *result = (struct bench_result){
        .kernel = kernel,
        .device = report->device[0].device == kernel->device ? 0 : 1,
        .tile = tile,
        .mask_width = bench->plan.mask[0].width,
        .mask_height = bench->plan.mask[0].height,
        .state = BENCH_UNSUPPORTED,
        .rows = report->height,
    };
    return result;
}

double bench_predict(enum kernel_tile staged, const struct plan_mask *m, int tile,
                     const struct kernel_shape *cut)
{
    struct reuse_shape shape = {.dims = 2,
                                .mask_width = m->width,
                                .mask_height = m->height,
                                .anchor_x = m->anchor_x,
                                .anchor_y = m->anchor_y,
                                .tile = tile};
    struct reuse_counts counts;

    if (staged == TILE_NONE)
        return 0;
    if (staged == TILE_BLOCK || tile == 0)
        return 1;
    if (cut && cut->mask_rows < m->height) /* the tile is staged several times */
        return (double)m->width * (double)m->height / cut->loads_per_output;
    counts = reuse_tile_count(&shape, REUSE_INSIDE, REUSE_INSIDE);
    return (double)counts.basic /
           (double)(staged == TILE_HALO ? counts.tiled
                                        : counts.outputs + counts.basic - counts.shared_uses);
}

/* Makes the job for one run. The reference makes only some rows, from the middle of the picture. */
static struct kernel_job job_make(struct bench *bench, struct bench_result *result)
{
    const struct bench_request *request = bench->request;
    const struct plan_mask *m = &bench->plan.mask[0];
    struct kernel_job job = kernel_job_whole(&bench->plan, &request->in, &bench->out);
    double row_taps = (double)request->in.width * (double)request->in.channels * (double)m->width *
                      (double)m->height;

    job.threads = request->threads;
    job.tile = result->tile;
    job.device_index = request->device_index;
    if (bench_is_reference(result->kernel) && row_taps * (double)result->rows > REFERENCE_TAPS) {
        result->rows = row_taps > REFERENCE_TAPS ? 1 : (int)(REFERENCE_TAPS / row_taps);
        job.out_first_row = (request->in.height - result->rows) / 2;
        bench->part = image_rows(&bench->out, job.out_first_row, result->rows);
        job.out = &bench->part;
    }
    return job;
}

/* Runs once, which also warms up, and compares the output. The output is overwritten before the
 * run, so that an earlier kernel's output cannot pass. */
static bool verify(struct bench *bench, struct bench_result *result, struct kernel_job *job,
                   struct error *err)
{
    memset(bench->out.data, 0xa5,
           (size_t)(bench->out.height - 1) * bench->out.pitch + image_row_bytes(&bench->out));
    return kernel_run(result->kernel, job, err) &&
           bench_bands_check(&bench->bands, job->out, job->out_first_row, result->kernel->name,
                             err);
}

/* The prediction uses the real tile, since --tile may ask for more than shared memory holds. In a
 * sweep the result keeps the requested tile as its place. */
static void result_predict(const struct bench *bench, struct bench_result *result,
                           const struct kernel_job *job)
{
    struct kernel_shape cut = {.tile_width = result->tile};
    const struct kernel *kernel = result->kernel;
    if (kernel->shape)
        kernel->shape(job, &cut);
    result->predicted = bench_predict(kernel->tile, &bench->plan.mask[0], cut.tile_width,
                                      kernel->shape ? &cut : NULL);
    if (bench->report->sweep != SWEEP_TILE)
        result->tile = cut.tile_width;
}

/* False: the bench cannot continue. A kernel that does not support the plan is a normal result in a
 * sweep of masks, and if the user did not name the kernel. */
static bool measure(struct bench *bench, const struct kernel *kernel, int tile, struct error *err)
{
    const struct bench_request *request = bench->request;
    struct bench_result *result = result_add(bench, kernel, tile);
    bool sweeps_masks = bench->report->sweep == SWEEP_MASK;
    struct kernel_job job;

    if (!kernel_supports(kernel, &bench->plan, result->why, sizeof result->why))
        return sweeps_masks || !request->kernels ||
               error_set(err, EXIT_USAGE, "kernel %s cannot run this: %s", kernel->name,
                         result->why);
    job = job_make(bench, result);
    if (!kernel_open(kernel, &bench->plan, job.out->width, job.out->height,
                     kernel->open ? request->method : NULL, &job.state, err)) {
        snprintf(result->why, sizeof result->why, "%.255s", err->text);
        return sweeps_masks;
    }
    result->method = job.state ? job.state->method : NULL;
    if (verify(bench, result, &job, err) && bench_time_kernel(result, request, &job, err) &&
        bench_time_copy(result, &bench->report->device[result->device], request, &job, &bench->out,
                        err)) {
        result->state = BENCH_TIMED;
        result_predict(bench, result, &job);
    } else {
        result->state = err->code == EXIT_DIFFERENT ? BENCH_DIFFERS : BENCH_FAILED;
        snprintf(result->why, sizeof result->why, "%.255s", err->text);
    }
    kernel_close(kernel, job.state);
    return true;
}

/* ---- all of them ---- */

static void progress(struct bench *bench, const struct kernel *kernel, int tile)
{
    const struct plan_mask *m = &bench->plan.mask[0];
    char text[96];
    int used =
        snprintf(text, sizeof text, "%d of %d: %s, ", ++bench->step, bench->steps, kernel->name);
    if (!bench->request->progress)
        return;
    if (bench->report->sweep == SWEEP_TILE)
        snprintf(text + used, sizeof text - (size_t)used, "tile %d", tile);
    else
        snprintf(text + used, sizeof text - (size_t)used, "mask %d x %d", m->width, m->height);
    bench->request->progress(text, bench->request->context);
}

/* All kernels with one mask and one tile (0: each kernel's own). */
static bool measure_kernels(struct bench *bench, int tile, struct error *err)
{
    for (int i = 0; i < bench->kernels; i++) {
        const struct kernel *kernel = bench->kernel[i];
        progress(bench, kernel, tile);
        if (!measure(bench, kernel, kernel->tile == TILE_NONE ? 0 : tile, err))
            return false;
    }
    return true;
}

/* Measures one mask: WIDTH x WIDTH cells, or the user's mask if WIDTH is 0. */
static bool measure_mask(struct bench *bench, int width, struct error *err)
{
    const struct bench_request *request = bench->request;
    const int *tiles = bench->report->sweep == SWEEP_TILE ? SWEEP_TILES : &request->tile;
    int count = bench->report->sweep == SWEEP_TILE ? COUNT(SWEEP_TILES) : 1;
    bool ok;

    if (!request->plan(&bench->plan, width, request->context, err))
        return false;
    bench->report->alpha = plan_alpha_text(&bench->plan);
    ok = bench_bands_make(&bench->bands, &bench->plan, &request->in, request->threads, err);
    if (width == 0) {
        bench->report->mask_width = bench->plan.mask[0].width;
        bench->report->mask_height = bench->plan.mask[0].height;
    }
    if (ok && (bench->report->verified_rows == 0 ||
               bench->bands.want.height < bench->report->verified_rows)) {
        bench->report->verified_rows = bench->bands.want.height;
        bench->report->bands = bench->bands.count;
    }
    for (int i = 0; ok && i < count; i++)
        ok = measure_kernels(bench, tiles[i], err);
    image_free(&bench->bands.want);
    plan_free(&bench->plan);
    return ok;
}

/* Finds and probes the devices of the selected kernels. Kernels of one device are adjacent. */
static bool find_devices(struct bench *bench, struct error *err)
{
    struct bench_report *report = bench->report;
    for (int i = 0; i < bench->kernels; i++) {
        struct bench_device *to = &report->device[report->devices];
        enum device device = bench->kernel[i]->device;
        int index = device == DEVICE_CPU ? 0 : bench->request->device_index;
        if (report->devices > 0 && to[-1].device == device)
            continue;
        to->device = device;
        snprintf(to->name, sizeof to->name, device == DEVICE_CPU ? "%s" : "%s:%d",
                 backend_find(device)->name, index);
        if (!backend_find(device)->probe(index, bench->request->threads, &to->probe, err))
            return false;
        report->devices++;
    }
    return true;
}

bool bench_run(struct bench_report *report, const struct bench_request *request, struct error *err)
{
    struct bench bench = {.report = report, .request = request};
    int masks = report->sweep == SWEEP_MASK ? COUNT(SWEEP_MASKS) : 1;
    const struct image *in = &request->in;
    struct team *team = team_new(), *before = team_use(team);
    bool ok;

    ok = kernels_choose(&bench, err) && find_devices(&bench, err) &&
         image_alloc(&bench.out, in->width, in->height, in->channels, in->type, "the output", err);
    bench.steps = bench.kernels * masks * (report->sweep == SWEEP_TILE ? COUNT(SWEEP_TILES) : 1);
    if (ok && !(report->result = calloc((size_t)bench.steps, sizeof *report->result)))
        ok = error_set(err, EXIT_INPUT, "no memory for the results");
    for (int i = 0; ok && i < masks; i++)
        ok = measure_mask(&bench, report->sweep == SWEEP_MASK ? SWEEP_MASKS[i] : 0, err);
    image_free(&bench.out);
    team_use(before);
    team_free(team);
    return ok;
}
