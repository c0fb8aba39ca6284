/* The method `long`, for masks of more than 255 cells along an axis: a column pass, then a row
 * pass, over running sums, which are taken where the weights change (struct cpu_steps). A Gaussian
 * of sigma 1000 has 6001 weights along an axis, but they change at 52 places only.
 *
 *   strip     running sums down 8 columns of samples, for a few hundred rows of output
 *   columns   their differences: the column sums of these rows, over the whole width
 *   line      running sums along one row of column sums, ghost cells included
 *   sums      their differences: S
 *
 * All sums have 64 bits and wrap; the plan's bound says that S fits. With colour weighted by alpha
 * there are two more layers of sums: of the products c * a divided by max + 1, and of the
 * remainders. Each of them lies in 0 .. max, so that their sums fit, too. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/finish.h"
#include "cpu/method.h"
#include "cpu/taps.h"
#include "cpu/tiles.h"

/* Elements: a cache line, so that a strip of a few hundred rows fits the L1 cache; whole pixels of
 * 2 and of 4 channels. */
#define STRIP       8
#define MOST_ROWS   256 /* of output, for which a strip is made */
#define LEAST_ROWS  16
#define COLUMN_ROOM (32 << 20) /* bytes of column sums of a thread, unless LEAST_ROWS need more */

enum layer { PLAIN, HIGH, LOW, LAYERS };

struct long_pass {
    CPU_STATE;
    struct cpu_steps column, row;
    uint64_t column_sum; /* of the column's weights */
    int layers;
    int piece_rows;
    size_t line_elements; /* of a row of column sums, with slack */
};

struct long_worker {
    struct cpu_tile rows; /* the piece's rows; its columns do not matter */
    const void *ghosts;   /* a row of ghost cells */
    const void **row;     /* the input rows under the mask, ghost rows included */
    uint64_t *strip, *strip_sums;
    uint64_t *columns[LAYERS];
    uint64_t *line;
    uint64_t *sums[LAYERS];
    void *padded;    /* a row of the picture, moved to the mask's centre */
    uint16_t *layer; /* the samples of a layer */
};

/* ---- samples of a layer ---- */

/* Takes N samples, from sample FIRST of the row on; FIRST and N are whole pixels. */
static const uint16_t *take_layer(const struct long_pass *pass, enum layer layer, const void *row,
                                  size_t first, int n, uint16_t *out)
{
    const struct plan *plan = pass->plan;
    const int channels = plan->channels;
    const uint8_t *bytes = (const uint8_t *)row + first;
    const uint16_t *words = (const uint16_t *)row + first;
    const uint32_t range = plan->max + 1;

    if (layer == PLAIN && plan->type == SAMPLE_U16)
        return words;
    if (plan->type == SAMPLE_U8)
        for (int i = 0; i < n; i++)
            out[i] = bytes[i];
    else
        memcpy(out, words, (size_t)n * sizeof *out);
    for (int i = 0; layer != PLAIN && i < n; i += channels)
        for (int c = 0; c < channels - 1; c++) {
            uint32_t product = (uint32_t)out[i + c] * out[i + channels - 1];
            out[i + c] = (uint16_t)(layer == HIGH ? product / range : product % range);
        }
    return out;
}

/* ---- the column pass ---- */

/* Makes running sums down N columns: line k has the sum of the first k input rows. */
static void fill_strip(const struct long_pass *pass, struct long_worker *w, enum layer layer,
                       size_t first, int n)
{
    const int rows = w->rows.bottom - w->rows.top + 1;
    uint64_t sum[STRIP] = {0}, *line = w->strip;

    memset(line, 0, STRIP * sizeof *line);
    for (int k = 0; k < rows; k++) {
        const uint16_t *samples = take_layer(pass, layer, w->row[k], first, n, w->layer);
        line += STRIP;
        for (int i = 0; i < n; i++)
            line[i] = sum[i] += samples[i];
    }
}

static void make_columns(const struct long_pass *pass, struct long_worker *w, enum layer layer)
{
    const int n = pass->job->in->width * pass->plan->channels, rows = w->rows.end - w->rows.first;
    const void *const strip = w->strip;

    for (int first = 0; first < n; first += STRIP) {
        uint64_t *out = w->columns[layer] + first;
        fill_strip(pass, w, layer, (size_t)first, n - first < STRIP ? n - first : STRIP);
        pass->ops->sum_steps_64(&pass->column, &strip, 0, w->strip_sums, rows * STRIP);
        for (int y = 0; y < rows; y++, out += pass->line_elements)
            memcpy(out, w->strip_sums + y * STRIP, STRIP * sizeof *out);
    }
}

/* ---- the row pass ---- */

