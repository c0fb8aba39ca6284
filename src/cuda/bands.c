/* Filters a picture in bands on a CUDA device: implements kernel/band_device.h. One stream uploads,
 * one downloads, and one runs the kernels (they share planes and constant memory, and each kernel
 * fills the device anyway):
 *
 *      up      band 2 -> slot 2 |
 *      kernel  halo and kernels of band 1: slot 1 -> slot 1 |
 *      down                        band 0 from slot 0 |
 *
 * Several passes over a band, of one step or of a chain's, go to and fro between two further slots.
 * Each pass makes the rows that the passes behind it read; the last pass makes the band.
 *
 * Each step of band i, in device slot i % slots, waits for other steps:
 *
 *      up of i      the kernels of band i + 1 - slots, which read the slot's end last
 *      kernel of i  up of i. The output's slot is free: band i - slots has been written
 *                   before i was submitted (kernel/band_device.h), so its down is over
 *      down of i    the kernels of i */
#include "cuda/planes.h"

#include <stdlib.h>

/* Two events around the work of one band on one stream. The time between them is added to *ms. */
struct lap {
    cudaEvent_t begin, end;
    bool recorded;
    double *ms;
    void *pinned; /* the host slot, once it is pinned; else NULL */
};

/* A step of a chain. */
struct step {
    struct kernel_job whole; /* the picture as one job, for planes */
    struct planes planes;    /* BUFFER_MASK holds the weights of all steps */
    struct bands one;        /* how far one pass reads beyond a band */
};

struct cuda_bands {
    const struct band_job *job;
    struct step *step;
    int passes; /* of all steps */
    struct cuda_device *device;
    cudaStream_t up, down;
    int slots;                /* on the device: as many of input as of output */
    size_t in_slot, out_slot; /* bytes of one slot */
    /* One up_lap per input slot on the host; one filter_lap and one down_lap per device slot. */
    struct lap *laps, *up_lap, *filter_lap, *down_lap;
    int lap_count;
};

static bool done(const struct cuda_bands *c, cudaError_t status, struct error *err)
{
    return c->job->steps == 1
               ? cuda_device_done(err, c->device, status, "the %s kernel failed",
                                  c->job->kernels[0]->name)
               : cuda_device_done(err, c->device, status, "a kernel of the chain failed");
}

/* ---- laps ---- */

/* Adds the time of a lap that is over. A lap that is not over is left out: the times are only
 * printed, so a gap does no harm. */
static void lap_add(const struct lap *lap)
{
    float elapsed = 0;
    if (lap->recorded && cuda_worked(cudaEventElapsedTime(&elapsed, lap->begin, lap->end)))
        *lap->ms += (double)elapsed;
}

/* The slot's previous lap is over: a band is submitted only after that lap. */
static cudaError_t lap_begin(struct lap *lap, cudaStream_t stream)
{
    lap_add(lap);
    lap->recorded = false;
    return cudaEventRecord(lap->begin, stream);
}

static cudaError_t lap_end(struct lap *lap, cudaStream_t stream)
{
    cudaError_t status = cudaEventRecord(lap->end, stream);
    lap->recorded = status == cudaSuccess;
    return status;
}

static cudaError_t laps_make(struct cuda_bands *c)
{
    cudaError_t status = cudaSuccess;

    for (int i = 0; status == cudaSuccess && i < c->lap_count; i++) {
        struct lap *lap = &c->laps[i];
        lap->ms = lap < c->filter_lap ? &c->job->times->upload_ms
                  : lap < c->down_lap ? &c->job->times->kernel_ms
                                      : &c->job->times->download_ms;
        status = cudaEventCreate(&lap->begin);
        /* a waiting thread sleeps and leaves its core to the codecs */
        CUDA_NEXT(status, cudaEventCreateWithFlags(&lap->end, cudaEventBlockingSync));
    }
    return status;
}

/* Pins a slot at its first use, so that the first bands run while later slots are pinned. Memory
 * that cannot be pinned is slower but works. */
static void pin(const struct cuda_bands *c, struct lap *lap, const struct image *slot)
{
    if (c->job->pin && !lap->pinned &&
        cuda_worked(cudaHostRegister(slot->data, slot->pitch * (size_t)slot->height,
                                     cudaHostRegisterDefault)))
        lap->pinned = slot->data;
}

/* ---- one band ---- */

/* Bytes of a row; all steps have it. */
static size_t pitch_of(const struct cuda_bands *c)
{
    return c->step[0].planes.image_pitch;
}

/* The first pixel of a row in a band's device slot: BUFFER_IN, which the first step reads, or
 * BUFFER_OUT, which the last step makes. An input slot begins `above` rows before the band, even if
 * the picture begins later. */
