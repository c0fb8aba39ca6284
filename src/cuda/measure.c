/* Measures a CUDA device for the bench: the time of a kernel, and the device's name and peak rates.
 * A kernel is timed alone: its data is already on the device, and between two events there are only
 * the kernel's launches (one per channel for a kernel on planes; a kernel with its mask in constant
 * memory also copies the mask, some microseconds, because this copy is part of each launch). Colour
 * weighted by alpha is timed from pixels to pixels, with its planes and its division, because its
 * convolutions alone would say little.
 *
 *   stream  delay | scrub? E launches E | scrub? E launches E | ...   E: an event
 *
 * The delay keeps the stream busy until a batch of runs is queued behind it, so that no run waits
 * for the host. Runs use several copies of the input and of the output in turn, together more than
 * twice the L2 cache, so that no run finds its data in the cache. */
#include <stdio.h>
#include <string.h>

#include "cuda/planes.h"

#include "kernels/ceilings.h"

#define BATCH 8
/* A run longer than this hides the time of its own launch. */
#define LONG_MS 2.0
/* A generous estimate of the host's time to launch a run. */
#define LAUNCH_US 40.0

/* At most this many inputs: small pictures would need thousands. */
#define MAX_INPUTS 512

struct measurement {
    struct planes planes;
    struct planes_band all;
    struct kernel_trial *trial;
    bool pixels;               /* timed from pixels to pixels, and not from planes to planes */
    enum cuda_buffer from, to; /* each buffer holds inputs * parts of `each` bytes */
    size_t each;
    int parts; /* of an input: its planes, or 1 picture */
    int inputs;
    int turn; /* the next input */
    void *scrub;
    size_t scrub_bytes;
    cudaEvent_t mark[2 * BATCH]; /* before and after each run of a batch */
};

/* ---- device memory ---- */

/* Chooses the number of inputs, enough to exceed the cache if there is room, and reserves the
 * buffers. */
static cudaError_t memory_alloc(struct measurement *m)
{
    struct cuda_device *device = m->planes.device;
    const struct image *in = m->planes.job->in;
    int l2 = 0;
    size_t rows = (size_t)in->height, bytes[CUDA_BUFFERS], room = cuda_device_room(device, 0);
    size_t cache, input, kept, most;
    cudaError_t status = cudaDeviceGetAttribute(&l2, cudaDevAttrL2CacheSize, device->index);

    cache = cuda_worked(status) && l2 > 0 ? (size_t)l2 : 0;
    m->parts = m->pixels ? 1 : in->channels;
    m->from = m->pixels ? BUFFER_IN : BUFFER_PLANE;
    m->to = m->pixels ? BUFFER_OUT : BUFFER_SUM;
    m->each = (m->pixels ? m->planes.image_pitch : m->planes.plane_pitch) * rows;
    m->scrub_bytes = kept = m->trial->cold ? 2 * cache : 0;
    planes_buffer_bytes(&m->planes, rows, rows, bytes);
    if (!m->pixels) /* keep only BUFFER_IN, for the upload */
        memset(bytes + BUFFER_OUT, 0, (CUDA_BUFFERS - BUFFER_OUT) * sizeof *bytes);
    for (int i = 0; i < CUDA_BUFFERS; i++)
        kept += i == (int)m->from || i == (int)m->to ? 0 : bytes[i];
    input = m->each * (size_t)m->parts;
    m->inputs = (int)(2 * cache / input < MAX_INPUTS ? 2 * cache / input + 1 : MAX_INPUTS);
    most = room > kept ? (room - kept) / (2 * input) : 0;
    if ((size_t)m->inputs > most)
        m->inputs = most > 1 ? (int)most : 1;
    bytes[m->from] = bytes[m->to] = input * (size_t)m->inputs;
    status = cuda_device_reserve(device, bytes);
    if (m->scrub_bytes)
        CUDA_NEXT(status, cudaMalloc(&m->scrub, m->scrub_bytes));
    cuda_worked(status);
    return status;
}

/* The planes for part PART; parts are numbered through all inputs. */
static struct planes planes_at(const struct measurement *m, int part)
{
    struct planes planes = m->planes;
    planes.at[m->from] = planes.at[m->to] = m->each * (size_t)part;
    return planes;
}

