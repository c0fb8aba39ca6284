/* The kernels on whole pixels as image_job.h describes them: see fake_cuda.h. The weights
 * come from the job; what was packed of them is compared with what the device holds. */
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/image_job.h"
#include "plan/border.h"
#include "fake_cuda.h"

enum kind { DP4A, WEIGHTED, INT8, BANDED, CERTIFIED, SEPARABLE, KINDS };

struct run {
    struct image_job job;
    int64_t *weight, divisor, start;
    void *packed; /* NULL: not known here */
    size_t packed_bytes;
    bool weighted;
    size_t head; /* where the certified kernel's divisor and weights stand in what is packed */
};

static int64_t sample(const struct image_job *job, const char *in, int y, int x, int c)
{
    int row = y, column = border_fold((enum border)job->border, x, job->width);
    bool there = y >= job->in_first_row && y < job->in_first_row + job->in_rows;
    const char *at;

    if (!there)
        row = border_fold((enum border)job->border, y, job->picture_height);
    if ((!there && row == BORDER_OUTSIDE) || column == BORDER_OUTSIDE)
        return (int64_t)(job->ghost >> 8 * job->sample_bytes * c &
                         (job->sample_bytes == 1 ? 0xff : 0xffff));
    if (row < job->in_first_row || row >= job->in_first_row + job->in_rows)
        fake_misuse("a kernel reads a row that is not there");
    at = in + (size_t)(row - job->in_first_row) * job->in_pitch;
    return job->sample_bytes == 1 ? ((const uint8_t *)at)[column * job->channels + c]
                                  : ((const uint16_t *)at)[column * job->channels + c];
}

static int64_t filtered(const struct run *r, const char *in, int y, int x, int c)
{
    const struct image_job *job = &r->job;
    int64_t sum = r->start;

    for (int i = 0; i < job->mask_height; i++)
        for (int j = 0; j < job->mask_width; j++)
            sum += r->weight[i * job->mask_width + j] *
                   sample(job, in, job->out_first_row + y - job->anchor_y + i,
                          x - job->anchor_x + j, c);
    return sum < 0 ? 0 : sum / r->divisor > job->max ? job->max : sum / r->divisor;
}

/* Colour weighted by alpha; alpha itself, whose weight is one of 1. */
static int64_t weighted(const struct run *r, const char *in, int y, int x, int c)
{
    const struct image_job *job = &r->job;
    const int alpha = job->channels - 1;
    int64_t cover = 0, product = 0, sum = 0, all = 0;

    for (int i = 0; i < job->mask_height; i++)
        for (int j = 0; j < job->mask_width; j++) {
            int row = job->out_first_row + y - job->anchor_y + i, column = x - job->anchor_x + j;
            int64_t w = r->weight[i * job->mask_width + j], v = sample(job, in, row, column, c);
            int64_t a = sample(job, in, row, column, alpha);
            all += w;
            sum += w * v;
            cover += w * a;
            product += w * v * a;
        }
    if (all != r->divisor)
        fake_misuse("the divisor is not the sum of the weights");
    return c == alpha || cover == 0 ? (sum + all / 2) / all : (product + cover / 2) / cover;
}

static void *rows_at(const void *data, size_t pitch, const struct image_job *job, int rows,
                     int device)
{
    size_t row = (size_t)job->width * (size_t)(job->channels * job->sample_bytes);
    return fake_device_memory(data, (size_t)(rows - 1) * pitch + row, device);
}

/* Of the certified kernel the weights, and all else that has more than 32 bits, are packed too. */
static void read_head(struct run *r, int device)
{
    size_t weights = (size_t)r->job.mask_width * (size_t)r->job.mask_height * sizeof *r->weight;
    const char *at = fake_device_memory((const char *)r->job.fragments + r->head,
                                        sizeof(struct certified_head) + weights, device);
    struct certified_head head;

    memcpy(&head, at, sizeof head);
    r->divisor = head.divisor;
    r->start = head.start;
    if (memcmp(r->weight, at + sizeof head, weights) != 0)
        fake_misuse("the weights on the device are not this job's");
}

static void run_pixels(const void *arguments, int device)
{
    struct run own = *(const struct run *)arguments, *r = &own;
    const struct image_job *job = &r->job;
    const char *in = rows_at(job->in, job->in_pitch, job, job->in_rows, device);
    char *out = rows_at(job->out, job->out_pitch, job, job->out_rows, device);

    if (r->packed && memcmp(r->packed, fake_device_memory(job->fragments, r->packed_bytes, device),
                            r->packed_bytes) != 0)
        fake_misuse("the packed weights on the device are not this job's");
    if (r->head)
        read_head(r, device);
    for (int y = 0; y < job->out_rows; y++)
        for (int x = 0; x < job->width; x++)
            for (int c = 0; c < job->channels; c++) {
                char *row = out + (size_t)y * job->out_pitch;
                int64_t value = (r->weighted ? weighted : filtered)(r, in, y, x, c);
                if (job->sample_bytes == 1)
                    ((uint8_t *)row)[x * job->channels + c] = (uint8_t)value;
                else
                    ((uint16_t *)row)[x * job->channels + c] = (uint16_t)value;
            }
    free(r->weight);
    free(r->packed);
}

