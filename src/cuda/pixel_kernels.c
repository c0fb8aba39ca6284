/* The kernels on whole pixels: which plans each kernel runs, how it packs the weights, and how it
 * runs. Buffers, bands and passes work as for all kernels (cuda/planes.c, cuda/run.c). */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/planes.h"
#include "kernel/backend.h"

/* ---- what each kernel can run, and its weights ---- */

#define TOO_LARGE "the mask is too wide or too high"

/* The first reason against PLAN, or NULL. DEEP: the kernel also runs samples of 16 bits. PAST: it
 * also runs sums past 32 bits. */
static const char *refusal(const struct plan *plan, bool deep, bool past)
{
    if (plan->type == SAMPLE_U16 && !deep)
        return "samples of 16 bits";
    if (plan->kind != PLAN_LINEAR)
        return "it runs one mask, not gradients";
    if (plan->alpha == ALPHA_WEIGHTED)
        return "colour weighted by alpha";
    return plan->mask[0].accumulator == ACCUMULATOR_I32 || past ? NULL : "sums past 32 bits";
}

static int int8_planes(const struct plan *plan)
{
    return int8_mma_planes(plan->mask[0].weight, plan->mask[0].width * plan->mask[0].height);
}

const char *cuda_image_pack_int8(const struct plan *plan, void *out, struct planes_packed *packed)
{
    const struct plan_mask *m = &plan->mask[0];
    const char *why = refusal(plan, false, false);

    if (why)
        return why;
    packed->form = int8_planes(plan);
    packed->bytes = int8_mma_fragment_bytes(m->weight, m->width, m->height, m->anchor_x, &why);
    if (packed->bytes == 0)
        return why;
    packed->shared =
        int8_mma_shared_bytes(m->width, m->height, m->anchor_x, plan->channels, packed->form);
    if (out)
        int8_mma_pack(m->weight, m->width, m->height, m->anchor_x, out);
    return NULL;
}

/* Packs weights as packed->form planes of bytes, for the kernels dp4a and weighted. */
static const char *pack_bytes(const struct plan_mask *m, void *out, struct planes_packed *packed)
{
    packed->bytes = dp4a_fragment_bytes(m->width, m->height, m->anchor_x, packed->form);
    if (out)
        dp4a_pack(m->weight, m->width, m->height, m->anchor_x, packed->form, out);
    return NULL;
}

/* The kernel's gradients. It takes their weights as arguments; the packed ones are not read. */
static const char *pack_gradient(const struct plan *plan, void *out, struct planes_packed *packed)
{
    const int side = DP4A_GRADIENT_SIDE;

    if (plan->type != SAMPLE_U8)
        return "samples of 16 bits";
    for (int k = 0; k < 2; k++) {
        const struct plan_mask *m = &plan->mask[k];
        if (m->width != side || m->height != side || m->anchor_x != side / 2)
            return "masks of another size than 3 x 3";
        if (int8_mma_planes(m->weight, side * side) != 1 || m->bound > DP4A_GRADIENT_BOUND)
            return "weights of a gradient past 8 bits";
    }
    packed->form = 1;
    packed->shared = dp4a_shared_bytes(side, side, side / 2, plan->channels, 0);
    return pack_bytes(&plan->mask[0], out, packed);
}

const char *cuda_image_pack_dp4a(const struct plan *plan, void *out, struct planes_packed *packed)
{
    const struct plan_mask *m = &plan->mask[0];
    const char *why;

    if (plan->kind == PLAN_GRADIENT)
        return pack_gradient(plan, out, packed);
    why = refusal(plan, false, false);
    if (why)
        return why;
    packed->form = int8_planes(plan);
    if (packed->form == 0)
        return "weights past 16 bits";
    packed->shared =
        dp4a_shared_bytes(m->width, m->height, m->anchor_x, plan->channels, packed->form);
    return pack_bytes(m, out, packed);
}