/* Fills all inputs: each is the uploaded picture, or planes made on the device from one upload. */
static cudaError_t memory_fill(struct measurement *m)
{
    const struct image *in = m->planes.job->in;
    cudaStream_t stream = m->planes.device->stream;
    int parts = m->inputs * m->parts;
    /* the copy trials copy the padding of the rows, too */
    cudaError_t status =
        cudaMemsetAsync(planes_buffer(&m->planes, m->from), 0, m->each * (size_t)parts, stream);

    for (int i = 0; status == cudaSuccess && i < parts; i++) {
        struct planes planes = planes_at(m, i);
        struct plane_image to = planes_device_image(&planes, BUFFER_IN, in->height);
        struct plane_prepare_job prepare =
            planes_prepare_job(&planes, &m->all, i % m->parts, PLANE_SAMPLE);
        if (m->pixels || i == 0)
            status = cudaMemcpy2DAsync(to.data, to.pitch, in->data, in->pitch, image_row_bytes(in),
                                       (size_t)in->height, cudaMemcpyHostToDevice, stream);
        if (!m->pixels)
            CUDA_NEXT(status, plane_prepare(&prepare, stream));
    }
    CUDA_NEXT(status, cudaStreamSynchronize(stream));
    return status;
}

/* ---- runs ---- */

/* Launches the work that is timed. */
static cudaError_t launch(struct measurement *m)
{
    const struct image *picture = m->planes.job->in;
    struct planes planes = planes_at(m, m->turn * m->parts);
    void *in = planes_buffer(&planes, m->from), *out = planes_buffer(&planes, m->to);
    size_t bytes = m->pixels /* a picture without the padding of its rows */
                       ? image_row_bytes(picture) * (size_t)picture->height
                       : m->each * (size_t)m->parts;
    cudaStream_t stream = planes.device->stream;
    cudaError_t status = cudaSuccess;

    if (m->trial->what == TRIAL_COPY_ENGINE)
        return cudaMemcpyAsync(out, in, bytes, cudaMemcpyDeviceToDevice, stream);
    if (m->trial->what == TRIAL_COPY_KERNEL)
        return ceiling_copy(in, out, bytes, stream);
    if (m->pixels)
        return planes_filter_band(&planes, &m->all);
    for (int part = 0; status == cudaSuccess && part < m->parts; part++) {
        struct plane_prepare_job prepared;
        struct plane_job job;
        planes = planes_at(m, m->turn * m->parts + part);
        prepared = planes_prepare_job(&planes, &m->all, part, PLANE_SAMPLE);
        job = planes_sum_job(&planes, &m->all, &prepared, 0, BUFFER_SUM);
        status = planes.method->plane(&job, stream);
    }
    return status;
}

static cudaError_t run_batch(struct measurement *m, int runs, double ms[BATCH])
{
    cudaStream_t stream = m->planes.device->stream;
    cudaError_t status = cudaSuccess;

    if (runs > 1)
        status = ceiling_delay(LAUNCH_US * (double)(runs * m->parts), stream);
    for (int i = 0; status == cudaSuccess && i < runs; i++) {
        if (m->scrub)
            status = cudaMemsetAsync(m->scrub, i, m->scrub_bytes, stream);
        CUDA_NEXT(status, cudaEventRecord(m->mark[2 * i], stream));
        CUDA_NEXT(status, launch(m));
        CUDA_NEXT(status, cudaEventRecord(m->mark[2 * i + 1], stream));
        m->turn = (m->turn + 1) % m->inputs;
    }
    CUDA_NEXT(status, cudaStreamSynchronize(stream));
    for (int i = 0; status == cudaSuccess && i < runs; i++) {
        float elapsed = 0;
        status = cudaEventElapsedTime(&elapsed, m->mark[2 * i], m->mark[2 * i + 1]);
        ms[i] = (double)elapsed;
    }
    return status;
}

static cudaError_t run_all(struct measurement *m)
{
    double ms[BATCH] = {0};
    cudaError_t status = cudaSuccess;
    bool more = true;
    int runs = 1;

    for (int i = 0; i < 2 * BATCH; i++)
        CUDA_NEXT(status, cudaEventCreate(&m->mark[i]));
    while (more && status == cudaSuccess) {
        status = run_batch(m, runs, ms);
        for (int i = 0; more && status == cudaSuccess && i < runs; i++)
            more = m->trial->more(ms[i], m->trial->context);
        runs = ms[0] > LONG_MS ? 1 : BATCH;
    }
    return status;
}

static void measurement_free(struct measurement *m)
{
    for (int i = 0; i < 2 * BATCH; i++)
        if (m->mark[i])
            cudaEventDestroy(m->mark[i]);
    cudaFree(m->scrub);
}

bool cuda_time(const struct kernel *kernel, const struct kernel_job *job,
               struct kernel_trial *trial, struct error *err)
{
    struct measurement m = {.trial = trial, .all = {0, job->in->height, 0, job->in->height}};
    struct cuda_device *device = cuda_device_lock(job->device_index, CUDA_ALONE, err);
    cudaError_t status;
    bool ok;

