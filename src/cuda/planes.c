/* The textbook's planes on the device: channels become planes, planes become sums, sums become
 * pixels. The plan already decides every output byte; this file chooses only the number type of the
 * sums: float inside 2^24, then 32 and 64 bit integers, two halves past 62 bits. */
#include "cuda/planes.h"

#include <stdlib.h>
#include <string.h>

/* Rows of planes begin at multiples of 256 bytes, as with cudaMallocPitch. */
#define PITCH_ALIGN 256
/* Spare bytes in a row of pixels: for `pad`, and for the rest of the row's last word. */
#define ROW_SPARE    32
#define DEFAULT_TILE 32

/* Index in planes.weight_at: the weights of products. */
#define WEIGHT_PRODUCT 2

static size_t round_up(size_t bytes)
{
    return (bytes + PITCH_ALIGN - 1) / PITCH_ALIGN * PITCH_ALIGN;
}

/* ---- number types ---- */

/* Which number type holds the plan's plain sums. */
static enum plane_type type_of_sums(const struct plan *plan)
{
    enum plane_type type = PLANE_F32;
    for (int k = 0; k < plan->masks; k++) {
        if (plan->mask[k].accumulator == ACCUMULATOR_I64)
            return PLANE_I64;
        if (!plan->mask[k].float_exact)
            type = PLANE_I32;
    }
    return type;
}

/* Products with alpha reach max^2; past 62 bits they are summed in two halves, each of which stays
 * within the plan's own bound. */
static enum plane_type type_of_product(const struct plan *plan, int *split_bits)
{
    int64_t square = (int64_t)plan->max * plan->max, sum = plan->mask[0].sum;
    *split_bits = 0;
    if (sum < (1 << 24) / square)
        return PLANE_F32;
    if (sum <= INT32_MAX / square)
        return PLANE_I32;
    if (sum > (INT64_MAX >> 1) / square)
        *split_bits = 32 - __builtin_clz(plan->max);
    return PLANE_I64;
}

int planes_tile(const struct kernel_job *job)
{
    return job->tile ? job->tile : DEFAULT_TILE;
}

static void weights_put(enum plane_type type, const struct plan_mask *m, void *to)
{
    for (int i = 0; i < m->width * m->height; i++) {
        if (type == PLANE_F32)
            ((float *)to)[i] = (float)m->weight[i];
        else if (type == PLANE_I32)
            ((int32_t *)to)[i] = (int32_t)m->weight[i];
        else
            ((int64_t *)to)[i] = m->weight[i];
    }
}

/* Returns the bytes of both masks and the product's weights, one after the other. If OUT is not
 * NULL, writes the weights to OUT. */
static size_t planes_put(struct planes *planes, char *out)
{
    const struct plan *plan = planes->job->plan;
    const bool wanted[3] = {true, plan->masks > 1, plan->alpha == ALPHA_WEIGHTED};
    const enum plane_type type[3] = {planes->type, planes->type, planes->product_type};
    size_t bytes = 0;

    for (int k = 0; k < 3; k++) {
        const struct plan_mask *m = &plan->mask[k == 1];
        planes->weight_at[k] = bytes;
        if (wanted[k] && out)
            weights_put(type[k], m, out + bytes);
        if (wanted[k])
            bytes += round_up((size_t)m->width * (size_t)m->height * plane_cell_bytes(type[k]));
    }
    return bytes;
}

/* As planes_put, for any method. Returns 0 if the method cannot run the plan. */
static size_t pack(struct planes *planes, char *out)
{
    size_t bytes = 0;
    int i = 0;

    if (!planes->method->image)
        return planes_put(planes, out);
    for (const struct plan *step = planes->job->plan; step; step = step->then, i++) {
        if (planes->method->pack(step, out ? out + bytes : NULL, &planes->packed))
            return 0;
        planes->weight_at[i] = bytes;
        bytes += round_up(planes->packed.bytes);
    }
    return bytes;
}

/* Tensor copies (capability 9.0) need windows that begin at 16 bytes: see planes.pad. */
static bool aligns(const struct planes *planes)
{
    return planes->method->since >= 9;
}

/* Bytes from the mask's first cell to its anchor. */
static int window_left(const struct plan *plan)
{
    return plan->mask[0].anchor_x * plan->channels * (int)plan->type;
}

/* The bytes before the mask's first cell when input and output both begin on 16 bytes. */
static int lying_pad(const struct planes *planes)
{
    return aligns(planes) ? (16 - window_left(planes->job->plan) % 16) % 16 : 0;
}

static bool lies_well(const struct image *image)
{
    return (((uintptr_t)image->data | image->pitch | image_row_bytes(image)) & 15) == 0;
}