/* The kernel divides by the sum of weights times alpha in the same pass. */
const char *cuda_image_pack_weighted(const struct plan *plan, void *out,
                                     struct planes_packed *packed)
{
    const struct plan_mask *m = &plan->mask[0];

    packed->form = weighted_planes(m->weight, m->width * m->height);
    if (plan->type != SAMPLE_U8)
        return "samples of 16 bits";
    if (plan->alpha != ALPHA_WEIGHTED)
        return "it runs colour weighted by alpha only";
    if (m->sum != m->divisor || m->offset != 0)
        return "colour weighted by alpha with a gain or an offset";
    if (m->accumulator != ACCUMULATOR_I32)
        return "sums past 32 bits";
    if (packed->form == 0)
        return "weights past 24 bits";
    if (m->height > WEIGHTED_HEIGHT && weighted_is_wide(plan->max, m->divisor))
        return "products with alpha past 32 bits, and a mask as high as that";
    packed->shared =
        weighted_shared_bytes(m->width, m->height, m->anchor_x, plan->channels, packed->form);
    return pack_bytes(m, out, packed);
}

static bool banded_fits(const struct banded_shape *shape)
{
    return shape->rows <= 256 && shape->pitch <= 1024;
}

const char *cuda_image_pack_banded(const struct plan *plan, void *out, struct planes_packed *packed)
{
    const struct plan_mask *m = &plan->mask[0];
    const char *why = refusal(plan, true, false);
    int planes = int8_planes(plan);
    struct banded_shape shape = banded_image_shape(m->width, m->height, plan->channels,
                                                   (int)plan->type, planes, packed->pad);

    if (why)
        return why;
    if (planes == 0)
        return "weights past 16 bits";
    if (planes == 2 && plan->type == SAMPLE_U16)
        return "weights past 8 bits on samples of 16 bits";
    if (!banded_fits(&shape))
        return TOO_LARGE;
    if (out)
        banded_pack(&shape, m->weight, m->width, m->height, out);
    *packed = (struct planes_packed){(size_t)banded_fragment_bytes(&shape),
                                     banded_shared_bytes(&shape), planes, false, packed->pad};
    return NULL;
}

/* Weights are always rounded to 16 bits. */
const char *cuda_image_pack_certified(const struct plan *plan, void *out,
                                      struct planes_packed *packed)
{
    const struct plan_mask *m = &plan->mask[0];
    const struct certified_mask mask = {
        m->weight, m->width, m->height, m->divisor, m->offset + m->divisor / 2, plan->max};
    /* No special products for small gray masks, unlike banded_image_shape. */
    struct banded_shape shape =
        banded_shape_of(m->width, m->height, plan->channels, 1, 2, packed->pad);
    const char *why = refusal(plan, false, true);

    if (!why && !banded_fits(&shape))
        why = TOO_LARGE;
    if (why || !certified_can(&mask, &why))
        return why;
    if (out)
        certified_pack(&shape, &mask, out);
    *packed = (struct planes_packed){certified_fragment_bytes(&shape, &mask),
                                     certified_shared_bytes(&shape), 2, false, packed->pad};
    return NULL;
}

static const char *pack_separable_16(const struct plan *plan, void *out,
                                     struct planes_packed *packed)
{
    const struct plan_mask *m = &plan->mask[0];
    const struct separable_16_mask mask = {m->row,         m->column, m->width,  m->height,
                                           plan->channels, m->bound,  m->divisor};
    enum separable_16_form form = separable_16_form_of(&mask);
    struct separable_16_shape shape;

    if (form == SEPARABLE_16_NONE)
        return "negative weights past 8 bits, or sums past 32 bits for this divisor";
    shape = separable_16_shape_of(m->width, m->height, plan->channels, form, packed->pad);
    if (shape.products == 0)
        return TOO_LARGE;
    if (out)
        separable_16_pack(&shape, &mask, out);
    *packed =
        (struct planes_packed){(size_t)separable_16_fragment_bytes(&shape),
                               separable_16_shared_bytes(&shape), (int)form, false, packed->pad};
    return NULL;
}

