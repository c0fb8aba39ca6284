/* Repeated passes: see kernel/passes.h. */
#include "kernel/passes.h"

/* The last pass must end in job->out, so the pictures alternate counted from the end. */
bool passes_run(const struct kernel_job *job, passes_function *pass, const void *context,
                struct error *err)
{
    int repeat = job->plan->repeat;
    struct kernel_job step = *job;
    struct image other;
    bool ok = true;

    if (repeat == 1)
        return pass(job, context, err);
    if (job->in->height != job->picture_height || job->out->height != job->picture_height)
        return error_set(err, EXIT_INPUT, "repeated passes need the whole picture at once");
    if (!image_alloc(&other, job->out->width, job->out->height, job->out->channels, job->out->type,
                     "--repeat", err))
        return false;
    for (int i = 0; ok && i < repeat; i++) {
        step.out = (repeat - 1 - i) % 2 == 0 ? job->out : &other;
        ok = pass(&step, context, err);
        step.in = step.out;
    }
    image_free(&other);
    return ok;
}