/* The column sum of a ghost cell of constant value. */
static uint64_t ghost_sum(const struct long_pass *pass, enum layer layer, int channel)
{
    const uint32_t ghost = plan_ghost(pass->plan, channel), range = pass->plan->max + 1;
    uint32_t product = ghost * pass->plan->max;

    if (layer == PLAIN || channel == pass->plan->channels - 1)
        return pass->column_sum * ghost;
    return pass->column_sum * (layer == HIGH ? product / range : product % range);
}

/* Makes running sums along a row of column sums. */
static void fill_line(const struct long_pass *pass, struct long_worker *w, enum layer layer,
                      const uint64_t *columns)
{
    const struct kernel_job *job = pass->job;
    const struct plan_mask *m = &pass->plan->mask[0];
    const int channels = pass->plan->channels, to = job->in->width - m->anchor_x + m->width - 1;
    uint64_t *line = w->line;
    struct cpu_span span;

    memset(line, 0, (size_t)channels * sizeof *line);
    for (int x = -m->anchor_x; x < to; x += span.pixels) {
        span = cpu_span_at(job, x, to);
        if (span.cell == BORDER_OUTSIDE) {
            for (int c = 0; c < channels; c++)
                line[channels + c] = line[c] + ghost_sum(pass, layer, c);
        } else {
            const uint64_t *from = columns + (size_t)span.cell * (size_t)channels;
            for (int i = 0; i < span.pixels * channels; i++)
                line[channels + i] = line[i] + from[i];
        }
        line += span.pixels * channels;
    }
}

/* Adds the extra weight of the mask's centre. */
static void add_centre(const struct long_pass *pass, struct long_worker *w, int y)
{
    const struct kernel_job *job = pass->job;
    const struct plan_mask *m = &pass->plan->mask[0];
    const int n = job->out->width * pass->plan->channels, shift = m->width / 2 - m->anchor_x;
    const int v =
        border_fold(pass->plan->border, y + m->height / 2 - m->anchor_y, job->picture_height);
    const void *row = v == BORDER_OUTSIDE ? NULL : image_row(job->in, v - job->in_first_row);

    cpu_tiles_copy(job, row, shift, shift + job->out->width, w->padded);
    for (int layer = 0; layer < pass->layers; layer++) {
        const uint16_t *samples = take_layer(pass, (enum layer)layer, w->padded, 0, n, w->layer);
        for (int i = 0; i < n; i++)
            w->sums[layer][i] += (uint64_t)m->centre * samples[i];
    }
}

static void make_row(const struct long_pass *pass, struct long_worker *w, int y)
{
    const struct plan *plan = pass->plan;
    const int n = pass->job->out->width * plan->channels;
    const size_t at = (size_t)(y - w->rows.first) * pass->line_elements;
    const void *const line = w->line;
    void *out = image_row(pass->job->out, y - pass->job->out_first_row);

    for (int layer = 0; layer < pass->layers; layer++) {
        fill_line(pass, w, (enum layer)layer, w->columns[layer] + at);
        pass->ops->sum_steps_64(&pass->row, &line,
                                layer == PLAIN ? (uint64_t)plan->mask[0].offset : 0, w->sums[layer],
                                n);
    }
    if (plan->mask[0].centre != 0)
        add_centre(pass, w, y);
    if (pass->layers == 1)
        cpu_finish_64(pass->ops, plan, (const int64_t *)w->sums[PLAIN], out, n);
    else
        cpu_finish_weighted(plan, (const int64_t *)w->sums[PLAIN], (const int64_t *)w->sums[HIGH],
                            (const int64_t *)w->sums[LOW], out, n);
    cpu_finish_unfiltered(pass->job, y, 0, pass->job->out->width, out);
}

/* ---- one pass ---- */

static void run_piece(const void *context, void *worker, int piece)
{
    const struct long_pass *pass = context;
    const struct plan_mask *m = &pass->plan->mask[0];
    struct long_worker *w = worker;
    const int end = pass->job->out_first_row + pass->job->out->height;

    w->rows.first = pass->job->out_first_row + piece * pass->piece_rows;
    w->rows.end = end - w->rows.first < pass->piece_rows ? end : w->rows.first + pass->piece_rows;
    w->rows.top = w->rows.first - m->anchor_y;
    w->rows.bottom = w->rows.end - 1 - m->anchor_y + m->height - 1;
    for (int v = w->rows.top; v <= w->rows.bottom; v++)
        w->row[v - w->rows.top] = cpu_tile_row(pass->job, &w->rows, v, w->ghosts);
    for (int layer = 0; layer < pass->layers; layer++)
        make_columns(pass, w, (enum layer)layer);
    for (int y = w->rows.first; y < w->rows.end; y++)
        make_row(pass, w, y);
}