/* What the packer of the kernel makes of the weights; factors of a mask are not in the job. */
static void pack(struct run *r, enum kind kind, int form)
{
    const struct image_job *job = &r->job;
    int w = job->mask_width, h = job->mask_height;
    struct banded_shape shape =
        banded_image_shape(w, h, job->channels, job->sample_bytes, form < 1 ? 1 : form, 0);
    const char *why;

    r->packed_bytes =
        kind == DP4A || kind == WEIGHTED ? dp4a_fragment_bytes(w, h, job->anchor_x, form)
        : kind == INT8   ? int8_mma_fragment_bytes(job->weight, w, h, job->anchor_x, &why)
        : kind == BANDED ? (size_t)banded_fragment_bytes(&shape)
                         : 0;
    r->packed = r->packed_bytes ? calloc(1, r->packed_bytes) : NULL;
    if (!r->packed)
        return;
    if (kind == DP4A || kind == WEIGHTED)
        dp4a_pack(job->weight, w, h, job->anchor_x, form, r->packed);
    else if (kind == INT8)
        int8_mma_pack(job->weight, w, h, job->anchor_x, r->packed);
    else
        banded_pack(&shape, job->weight, w, h, r->packed);
}

/* What a block may have is set before the launch, for all threads alike: who sets it anew in
 * between has not kept to himself. */
static bool shared_holds(enum kind kind, size_t bytes)
{
    static atomic_size_t allowed[KINDS];
    atomic_store(&allowed[kind], bytes);
    sched_yield();
    return bytes <= atomic_load(&allowed[kind]);
}

static cudaError_t launch(const struct image_job *job, enum kind kind, int form, size_t shared,
                          cudaStream_t stream)
{
    size_t cells = (size_t)job->mask_width * (size_t)job->mask_height;
    struct run r = {.job = *job,
                    .weight = calloc(cells, sizeof *r.weight),
                    .divisor = job->divisor,
                    .start = job->start,
                    .weighted = kind == WEIGHTED};
    cudaError_t status;
    bool queued;

    if (!r.weight)
        abort();
    memcpy(r.weight, job->weight, cells * sizeof *r.weight);
    pack(&r, kind, form);
    if (kind == CERTIFIED) {
        struct banded_shape shape =
            banded_shape_of(job->mask_width, job->mask_height, job->channels, 1, form, 0);
        r.head = (size_t)banded_fragment_bytes(&shape);
    }
    if (!shared_holds(kind, shared))
        fake_misuse("a block asks for more shared memory than it may have");
    status = fake_launch_queued(stream, run_pixels, &r, sizeof r, &queued);
    if (!queued) {
        free(r.weight);
        free(r.packed);
    }
    return status;
}

/* ---- how much shared memory, about ---- */

size_t banded_shared_bytes(const struct banded_shape *shape)
{
    return (size_t)(shape->pitch * shape->rows + banded_fragment_bytes(shape));
}

size_t certified_shared_bytes(const struct banded_shape *shape)
{
    return banded_shared_bytes(shape);
}

size_t separable_shared_bytes(const struct separable_shape *shape)
{
    return (size_t)(shape->stage.pitch * shape->stage.rows + separable_fragment_bytes(shape));
}

size_t separable_16_shared_bytes(const struct separable_16_shape *shape)
{
    return (size_t)(shape->stage.pitch * shape->stage.rows + separable_16_fragment_bytes(shape));
}

/* ---- the kernels ---- */

cudaError_t dp4a_launch(const struct image_job *job, int weight_planes, cudaStream_t stream)
{
    return launch(job, DP4A, weight_planes,
                  dp4a_shared_bytes(job->mask_width, job->mask_height, job->anchor_x, job->channels,
                                    weight_planes),
                  stream);
}

cudaError_t weighted_launch(const struct image_job *job, int weight_planes, cudaStream_t stream)
{
    return launch(job, WEIGHTED, weight_planes,
                  weighted_shared_bytes(job->mask_width, job->mask_height, job->anchor_x,
                                        job->channels, weight_planes),
                  stream);
}

cudaError_t int8_mma_launch(const struct image_job *job, int weight_planes, cudaStream_t stream)
{
    return launch(job, INT8, weight_planes,
                  int8_mma_shared_bytes(job->mask_width, job->mask_height, job->anchor_x,
                                        job->channels, weight_planes),
                  stream);
}

/* The window begins where the packed weights begin. */
static void check_pad(const struct image_job *job)
{
    int shift, anchor = job->anchor_x * job->channels * job->sample_bytes;
    if (banded_pad((uintptr_t)job->in, (uintptr_t)job->out, anchor, &shift) != 0)
        fake_misuse("pixels do not lie as the packed weights want them");
}

cudaError_t banded_launch(const struct image_job *job, int weight_planes, cudaStream_t stream)
{
    struct banded_shape shape = banded_image_shape(job->mask_width, job->mask_height, job->channels,
                                                   job->sample_bytes, weight_planes, 0);
    check_pad(job);
    return launch(job, BANDED, weight_planes, banded_shared_bytes(&shape), stream);
}

cudaError_t certified_launch(const struct image_job *job, int weight_planes, cudaStream_t stream)
{
    struct banded_shape shape =
        banded_shape_of(job->mask_width, job->mask_height, job->channels, 1, weight_planes, 0);
    check_pad(job);
    return launch(job, CERTIFIED, weight_planes, certified_shared_bytes(&shape), stream);
}

cudaError_t separable_launch(const struct image_job *job, int form, cudaStream_t stream)
{
    struct separable_shape shape = separable_shape_of(job->mask_width, job->mask_height,
                                                      job->channels, (enum separable_form)form, 0);
    struct separable_16_shape deep = separable_16_shape_of(
        job->mask_width, job->mask_height, job->channels, (enum separable_16_form)form, 0);
    check_pad(job);
    if (job->sample_bytes == 2)
        return launch(job, SEPARABLE, form, separable_16_shared_bytes(&deep), stream);
    return launch(job, SEPARABLE, form, separable_shared_bytes(&shape), stream);
}