    if (!device)
        return false;
    cuda_device_release(device, false); /* left by earlier pictures */
    m.planes = (struct planes){.job = job, .device = device, .method = kernel->cuda};
    m.pixels = kernel->cuda->image || job->plan->alpha == ALPHA_WEIGHTED;
    ok = planes_init(&m.planes, err);
    if (ok) {
        status = memory_alloc(&m);
        CUDA_NEXT(status, memory_fill(&m));
        CUDA_NEXT(status, run_all(&m));
        ok = cuda_device_done(err, device, status, "cannot time the kernel");
    }
    trial->bytes = 2 * (m.pixels ? (size_t)job->in->type : plane_cell_bytes(m.planes.type)) *
                   (uint64_t)job->in->width * (uint64_t)job->in->height *
                   (uint64_t)job->in->channels;
    trial->inputs = m.inputs;
    trial->tile = kernel->cuda->image ? 0 : planes_tile(job);
    if (!ok)
        cuda_worked(cudaStreamSynchronize(device->stream));
    measurement_free(&m);
    planes_free(&m.planes);
    cuda_device_unlock(device);
    return ok;
}

/* ---- the device ---- */

/* The clock rises during the warm-up; the best of the tries is the ceiling. */
#define CEILING_WARMUP 20
#define CEILING_TRIES  20

/* "driver 580.65.06, CUDA 13.0". The driver's version is the first word of its version file that is
 * a number with a point in it. */
static void driver_text(char *text, size_t bytes)
{
    char word[64] = "";
    int cuda = 0;
    bool found = false;
    FILE *file = fopen("/proc/driver/nvidia/version", "re");

    while (file && !found && fscanf(file, "%63s", word) == 1)
        found = strspn(word, "0123456789.") == strlen(word) && strchr(word, '.');
    if (file)
        fclose(file);
    cuda_worked(cudaDriverGetVersion(&cuda));
    snprintf(text, bytes, "%s%.20s%sCUDA %d.%d", found ? "driver " : "", found ? word : "",
             found ? ", " : "", cuda / 1000, cuda % 1000 / 10);
}

typedef cudaError_t ceiling_function(int multiprocessors, void *sink, double *operations,
                                     cudaStream_t stream);

static cudaError_t ceiling_measure(struct cuda_device *device, int multiprocessors,
                                   ceiling_function *ceiling, double *gflops)
{
    double operations = 0, least = 0;
    float ms = 0;
    cudaError_t status = cuda_device_reserve(device, (size_t[CUDA_BUFFERS]){[BUFFER_IN] = 16});

    for (int i = 0; status == cudaSuccess && i < CEILING_WARMUP + CEILING_TRIES; i++) {
        status = cudaEventRecord(device->mark[0], device->stream);
        CUDA_NEXT(status,
                  ceiling(multiprocessors, device->buffer[BUFFER_IN], &operations, device->stream));
        CUDA_NEXT(status, cudaEventRecord(device->mark[1], device->stream));
        CUDA_NEXT(status, cudaStreamSynchronize(device->stream));
        CUDA_NEXT(status, cudaEventElapsedTime(&ms, device->mark[0], device->mark[1]));
        if (i >= CEILING_WARMUP && (least <= 0 || (double)ms < least))
            least = (double)ms;
    }
    if (status == cudaSuccess && least > 0)
        *gflops = operations / least * 1e-6;
    return status;
}

bool cuda_probe(int index, int threads, struct device_probe *probe, struct error *err)
{
    static const struct {
        const char *name;
        ceiling_function *ceiling;
        int since; /* major compute capability */
    } ceilings[DEVICE_CEILINGS] = {{"FFMA", ceiling_fma, 0}, {"int8 mma.sync", ceiling_int8, 8}};
    struct cudaDeviceProp properties;
    struct cuda_device *device = cuda_device_lock(index, CUDA_ALONE, err);
    cudaError_t status;

    (void)threads;
    memset(probe, 0, sizeof *probe);
    if (!device)
        return false;
    status = cudaGetDeviceProperties(&properties, index);
    for (int i = 0; status == cudaSuccess && i < DEVICE_CEILINGS && !CUDA_IN_SOFTWARE; i++) {
        struct device_ceiling *to = &probe->ceiling[probe->ceilings];
        if (properties.major < ceilings[i].since || CUDA_NEWEST_ARCH < 10 * ceilings[i].since)
            continue;
        to->name = ceilings[i].name;
        status = ceiling_measure(device, properties.multiProcessorCount, ceilings[i].ceiling,
                                 &to->gflops);
        probe->ceilings++;
    }
    cuda_device_unlock(device);
    if (!cuda_device_done(err, device, status, "cannot measure the device"))
        return false;
    snprintf(probe->name, sizeof probe->name, "%.120s", properties.name);
    if (!CUDA_IN_SOFTWARE)
        driver_text(probe->driver, sizeof probe->driver);
    probe->cache_bytes = properties.l2CacheSize > 0 ? (size_t)properties.l2CacheSize : 0;
    return true;
}