static char *slot_row(const struct cuda_bands *c, enum cuda_buffer buffer, int band, int row)
{
    const struct step *step = &c->step[buffer == BUFFER_IN ? 0 : c->job->steps - 1];
    struct plane_image all = planes_device_image(&step->planes, buffer, 0);
    size_t slot = buffer == BUFFER_IN ? c->in_slot : c->out_slot;
    return (char *)all.data + (size_t)(band % c->slots) * slot + (size_t)row * all.pitch;
}

static cudaError_t upload(struct cuda_bands *c, int band)
{
    const struct band_job *job = c->job;
    const struct bands *b = job->bands;
    const struct image *from = &job->in[band % job->in_slots];
    struct lap *lap = &c->up_lap[band % job->in_slots];
    int last_reader = band + 1 - c->slots, first = bands_new_from(b, band);
    int rows = bands_needs_to(b, band) - first;
    char *to = slot_row(c, BUFFER_IN, band, first - (bands_first(b, band) - b->above));
    cudaError_t status = cudaSuccess;

    pin(c, lap, from);
    if (last_reader >= 0 && last_reader < band)
        status = cudaStreamWaitEvent(c->up, c->filter_lap[last_reader % c->slots].end, 0);
    CUDA_NEXT(status, lap_begin(lap, c->up));
    if (status == cudaSuccess && rows > 0)
        status = cudaMemcpy2DAsync(to, pitch_of(c), from->data, from->pitch, image_row_bytes(from),
                                   (size_t)rows, cudaMemcpyHostToDevice, c->up);
    CUDA_NEXT(status, lap_end(lap, c->up));
    return status;
}

/* Copies the rows of a band that are already on the device: the last rows in the slot of the band
 * before. */
static cudaError_t take_halo(const struct cuda_bands *c, int band)
{
    const struct bands *b = c->job->bands;
    int first = bands_needs_from(b, band), rows = bands_new_from(b, band) - first;
    int skipped = first - (bands_first(b, band) - b->above);
    size_t pitch = pitch_of(c);

    if (rows <= 0)
        return cudaSuccess;
    return cudaMemcpy2DAsync(slot_row(c, BUFFER_IN, band, skipped), pitch,
                             slot_row(c, BUFFER_IN, band + c->slots - 1, b->rows + skipped), pitch,
                             image_row_bytes(c->job->shape), (size_t)rows, cudaMemcpyDeviceToDevice,
                             c->device->stream);
}

/* The next pass reads the rows that the last one made, and makes the band and the rows ABOVE and
 * BELOW it that are in the picture. */
static void find_rows(const struct cuda_bands *c, int band, int above, int below,
                      struct planes_band *rows)
{
    const struct bands *b = c->job->bands;
    const int first = bands_first(b, band) - above, end = bands_end(b, band) + below;

    rows->in_first = rows->out_first;
    rows->in_rows = rows->out_rows;
    rows->out_first = first > 0 ? first : 0;
    rows->out_rows = (end < b->height ? end : b->height) - rows->out_first;
}

static cudaError_t copy_rows(const struct cuda_bands *c, void *to, struct plane_image from)
{
    return cudaMemcpy2DAsync(to, pitch_of(c), from.data, from.pitch, image_row_bytes(c->job->shape),
                             (size_t)from.rows, cudaMemcpyDeviceToDevice, c->device->stream);
}

/* Lets STEP read what the step before has made, ROWS rows. Its rows may have to begin elsewhere:
 * see planes.pad. Then they are copied to the other slot, which that step has read. */
static cudaError_t join(const struct cuda_bands *c, const struct planes *made, struct planes *step,
                        int rows)
{
    const struct plane_image from = planes_device_image(made, BUFFER_OUT, rows);
    const bool fits = made->pad[1] == step->pad[0];

    step->turned = made->turned != fits;
    return fits ? cudaSuccess : copy_rows(c, planes_device_image(step, BUFFER_IN, rows).data, from);
}