static const char *pack_separable_8(const struct plan *plan, void *out,
                                    struct planes_packed *packed)
{
    const struct plan_mask *m = &plan->mask[0];
    const struct separable_mask mask = {
        m->row, m->column, m->width, m->height, m->divisor, m->offset + m->divisor / 2, plan->max};
    enum separable_form form = separable_form_of(&mask);
    struct separable_shape shape;

    if (form == SEPARABLE_NONE)
        return "factors past 16 bits, or their sums past 24";
    shape = separable_shape_of(m->width, m->height, plan->channels, form, packed->pad);
    if (m->accumulator != ACCUMULATOR_I32 && !separable_takes(&shape, &mask, m->bound))
        return "sums past 32 bits";
    if (shape.products == 0)
        return TOO_LARGE;
    if (out)
        separable_pack(&shape, &mask, out);
    *packed = (struct planes_packed){(size_t)separable_fragment_bytes(&shape),
                                     separable_shared_bytes(&shape), (int)form,
                                     shape.lower_bits != 0, packed->pad};
    return NULL;
}

const char *cuda_image_pack_separable(const struct plan *plan, void *out,
                                      struct planes_packed *packed)
{
    bool deep = plan->type == SAMPLE_U16, rank_1 = plan->mask[0].row != NULL;
    const char *why = refusal(plan, true, deep || rank_1);

    if (why)
        return why;
    if (!rank_1)
        return "the mask is not of rank 1";
    return deep ? pack_separable_16(plan, out, packed) : pack_separable_8(plan, out, packed);
}

/* ---- windows of order filters ---- */

static const char *pack_window(const struct plan_mask *m, bool by_length, void *out,
                               struct planes_packed *packed, size_t shared)
{
    *packed = (struct planes_packed){order_window_bytes(m->weight, m->width, m->height), shared, 0,
                                     false, packed->pad};
    if (out)
        order_window_pack(m->weight, m->width, m->height, by_length, out);
    return NULL;
}

const char *cuda_image_pack_bisect(const struct plan *plan, void *out, struct planes_packed *packed)
{
    return pack_window(&plan->mask[0], false, out, packed, ORDER_SHARED_BYTES);
}

const char *cuda_image_pack_network(const struct plan *plan, void *out,
                                    struct planes_packed *packed)
{
    const struct plan_mask *m = &plan->mask[0];
    const bool square = m->width == m->height && m->sum == m->width * m->height;

    if (!square || (m->width != 3 && m->width != 5 && m->width != 7))
        return "the window is not a square of 3, 5 or 7 cells a side";
    if (plan->order != m->sum / 2)
        return "not the median";
    return pack_window(m, false, out, packed, ORDER_SHARED_BYTES);
}

const char *cuda_image_pack_extremes(const struct plan *plan, void *out,
                                     struct planes_packed *packed)
{
    const struct plan_mask *m = &plan->mask[0];
    const struct extremes_shape shape =
        extremes_shape_of(m->width, m->height, m->anchor_x, plan->channels, (int)plan->type);

    if (plan->order > 0 && plan->order < m->sum - 1)
        return "neither the least nor the greatest cell";
    return pack_window(m, true, out, packed,
                       m->sum == m->width * m->height && shape.fits ? shape.shared_bytes
                                                                    : EXTREMES_RUNS_BYTES);
}

const char *cuda_image_pack_bilateral(const struct plan *plan, void *out,
                                      struct planes_packed *packed)
{
    const struct plan_mask *m = &plan->mask[0];
    const struct bilateral_weights weights = {
        m->row,           m->column,           m->width,       m->height, plan->range,
        plan->range_last, plan_compared(plan), (int)plan->type};

    if (out)
        bilateral_pack(&weights, out);
    *packed = (struct planes_packed){bilateral_fragment_bytes(&weights), 0,
                                     plan->alpha == ALPHA_WEIGHTED, false, packed->pad};
    return NULL;
}

