/* Thin pictures on their side or as single rows: see cpu/thin.h. */
#include "cpu/thin.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "cpu/tiles.h"

/* A row of more pixels is faster as it is than on its side. */
#define MOST_COLUMNS 16
#define LEAST_LONG   256

/* Input and output of a piece stay in the L2 cache. */
#define PIECE_BYTES (128 * 1024)

bool cpu_thin_is_narrow(int width, int height)
{
    return width < MOST_COLUMNS && height >= LEAST_LONG;
}

bool cpu_thin_is_row(int width, int height)
{
    return height == 1 && width >= LEAST_LONG;
}

int cpu_thin_piece(const struct plan *plan, int shorter)
{
    return PIECE_BYTES / (shorter * plan->channels * (int)plan->type);
}

bool cpu_thin_plan(struct plan *thin, const struct plan *plan, int width, bool narrow)
{
    struct plan turned;

    if (!narrow)
        return plan_fold(thin, plan);
    if (!plan_turn(&turned, plan))
        return false;
    if (width > 1 || !plan_fold(thin, &turned))
        *thin = turned;
    else
        plan_free(&turned);
    return true;
}

/* ---- turning ---- */

/* Copies COUNT pixels of BYTES bytes, so many bytes apart. Callers pass a constant BYTES. */
__attribute__((always_inline)) static inline void copy_pixels(unsigned char *to, size_t to_step,
                                                              const unsigned char *from,
                                                              size_t from_step, size_t count,
                                                              size_t bytes)
{
    for (size_t i = 0; i < count; i++, to += to_step, from += from_step)
        memcpy(to, from, bytes);
}

static void copy_line(unsigned char *to, size_t to_step, const unsigned char *from,
                      size_t from_step, size_t count, size_t bytes)
{
    if (to_step == bytes && from_step == bytes)
        memcpy(to, from, count * bytes);
    else if (bytes == 1)
        copy_pixels(to, to_step, from, from_step, count, 1);
    else if (bytes == 2)
        copy_pixels(to, to_step, from, from_step, count, 2);
    else if (bytes == 3)
        copy_pixels(to, to_step, from, from_step, count, 3);
    else if (bytes == 4)
        copy_pixels(to, to_step, from, from_step, count, 4);
    else
        copy_pixels(to, to_step, from, from_step, count, bytes);
}

/* Copies column X of ROWS rows to a row of TO from pixel AT on; BACK: the other way. */
static void turn(const struct image *rows, int first, int count, const struct image *to, int at,
                 bool back)
{
    const size_t pixel = (size_t)rows->channels * (size_t)rows->type;

    for (int x = 0; x < rows->width; x++) {
        unsigned char *upright = (unsigned char *)image_row(rows, first) + (size_t)x * pixel;
        unsigned char *lying = (unsigned char *)image_row(to, x) + (size_t)at * pixel;
        if (back)
            copy_line(upright, rows->pitch, lying, pixel, (size_t)count, pixel);
        else
            copy_line(lying, pixel, upright, rows->pitch, (size_t)count, pixel);
    }
}

/* ---- pieces ---- */

struct thin_run {
    const struct kernel_job *job;
    const struct plan *thin;
    bool narrow;
    int piece, length; /* output pixels along the longer axis: of a piece, of all */
    bool (*run)(const struct kernel_job *piece, void *context, struct error *err);
    void *context;
    struct image *in, *out; /* of each worker */
    atomic_bool failed;
    struct error *err;
};

/* Fills IN with the picture's rows from row V on, ghost rows included. */
static void take_rows(const struct thin_run *r, const struct image *in, int v)
{
    const struct kernel_job *job = r->job;
    const size_t pixel = (size_t)in->channels * (size_t)in->type;
    int count;

    for (int at = 0; at < in->width; at += count, v += count) {
        int y = border_fold(r->thin->border, v, job->picture_height);
        count = 1;
        if (v >= 0 && y == v) /* inside: all adjacent rows */
            count =
                job->picture_height - v < in->width - at ? job->picture_height - v : in->width - at;
        for (int x = 0; y == BORDER_OUTSIDE && x < in->height; x++)
            cpu_tiles_put_ghosts(r->thin, (char *)image_row(in, x) + (size_t)at * pixel, 1);
        if (y != BORDER_OUTSIDE)
            turn(job->in, y - job->in_first_row, count, in, at, false);
    }
}

static void run_piece(void *context, int piece, int worker)
{
    struct thin_run *r = context;
    const struct kernel_job *job = r->job;
    const struct plan_mask *m = &r->thin->mask[0];
    struct image in = r->in[worker], out = r->out[worker];
    const int first = piece * r->piece, left = r->length - first;
    const int count = left < r->piece ? left : r->piece;
    struct kernel_job inner = {
        .plan = r->thin, .in = &in, .out = &out, .picture_height = in.height, .threads = 1};
    struct error err;

    in.width = out.width = count + m->width - 1;
    if (r->narrow)
        take_rows(r, &in, job->out_first_row + first - m->anchor_x);
    else
        cpu_tiles_copy(job, job->in->data, first - m->anchor_x, first - m->anchor_x + in.width,
                       in.data);
    if (atomic_load(&r->failed))
        return;
    if (!r->run(&inner, r->context, &err)) {
        if (!atomic_exchange(&r->failed, true))
            *r->err = err;
        return;
    }
    if (r->narrow) {
        turn(job->out, first, count, &out, m->anchor_x, true);
    } else {
        const size_t pixel = (size_t)out.channels * (size_t)out.type;
        memcpy((unsigned char *)job->out->data + (size_t)first * pixel,
               (unsigned char *)out.data + (size_t)m->anchor_x * pixel, (size_t)count * pixel);
    }
}

bool cpu_thin_run(const struct kernel_job *job, const struct plan *thin, bool narrow,
                  bool (*run)(const struct kernel_job *piece, void *context, struct error *err),
                  void *context, struct error *err)
{
    const int lines = narrow ? job->out->width : 1, most = cpu_thin_piece(thin, lines);
    struct thin_run r = {.job = job,
                         .thin = thin,
                         .narrow = narrow,
                         .length = narrow ? job->out->height : job->out->width,
                         .run = run,
                         .context = context,
                         .err = err};
    int pieces, workers;
    bool ok = true;

    r.piece = r.length < most ? r.length : most;
    pieces = (r.length - 1) / r.piece + 1;
    workers = job->threads < pieces ? job->threads : pieces;
    r.in = calloc(2 * (size_t)workers, sizeof *r.in);
    r.out = r.in ? r.in + workers : NULL;
    for (int i = 0; ok && i < 2 * workers; i++)
        ok = r.in && image_alloc(&r.in[i], r.piece + thin->mask[0].width - 1, lines,
                                 job->in->channels, job->in->type, "a thin picture", err);
    if (ok)
        parallel_for(workers, pieces, run_piece, &r);
    else if (!r.in)
        error_set(err, EXIT_INPUT, "no memory for the rows of %d threads", workers);
    for (int i = 0; r.in && i < 2 * workers; i++)
        image_free(&r.in[i]);
    free(r.in);
    return ok && !r.failed;
}