void planes_choose_lying(struct planes *planes)
{
    const struct kernel_job *job = planes->job;
    struct planes_packed packed = {.pad = lying_pad(planes)};
    bool fits;

    if (!job->on_device || job->plan->repeat > 1)
        return;
    fits = packed.pad == 0 || (!planes->method->pack(job->plan, NULL, &packed) &&
                               packed.shared <= planes->device->shared_limit);
    planes->lying_out = lies_well(job->out) ? job->out : NULL;
    if (lies_well(job->in) && job->in->data != job->out->data && (fits || !planes->lying_out))
        planes->lying_in = job->in;
    if (planes->lying_in && planes->lying_out)
        planes->packed.pad = lying_pad(planes);
}

void planes_turn(struct planes *planes)
{
    planes->turned = !planes->turned;
    planes->pad[0] = planes->pad[1];
    if (aligns(planes))
        planes->pad[1] = ((planes->pad[0] - window_left(planes->job->plan)) % 16 + 16) % 16;
}

bool planes_pack(struct planes *planes, struct error *err)
{
    const struct plan *plan = planes->job->plan;
    size_t width = (size_t)planes->job->in->width;

    if (planes->method->image && image_row_bytes(planes->job->in) > CUDA_MOST_ROW_BYTES)
        return error_set(err, EXIT_INPUT,
                         CUDA_NAME ":%d: a row of %zu bytes is too long for this kernel, which "
                                   "takes up to %d; --device cpu takes it",
                         planes->device->index, image_row_bytes(planes->job->in),
                         CUDA_MOST_ROW_BYTES);
    planes->image_pitch = round_up(image_row_bytes(planes->job->in) + ROW_SPARE);
    planes->pad[0] = aligns(planes) && !planes->lying_in ? window_left(plan) % 16 : 0;
    planes->pad[1] = planes->lying_in && !planes->lying_out ? lying_pad(planes) : 0;
    planes->type = planes->product_type = type_of_sums(plan);
    if (plan->alpha == ALPHA_WEIGHTED)
        planes->product_type = type_of_product(plan, &planes->split_bits);
    planes->plane_pitch = round_up(width * plane_cell_bytes(planes->type));
    planes->product_pitch = round_up(width * plane_cell_bytes(planes->product_type));
    planes->weight_bytes = pack(planes, NULL);
    if (planes->weight_bytes)
        planes->weights = calloc(1, planes->weight_bytes); /* packers may leave gaps */
    if (!planes->weights)
        return error_set(err, EXIT_INPUT, "no memory for the mask's weights");
    pack(planes, planes->weights);
    return true;
}

cudaError_t planes_send(const struct planes *planes)
{
    return cuda_device_send_mask(planes->device, planes->at[BUFFER_MASK], planes->weights,
                                 planes->weight_bytes);
}

bool planes_init(struct planes *planes, struct error *err)
{
    return planes_pack(planes, err) &&
           cuda_device_done(err, planes->device, planes_send(planes), "cannot send the mask");
}

void planes_free(struct planes *planes)
{
    free(planes->weights);
}

/* ---- device memory ---- */

void planes_buffer_bytes(const struct planes *planes, size_t in_rows, size_t rows,
                         size_t bytes[CUDA_BUFFERS])
{
    const struct plan *plan = planes->job->plan;
    memset(bytes, 0, CUDA_BUFFERS * sizeof *bytes);
    bytes[BUFFER_IN] = planes->lying_in ? 0 : in_rows * planes->image_pitch;
    bytes[BUFFER_OUT] = planes->lying_out ? 0 : in_rows * planes->image_pitch;
    bytes[BUFFER_STEP] = plan->then ? in_rows * planes->image_pitch : 0;
    if (planes->method->image)
        return;
    bytes[BUFFER_PLANE] = in_rows * planes->plane_pitch;
    bytes[BUFFER_SUM] = rows * planes->plane_pitch;
    if (plan->kind == PLAN_GRADIENT)
        bytes[BUFFER_SUM2] = rows * planes->plane_pitch;
    if (plan->alpha == ALPHA_WEIGHTED) {
        if (planes->product_pitch > planes->plane_pitch)
            bytes[BUFFER_PLANE] = in_rows * planes->product_pitch;
        bytes[BUFFER_COVERAGE] = rows * planes->plane_pitch;
        bytes[BUFFER_LOW] = rows * planes->product_pitch;
        if (planes->split_bits)
            bytes[BUFFER_HIGH] = rows * planes->product_pitch;
    }
}