static cudaError_t launch(const struct cuda_bands *c, int band)
{
    const struct bands *b = c->job->bands;
    const int in_first = bands_needs_from(b, band), slot = band % c->slots;
    const size_t scratch_in = (size_t)c->slots * c->in_slot;
    const size_t out = (size_t)(c->passes > 1 ? c->slots : slot) * c->out_slot;
    struct planes_band rows = {.out_first = in_first,
                               .out_rows = bands_needs_to(b, band) - in_first};
    int above = b->above, below = b->below;
    struct planes planes = c->step[0].planes;
    cudaError_t status = cudaSuccess;

    for (int s = 0; status == cudaSuccess && s < c->job->steps; s++) {
        const struct step *step = &c->step[s];
        const struct planes made = planes;
        planes = step->planes;
        planes.at[BUFFER_OUT] = out;
        planes.at[BUFFER_IN] = scratch_in;
        if (s > 0)
            status = join(c, &made, &planes, rows.out_rows);
        else /* whole rows, with the planes.pad bytes before the pixels */
            planes.at[BUFFER_IN] =
                (size_t)slot * c->in_slot +
                (size_t)(in_first - (bands_first(b, band) - b->above)) * pitch_of(c);
        for (int pass = 0; status == cudaSuccess && pass < c->job->plan[s].repeat; pass++) {
            if (pass > 0) {
                planes_turn(&planes);
                planes.at[BUFFER_IN] = scratch_in;
            }
            above -= step->one.above;
            below -= step->one.below;
            find_rows(c, band, above, below, &rows);
            status = planes_filter_band(&planes, &rows);
        }
    }
    if (status == cudaSuccess && c->passes > 1)
        status = copy_rows(c, slot_row(c, BUFFER_OUT, band, 0),
                           planes_device_image(&planes, BUFFER_OUT, rows.out_rows));
    return status;
}

static cudaError_t filter(struct cuda_bands *c, int band)
{
    struct lap *lap = &c->filter_lap[band % c->slots];
    cudaStream_t stream = c->device->stream;
    cudaError_t status = cudaStreamWaitEvent(stream, c->up_lap[band % c->job->in_slots].end, 0);

    CUDA_NEXT(status, lap_begin(lap, stream));
    CUDA_NEXT(status, take_halo(c, band));
    CUDA_NEXT(status, launch(c, band));
    CUDA_NEXT(status, lap_end(lap, stream));
    return status;
}

static cudaError_t download(struct cuda_bands *c, int band)
{
    const struct band_job *job = c->job;
    const struct image *to = &job->out[band % job->out_slots];
    struct lap *lap = &c->down_lap[band % c->slots];
    const char *from = slot_row(c, BUFFER_OUT, band, 0);
    int rows = bands_end(job->bands, band) - bands_first(job->bands, band);
    cudaError_t status;

    pin(c, lap, to);
    status = cudaStreamWaitEvent(c->down, c->filter_lap[band % c->slots].end, 0);
    CUDA_NEXT(status, lap_begin(lap, c->down));
    CUDA_NEXT(status, cudaMemcpy2DAsync(to->data, to->pitch, from, pitch_of(c), image_row_bytes(to),
                                        (size_t)rows, cudaMemcpyDeviceToHost, c->down));
    CUDA_NEXT(status, lap_end(lap, c->down));
    return status;
}

/* ---- the interface ---- */

/* A download into pageable memory blocks its thread until it ends. So the thread that waits for the
 * band starts such a download. */
static bool submit(void *state, int band, struct error *err)
{
    struct cuda_bands *c = state;
    cudaError_t status = cudaSetDevice(c->device->index);

    CUDA_NEXT(status, upload(c, band));
    CUDA_NEXT(status, filter(c, band));
    if (status == cudaSuccess && c->job->pin)
        status = download(c, band);
    return done(c, status, err);
}

static bool wait_uploaded(void *state, int band, struct error *err)
{
    struct cuda_bands *c = state;
    cudaError_t status = cudaSetDevice(c->device->index);

    CUDA_NEXT(status, cudaEventSynchronize(c->up_lap[band % c->job->in_slots].end));
    return done(c, status, err);
}

static bool wait_downloaded(void *state, int band, struct error *err)
{
    struct cuda_bands *c = state;
    cudaError_t status = cudaSetDevice(c->device->index);

    if (status == cudaSuccess && !c->job->pin)
        status = download(c, band);
    CUDA_NEXT(status, cudaEventSynchronize(c->down_lap[band % c->slots].end));
    return done(c, status, err);
}

static void close_bands(void *state)
{
    struct cuda_bands *c = state;

    /* After a failure, copies to the host's memory may still run. Errors are ignored here: the
     * failure has been reported, or all bands are already complete. */
    cuda_worked(cudaSetDevice(c->device->index));
    if (c->up)
        cuda_worked(cudaStreamSynchronize(c->up));
    cuda_worked(cudaStreamSynchronize(c->device->stream));
    if (c->down)
        cuda_worked(cudaStreamSynchronize(c->down));
    for (int i = 0; c->laps && i < c->lap_count; i++) {
        lap_add(&c->laps[i]);
        if (c->laps[i].begin)
            cudaEventDestroy(c->laps[i].begin);
        if (c->laps[i].end)
            cudaEventDestroy(c->laps[i].end);
        if (c->laps[i].pinned)
            cuda_worked(cudaHostUnregister(c->laps[i].pinned));
    }
    if (c->up)
        cudaStreamDestroy(c->up);
    if (c->down)
        cudaStreamDestroy(c->down);
    cuda_device_unlock(c->device);
    for (int s = 0; c->step && s < c->job->steps; s++)
        planes_free(&c->step[s].planes);
    free(c->step);
    free(c->laps);
    free(c);
}