/* ---- where a kernel is worth choosing ---- */

/* The kernel pays for sums past 32 bits and for weights past 16 bits. */
bool cuda_certified_pays(const struct plan *plan)
{
    return plan->mask[0].accumulator != ACCUMULATOR_I32 || int8_planes(plan) == 0;
}

/* Up to 5 x 5 int8 weights (3 x 3 on samples of 16 bits) the kernels that do not split the mask are
 * faster: copies take most of the time there. */
bool cuda_separable_pays(const struct plan *plan)
{
    const struct plan_mask *m = &plan->mask[0];
    int side = plan->type == SAMPLE_U16 ? 3 : 5;
    return m->width > side || m->height > side || int8_planes(plan) != 1 ||
           m->accumulator != ACCUMULATOR_I32;
}

/* ---- which devices can run it ---- */

bool cuda_image_supports(const struct kernel *kernel, const struct plan *plan, char *why,
                         size_t why_bytes)
{
    struct planes_packed packed = {0};
    const char *reason = NULL;
    const int since = kernel->cuda->since;
    const char *unit = since == 7   ? "product of four bytes"
                       : since == 8 ? "int8 matrix product"
                                    : "tensor copies";
    int devices, major = 0, shared = 0;
    size_t most = 0; /* shared memory of a step */

    /* Only the windows of order filters have steps. */
    for (const struct plan *step = plan; step && !reason; step = step->then) {
        reason = kernel->cuda->pack(step, NULL, &packed);
        most = packed.shared > most ? packed.shared : most;
    }
    if (reason) {
        snprintf(why, why_bytes, "%s", reason);
        return false;
    }
    if (CUDA_NEWEST_ARCH < 10 * since) {
        snprintf(why, why_bytes, "this build has no %s (made for %d.%d, it needs %d.0)", unit,
                 CUDA_NEWEST_ARCH / 10, CUDA_NEWEST_ARCH % 10, since);
        return false;
    }
    devices = backend_cuda.devices(why, why_bytes);
    for (int i = 0; i < devices; i++) {
        if (cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, i) != cudaSuccess ||
            cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, i) !=
                cudaSuccess ||
            major < since) {
            snprintf(why, why_bytes, CUDA_NAME ":%d has no %s (needs %d.0)", i, unit, since);
            return false;
        }
        if (most > (size_t)shared) {
            snprintf(why, why_bytes, "its tile takes %zu bytes of shared memory, cuda:%d has %d",
                     most, i, shared);
            return false;
        }
        if (packed.halves && !cuda_halves_are_exact(i)) {
            snprintf(why, why_bytes, CUDA_NAME ":%d does not add products of halves exactly", i);
            return false;
        }
    }
    return true;
}

/* ---- its run ---- */

static uint64_t ghost_pixel(const struct plan *plan)
{
    uint64_t pixel = 0;
    for (int c = 0; c < plan->channels; c++)
        pixel |= (uint64_t)planes_ghost(plan, c, PLANE_SAMPLE, 0) << 8 * (int)plan->type * c;
    return pixel;
}

/* For compute-sanitizer's initcheck, with STENCILCLI_FILL=1. It does not see the writes of tensor
 * copies and would report the output as never written: the output is filled before. Kernels load
 * whole words of 16 bytes or less and ignore the bytes behind a row: these are filled, too. */
static cudaError_t fill_for_initcheck(const struct planes *planes, const struct plane_image *in,
                                      const struct plane_image *out)
{
    const struct plan *plan = planes->job->plan;
    const char *wanted = getenv("STENCILCLI_FILL");
    const size_t bytes =
        (size_t)planes->job->in->width * (size_t)plan->channels * (size_t)plan->type;
    const size_t behind = (16 - bytes % 16) % 16;
    cudaError_t status;

    if (!wanted || strcmp(wanted, "1") != 0)
        return cudaSuccess;
    status = cudaMemset2DAsync((char *)in->data + bytes, in->pitch, 0xa5, behind, (size_t)in->rows,
                               planes->device->stream);
    CUDA_NEXT(status, cudaMemset2DAsync(out->data, out->pitch, 0xa5, bytes, (size_t)out->rows,
                                        planes->device->stream));
    return status;
}

