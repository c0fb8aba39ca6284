/* The reference of the 1D kernels reads like the formula:
 *
 *   P[i] = sum over j of  weight[j] * in[i - anchor + j]
 *
 * It asks border_fold for every single cell, sums in 64 bits whatever the job's
 * number type, and knows nothing of tiles, threads or pieces. Do not make it
 * faster: what it is compared with is fast. */
#include "kernel/reference.h"
#include "kernel/signal_job.h"

static int64_t get(enum signal_type type, const void *cells, int i)
{
    return type == SIGNAL_F32 ? (int64_t)((const float *)cells)[i] : ((const int64_t *)cells)[i];
}

/* Cell i of the signal, ghost cells included. */
static int64_t cell(const struct signal_job *job, int i)
{
    i = border_fold(job->border, i, job->n);
    return i == BORDER_OUTSIDE ? job->ghost : get(job->type, job->in, i);
}

bool reference_signal_supports(const struct plan *plan, char *why, size_t why_bytes)
{
    (void)plan, (void)why, (void)why_bytes;
    return true;
}

static bool run(const struct signal_job *job, struct error *err)
{
    (void)err;
    for (int i = 0; i < job->n; i++) {
        int64_t sum = 0;
        for (int j = 0; j < job->mask_width; j++)
            sum += get(job->type, job->weight, j) * cell(job, i - job->anchor + j);
        if (job->type == SIGNAL_F32)
            ((float *)job->out)[i] = (float)sum;
        else
            ((int64_t *)job->out)[i] = sum;
    }
    return true;
}

const struct kernel kernel_signal_reference = {
    .name = "reference",
    .dims = 1,
    .device = DEVICE_CPU,
    .idea = "the formula itself, one thread, 64-bit sums: what all others are compared with",
    .supports = reference_signal_supports,
    .run_signal = run,
};
