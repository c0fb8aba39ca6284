/* What a batch does with one file, without its lock and its counts. */
#ifndef STENCIL_BATCH_FILE_H
#define STENCIL_BATCH_FILE_H

#include "batch/batch.h"
#include "batch/manifest.h"
#include "batch/memory.h"

/* The same for all files. */
struct batch_place {
    const char *input_real; /* the folder of inputs, without symlinks */
    struct manifest *manifest;
    bool force;
};

/* Its status, and what it will take. False where it is not to be filtered: RESULT says that it is
 * done, or has failed. */
bool batch_file_prepare(const struct batch_place *place, const struct batch_item *item,
                        struct batch_result *result, struct stat *in, struct batch_cost *cost);

/* Filters and notes it. RESULT holds what became of it; false with ERR where only the noting
 * failed. */
bool batch_file_filter(const struct batch_place *place, const struct batch_item *item,
                       struct batch_result *result, const struct stat *in,
                       const struct picture_request *request, struct error *err);

#endif