/* Held, for some microseconds, around a launch that first sets a block's shared memory: CUDA keeps
 * one such setting for all streams. One lock for all devices. */
static pthread_mutex_t launch_lock = PTHREAD_MUTEX_INITIALIZER;

/* The rows [first, first + rows) of the picture that an image on the device holds. */
struct placed {
    struct plane_image image;
    int first;
};

/* Makes `to` from `from`: one step of the plan, whose weights are the number INDEX. OTHER: for a
 * difference, else NULL. */
static cudaError_t filter_step(const struct planes *planes, const struct plan *step, int index,
                               const struct placed *from, const struct placed *to,
                               const struct placed *other)
{
    const struct plan_mask *m = &step->mask[0];
    struct image_job job = {
        .in = from->image.data,
        .in_pitch = from->image.pitch,
        .in_first_row = from->first,
        .in_rows = from->image.rows,
        .out = to->image.data,
        .out_pitch = to->image.pitch,
        .out_first_row = to->first,
        .out_rows = to->image.rows,
        .width = from->image.width,
        .picture_height = planes->job->picture_height,
        .channels = step->channels,
        .sample_bytes = (int)step->type,
        .border = (enum plane_border)step->border,
        .ghost = ghost_pixel(step),
        .mask_width = m->width,
        .mask_height = m->height,
        .anchor_x = m->anchor_x,
        .anchor_y = m->anchor_y,
        .divisor = m->divisor,
        .start = m->offset + m->divisor / 2,
        .bound =
            step->masks == 2 && step->mask[1].bound > m->bound ? step->mask[1].bound : m->bound,
        .max = step->max,
        .weight = m->weight,
        .weight_y = step->masks == 2 ? step->mask[1].weight : NULL,
        .fragments = (const char *)planes_buffer(planes, BUFFER_MASK) + planes->weight_at[index],
        .place = step->order,
        .cells = (int)m->sum,
        .range_weights = step->range_last + 2,
    };
    cudaError_t status = fill_for_initcheck(planes, &from->image, &to->image);

    if (other) {
        job.other = (const char *)other->image.data +
                    (ptrdiff_t)(to->first - other->first) * (ptrdiff_t)other->image.pitch;
        job.other_pitch = other->image.pitch;
        job.minus_other = step->minus != PICTURE_MINUS;
    }
    if (status == cudaSuccess) {
        pthread_mutex_lock(&launch_lock);
        status = planes->method->image(&job, planes->packed.form, planes->device->stream);
        pthread_mutex_unlock(&launch_lock);
    }
    return status;
}

/* A plan has at most two steps: the output of the first lies in BUFFER_STEP. */
cudaError_t planes_image_filter(const struct planes *planes, const struct planes_band *band)
{
    const struct placed in = {planes_device_image(planes, BUFFER_IN, band->in_rows),
                              band->in_first};
    struct placed last = in;
    cudaError_t status = cudaSuccess;
    int i = 0;

    for (const struct plan *step = planes->job->plan; status == cudaSuccess && step;
         step = step->then, i++) {
        int first = band->out_first, end = band->out_first + band->out_rows;
        passes_find_rows(step, planes->job->picture_height, &first, &end);
        const struct placed out = {
            planes_device_image(planes, step->then ? BUFFER_STEP : BUFFER_OUT, end - first), first};
        status = filter_step(planes, step, i, step->of_picture ? &in : &last, &out,
                             step->minus == MINUS_NOTHING ? NULL
                             : step->minus == MINUS_LAST  ? &last
                                                          : &in);
        last = out;
    }
    return status;
}