/* ---- getting ready ---- */

static cudaError_t reserve(struct cuda_bands *c)
{
    const struct bands *b = c->job->bands;
    const bool several = c->passes > 1;
    size_t in_rows = (size_t)(b->above + b->below) + (size_t)b->rows, out_rows = (size_t)b->rows;
    size_t bytes[CUDA_BUFFERS] = {0}, each[CUDA_BUFFERS];

    for (int s = 0; s < c->job->steps; s++) {
        struct planes *planes = &c->step[s].planes;
        planes_buffer_bytes(planes, in_rows, several ? in_rows : out_rows, each);
        for (int i = 0; i < CUDA_BUFFERS; i++)
            bytes[i] = each[i] > bytes[i] ? each[i] : bytes[i];
        planes->at[BUFFER_MASK] = bytes[BUFFER_MASK];
        bytes[BUFFER_MASK] += planes->weight_bytes;
    }
    c->in_slot = in_rows * pitch_of(c);
    c->out_slot = out_rows * pitch_of(c);
    const size_t scratch = several ? c->in_slot : 0;
    bytes[BUFFER_IN] = c->in_slot * (size_t)c->slots + scratch;
    bytes[BUFFER_OUT] = c->out_slot * (size_t)c->slots + scratch;
    return cuda_device_reserve(c->device, bytes);
}

static bool steps_make(struct cuda_bands *c, struct error *err)
{
    const struct band_job *job = c->job;

    for (int s = 0; s < job->steps; s++) {
        struct step *step = &c->step[s];
        step->whole = (struct kernel_job){.plan = &job->plan[s],
                                          .in = job->shape,
                                          .picture_height = job->shape->height,
                                          .tile = job->tile,
                                          .device_index = job->device_index};
        step->planes = (struct planes){
            .job = &step->whole, .device = c->device, .method = job->kernels[s]->cuda};
        bands_find_reach(&step->one, &job->plan[s], job->shape->height);
        c->passes += job->plan[s].repeat;
        if (!planes_pack(&step->planes, err))
            return false;
    }
    return true;
}

static bool get_ready(struct cuda_bands *c, struct error *err)
{
    const struct band_job *job = c->job;
    cudaError_t status = cudaSuccess;

    c->slots = job->out_slots;
    c->lap_count = job->in_slots + 2 * c->slots;
    c->laps = calloc((size_t)c->lap_count, sizeof *c->laps);
    c->step = calloc((size_t)job->steps, sizeof *c->step);
    if (!c->laps || !c->step)
        return error_set(err, EXIT_INPUT, "no memory for the strips");
    c->up_lap = c->laps;
    c->filter_lap = c->up_lap + job->in_slots;
    c->down_lap = c->filter_lap + c->slots;
    if (!steps_make(c, err) || !cuda_device_done(err, c->device, reserve(c), "no device memory"))
        return false;
    for (int s = 0; status == cudaSuccess && s < job->steps; s++)
        status = planes_send(&c->step[s].planes);
    if (!cuda_device_done(err, c->device, status, "cannot send the mask"))
        return false;
    status = laps_make(c);
    CUDA_NEXT(status, cudaStreamCreateWithFlags(&c->up, cudaStreamNonBlocking));
    CUDA_NEXT(status, cudaStreamCreateWithFlags(&c->down, cudaStreamNonBlocking));
    return done(c, status, err);
}

static void *open_bands(const struct band_job *job, struct error *err)
{
    struct cuda_bands *c = calloc(1, sizeof *c);

    if (!c) {
        error_set(err, EXIT_INPUT, "no memory for the strips");
        return NULL;
    }
    c->job = job;
    c->device = cuda_device_lock(job->device_index, CUDA_ALONE, err);
    if (!c->device) {
        free(c);
        return NULL;
    }
    if (get_ready(c, err))
        return c;
    close_bands(c);
    return NULL;
}

const struct band_device cuda_bands = {
    .open = open_bands,
    .submit = submit,
    .wait_uploaded = wait_uploaded,
    .wait_downloaded = wait_downloaded,
    .close = close_bands,
};