void cuda_tiled_shape(const struct kernel_job *job, struct kernel_shape *shape)
{
    const struct plan_mask *m = &job->plan->mask[0];
    struct plane_job plane = {.type = type_of_sums(job->plan),
                              .mask_width = m->width,
                              .mask_height = m->height,
                              .tile = planes_tile(job)};
    struct plane_shape cut;
    int shared = 0, groups;
    double loads;

    if (cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin,
                               job->device_index) != cudaSuccess)
        shared = 48 << 10; /* every device has this much */
    plane.shared_limit = (size_t)shared;
    cut = plane_tiled_shape(&plane);
    groups = (m->height + cut.group_rows - 1) / cut.group_rows;
    loads = (double)(cut.tile + m->width - 1) *
            ((double)groups * (cut.tile - 1) + (double)m->height) / (double)(cut.tile * cut.tile);
    *shape = (struct kernel_shape){
        .tile_width = cut.tile,
        .tile_height = cut.tile,
        .halo_left = m->anchor_x,
        .halo_right = m->width - 1 - m->anchor_x,
        .halo_above = m->anchor_y,
        .halo_below = m->height - 1 - m->anchor_y,
        .block_x = cut.block_x,
        .block_y = cut.block_y,
        .mask_rows = cut.group_rows,
        .shared_bytes = cut.shared_bytes,
        .loads_per_output = loads,
    };
}

/* ---- one channel ---- */

struct plane_image planes_device_image(const struct planes *planes, enum cuda_buffer buffer,
                                       int rows)
{
    const struct plan *plan = planes->job->plan;
    const struct image *lying = buffer == BUFFER_IN    ? planes->lying_in
                                : buffer == BUFFER_OUT ? planes->lying_out
                                                       : NULL;
    int pad = buffer == BUFFER_IN ? planes->pad[0] : planes->pad[1];
    enum cuda_buffer other = buffer == BUFFER_IN ? BUFFER_OUT : BUFFER_IN;
    enum cuda_buffer at = planes->turned && buffer != BUFFER_STEP ? other : buffer;
    return (struct plane_image){lying ? lying->data : (char *)planes_buffer(planes, at) + pad,
                                lying ? lying->pitch : planes->image_pitch,
                                planes->job->in->width,
                                rows,
                                plan->channels,
                                (int)plan->type};
}

int64_t planes_ghost(const struct plan *plan, int channel, enum plane_source source, int split_bits)
{
    bool is_alpha = image_has_alpha(plan->channels) && channel == plan->channels - 1;
    int64_t value = is_alpha && plan->alpha != ALPHA_PLAIN ? plan->max : plan->border_value;
    if (source != PLANE_SAMPLE)
        value *= plan->max; /* a ghost cell's alpha is max */
    if (source == PLANE_PRODUCT_HIGH)
        value >>= split_bits;
    else if (source == PLANE_PRODUCT_LOW)
        value &= ((int64_t)1 << split_bits) - 1;
    return value;
}

struct plane_prepare_job planes_prepare_job(const struct planes *planes,
                                            const struct planes_band *band, int channel,
                                            enum plane_source source)
{
    bool product = source != PLANE_SAMPLE;
    return (struct plane_prepare_job){
        .image = planes_device_image(planes, BUFFER_IN, band->in_rows),
        .channel = channel,
        .source = source,
        .split_bits = planes->split_bits,
        .type = product ? planes->product_type : planes->type,
        .out = planes_buffer(planes, BUFFER_PLANE),
        .out_pitch = product ? planes->product_pitch : planes->plane_pitch,
    };
}

struct plane_job planes_sum_job(const struct planes *planes, const struct planes_band *band,
                                const struct plane_prepare_job *prepared, int k,
                                enum cuda_buffer sums)
{
    const struct plan *plan = planes->job->plan;
    const struct plan_mask *m = &plan->mask[k];
    size_t weight_at = planes->weight_at[prepared->source != PLANE_SAMPLE ? WEIGHT_PRODUCT : k];
    return (struct plane_job){
        .type = prepared->type,
        .in = prepared->out,
        .in_pitch = prepared->out_pitch,
        .in_first_row = band->in_first,
        .in_rows = band->in_rows,
        .out = planes_buffer(planes, sums),
        .out_pitch = prepared->out_pitch,
        .out_first_row = band->out_first,
        .out_rows = band->out_rows,
        .width = planes->job->in->width,
        .picture_height = planes->job->picture_height,
        .border = (enum plane_border)plan->border,
        .ghost = planes_ghost(plan, prepared->channel, prepared->source, planes->split_bits),
        .mask_width = m->width,
        .mask_height = m->height,
        .anchor_x = m->anchor_x,
        .anchor_y = m->anchor_y,
        .weight = planes->weights + weight_at,
        .device_weight = (const char *)planes_buffer(planes, BUFFER_MASK) + weight_at,
        .tile = planes_tile(planes->job),
        .shared_limit = planes->device->shared_limit,
    };
}