static void worker_make(const void *context, void *worker, struct cpu_memory *memory)
{
    const struct long_pass *pass = context;
    const struct plan_mask *m = &pass->plan->mask[0];
    const size_t channels = (size_t)pass->plan->channels, line = pass->line_elements;
    const size_t rows = (size_t)(pass->piece_rows + m->height); /* of input, and one more */
    struct long_worker *w = worker;

    w->ghosts = cpu_memory_ghosts(memory, pass->job);
    w->row = cpu_memory_take(memory, rows * sizeof *w->row);
    w->strip = cpu_memory_take(memory, (rows * STRIP + CPU_BLOCK) * sizeof *w->strip);
    w->strip_sums = cpu_memory_take(memory, ((size_t)pass->piece_rows * STRIP + CPU_BLOCK) *
                                                sizeof *w->strip_sums);
    w->line = cpu_memory_take(memory, (line + (size_t)m->width * channels) * sizeof *w->line);
    w->padded = cpu_memory_take(memory, line * sizeof(uint16_t));
    w->layer = cpu_memory_take(memory, line * sizeof *w->layer);
    for (int layer = 0; layer < pass->layers; layer++) {
        w->columns[layer] =
            cpu_memory_take(memory, (size_t)pass->piece_rows * line * sizeof *w->columns[layer]);
        w->sums[layer] = cpu_memory_take(memory, line * sizeof *w->sums[layer]);
    }
}

/* Rows of output for which a strip is made: the more, the less its running sums cost. */
static int rows_of(size_t line_elements, int layers)
{
    size_t rows = COLUMN_ROOM / (line_elements * sizeof(uint64_t) * (size_t)layers);

    return rows > MOST_ROWS ? MOST_ROWS : rows < LEAST_ROWS ? LEAST_ROWS : (int)rows;
}

static void long_free(void *state)
{
    struct long_pass *pass = state;
    cpu_steps_free(&pass->column);
    cpu_steps_free(&pass->row);
}

static bool long_make(void *state)
{
    struct long_pass *pass = state;
    const struct plan *plan = pass->plan;
    const struct plan_mask *m = &plan->mask[0];

    pass->layers = plan->alpha == ALPHA_WEIGHTED ? LAYERS : 1;
    for (int i = 0; i < m->height; i++)
        pass->column_sum += (uint64_t)m->column[i];
    return cpu_steps_make(&pass->column, m->column, 1, m->height, STRIP) &&
           cpu_steps_make(&pass->row, m->row, 1, m->width, plan->channels);
}

static bool long_run(const void *state, const struct kernel_job *job, struct error *err)
{
    struct long_pass pass = *(const struct long_pass *)state;
    const int height = job->out->height;
    int each = (height - 1) / job->threads + 1, pieces;

    pass.job = job;
    pass.line_elements = (size_t)job->in->width * (size_t)job->plan->channels + CPU_BLOCK;
    pass.piece_rows = rows_of(pass.line_elements, pass.layers);
    if (pass.piece_rows > each)
        pass.piece_rows = each;
    pieces = (height - 1) / pass.piece_rows + 1;
    return cpu_workers_run(job->threads, pieces, sizeof(struct long_worker), worker_make, run_piece,
                           &pass, err);
}

/* ---- the row of the table ---- */

/* Places where a weight changes, per sample and nanosecond (AVX2). */
#define RATE_STEPS 18.0

static double cost(const struct plan *plan, const struct cpu_ops *ops, int width, int height)
{
    const struct plan_mask *m = &plan->mask[0];
    int changes = cpu_steps_count(m->column, 1, m->height) + cpu_steps_count(m->row, 1, m->width);

    (void)ops;
    return cpu_samples(plan, width, height) * (plan->alpha == ALPHA_WEIGHTED ? LAYERS : 1) *
           (changes / RATE_STEPS + 1.8);
}

/* A band needs as many rows above and below it as the mask has: more rows pay. */
static int band_rows(const struct plan *plan, int width, int rows, int most)
{
    int wanted = plan->mask[0].height > MOST_ROWS ? plan->mask[0].height : MOST_ROWS;

    (void)width;
    wanted = wanted > rows ? wanted : rows;
    return wanted < most ? wanted : most;
}

const struct cpu_method cpu_method_long = {
    .name = "long",
    .idea = "masks longer than 255 cells: running sums, taken where the weights change",
    .kinds = KERNEL_KIND(PLAN_LONG),
    .cost = cost,
    .state_bytes = sizeof(struct long_pass),
    .make = long_make,
    .run = long_run,
    .free = long_free,
    .rows = band_rows,
};
