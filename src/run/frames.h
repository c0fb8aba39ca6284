/* The small pages of a stream (the planes of a video, pictures that follow each other), side by
 * side: while one is read, others are filtered, each by one thread, and another is written. Plan,
 * kernel and memory are made once for all pages of one shape.
 *
 *      reading      | slot i: its samples                    one page at a time, in order
 *      filtering    |   slot i: input -> output             as many pages as there are threads
 *      writing      |     slot i -> file                     one page at a time, in order
 *
 * On a CUDA device the pages are in its lanes: copies of one page overlap with kernels of another.
 * Large pages go one after the other, in bands (run/pipeline.h), which takes less memory. */
#ifndef STENCIL_RUN_FRAMES_H
#define STENCIL_RUN_FRAMES_H

#include "run/picture.h"

struct frames_job {
    const struct picture_request *request;
    struct source *source; /* nothing read from its page yet */
    const char *input, *output;
    struct sink_pages *pages;
    struct picture_report *report; /* times and warnings are added to it */
};

/* Whether the page that the source is at is small, and one of several of a stream. */
bool frames_can_run(const struct frames_job *job);

/* Filters pages until the stream ends, which commits the output, or until a page comes that is not
 * small: then pages->more is set, and the source is at that page. */
bool frames_run(const struct frames_job *job, struct error *err);

#endif