/* prepare + convolve: the sums of one channel (or its products) under mask k into `sums`. */
static cudaError_t sum_channel(const struct planes *planes, const struct planes_band *band,
                               int channel, enum plane_source source, int k, enum cuda_buffer sums)
{
    struct plane_prepare_job prepare = planes_prepare_job(planes, band, channel, source);
    struct plane_job convolve = planes_sum_job(planes, band, &prepare, k, sums);
    cudaError_t status = plane_prepare(&prepare, planes->device->stream);
    CUDA_NEXT(status, planes->method->plane(&convolve, planes->device->stream));
    return status;
}

static struct plane_finish_job finish_job(const struct planes *planes,
                                          const struct planes_band *band, int channel)
{
    const struct plan_mask *m = &planes->job->plan->mask[0];
    return (struct plane_finish_job){
        .type = planes->type,
        .sum = planes_buffer(planes, BUFFER_SUM),
        .sum_pitch = planes->plane_pitch,
        .divisor = m->divisor,
        .offset = m->offset,
        .max = planes->job->plan->max,
        .image = planes_device_image(planes, BUFFER_OUT, band->out_rows),
        .channel = channel,
    };
}

static cudaError_t weighted_channel(const struct planes *planes, const struct planes_band *band,
                                    int channel)
{
    struct cuda_device *device = planes->device;
    struct plane_weighted_job job = {
        .plain = finish_job(planes, band, channel),
        .coverage = planes_buffer(planes, BUFFER_COVERAGE),
        .product_type = planes->product_type,
        .product_low = planes_buffer(planes, BUFFER_LOW),
        .product_high = planes->split_bits ? planes_buffer(planes, BUFFER_HIGH) : NULL,
        .product_pitch = planes->product_pitch,
        .split_bits = planes->split_bits,
        .weight_sum = planes->job->plan->mask[0].sum,
    };
    enum plane_source low = planes->split_bits ? PLANE_PRODUCT_LOW : PLANE_PRODUCT;
    cudaError_t status;

    if (channel == planes->job->plan->channels - 1) { /* alpha itself: round(sum(w*a) / W) */
        job.plain.sum = job.coverage;
        job.plain.divisor = job.weight_sum;
        job.plain.offset = 0;
        return plane_finish_linear(&job.plain, device->stream);
    }
    status = sum_channel(planes, band, channel, PLANE_SAMPLE, 0, BUFFER_SUM);
    CUDA_NEXT(status, sum_channel(planes, band, channel, low, 0, BUFFER_LOW));
    if (planes->split_bits)
        CUDA_NEXT(status, sum_channel(planes, band, channel, PLANE_PRODUCT_HIGH, 0, BUFFER_HIGH));
    CUDA_NEXT(status, plane_finish_weighted(&job, device->stream));
    return status;
}

static cudaError_t filter_channel(const struct planes *planes, const struct planes_band *band,
                                  int channel)
{
    const struct plan *plan = planes->job->plan;
    const void *gy = planes_buffer(planes, BUFFER_SUM2);
    struct plane_finish_job finish = finish_job(planes, band, channel);
    cudaStream_t stream = planes->device->stream;
    cudaError_t status;

    if (plan->alpha == ALPHA_WEIGHTED)
        return weighted_channel(planes, band, channel);
    status = sum_channel(planes, band, channel, PLANE_SAMPLE, 0, BUFFER_SUM);
    if (plan->kind != PLAN_GRADIENT) {
        CUDA_NEXT(status, plane_finish_linear(&finish, stream));
        return status;
    }
    CUDA_NEXT(status, sum_channel(planes, band, channel, PLANE_SAMPLE, 1, BUFFER_SUM2));
    CUDA_NEXT(status, plane_finish_gradient(&finish, gy, stream));
    return status;
}

cudaError_t planes_filter_band(const struct planes *planes, const struct planes_band *band)
{
    const struct plan *plan = planes->job->plan;
    struct plane_image in = planes_device_image(planes, BUFFER_IN, band->in_rows);
    struct plane_image out = planes_device_image(planes, BUFFER_OUT, band->out_rows);
    cudaError_t status = cudaSuccess;

    if (planes->method->image)
        status = planes_image_filter(planes, band);
    else if (plan->alpha == ALPHA_WEIGHTED)
        status = sum_channel(planes, band, plan->channels - 1, PLANE_SAMPLE, 0, BUFFER_COVERAGE);
    for (int c = 0; status == cudaSuccess && c < plan->channels; c++)
        if (!(plan->filtered >> c & 1))
            status = plane_copy_channel(&in, band->out_first - band->in_first, &out, c,
                                        planes->device->stream);
        else if (!planes->method->image)
            status = filter_channel(planes, band, c);
    return status;
}
