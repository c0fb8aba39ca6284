/* Text samples: exact numbers in, exact numbers out. Every output is S/d plus the
 * offset, not rounded and not clamped; each pass of --repeat takes the last one's
 * exact numbers. */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "plan/rational.h"
#include "signal/audio.h"
#include "signal/filter.h"
#include "signal/text.h"

/* ---- numbers ---- */

/* A series_get: the weights, divided by the divisor. */
static void get_weight(void *context, int i, mpq_t value)
{
    const struct mask *mask = context;
    if (i < mask->width)
        mpq_div(value, mask->weight[i], mask->divisor);
    else
        mpq_set_ui(value, 0, 1);
}

static bool mask_make(struct signal_mask *made, const struct signal_work *work, struct error *err)
{
    const struct mask *mask = work->mask;

    if (mask->offset_percent)
        return error_set(err, EXIT_USAGE,
                         "an offset of a percentage: text samples have no range to take it of");
    if (!series_make(&made->weights, mask->width, get_weight, (void *)mask, work->name, err))
        return false;
    mpq_set(made->offset, mask->offset);
    made->anchor = mask->anchor_x;
    made->border = work->request->border.border;
    return true;
}

/* The ghost cells' value, which has no upper bound here. */
static bool ghost_make(mpq_t ghost, const struct border_choice *border, struct error *err)
{
    const char *why;

    if (border->border != BORDER_CONSTANT)
        return true;
    if (border->percent)
        return error_set(err, EXIT_USAGE,
                         "--border constant:%.80s: text samples have no range to take it of",
                         border->value);
    return rational_parse(ghost, border->value, strlen(border->value), &why) ||
           error_set(err, EXIT_USAGE, "--border constant:%.80s: %s", border->value, why);
}

/* ---- passes ---- */

/* The output of a pass, and the ghost cells' value behind it. */
struct again {
    struct series *series;
    mpq_srcptr ghost;
};

static void get_again(void *context, int i, mpq_t value)
{
    const struct again *again = context;
    if (i < again->series->n)
        series_number(again->series, i, value);
    else
        mpq_set(value, again->ghost);
}

/* Makes the input of the next pass of the last one's output. */
static bool make_input(struct series *series, mpq_srcptr ghost, const char *name, struct error *err)
{
    struct again again = {series, ghost};
    struct series made;

    if (series->exact) /* has the ghost value, and the offset in its numbers */
        return true;
    if (mpq_sgn(series->offset) == 0 && mpq_sgn(ghost) == 0) {
        series_measure(series);
        return true;
    }
    if (!series_make(&made, series->n, get_again, &again, name, err))
        return false;
    series_free(series);
    *series = made;
    return true;
}

/* All passes: SERIES is the samples and becomes the outputs. */
static bool run_passes(const struct signal_work *work, const struct signal_mask *mask,
                       struct series *series, mpq_srcptr ghost, struct error *err)
{
    struct signal_runner runner = signal_runner_make(work);
    struct signal_choice *choice = &work->report->choice;
    struct series sums;

    for (int pass = 0; pass < work->request->repeat; pass++) {
        if (pass > 0 && !make_input(series, ghost, work->name, err))
            return false;
        if (pass > 0 && !choice->split && choice->sums < SIGNAL_SUM_RATIONAL &&
            signal_sums_type_of(series, &mask->weights) == SIGNAL_SUM_RATIONAL) {
            choice->sums = SIGNAL_SUM_RATIONAL;
            snprintf(choice->note, sizeof choice->note, "the sums pass 62 bits in pass %d",
                     pass + 1);
        }
        if (!signal_sums_exact(&runner, series, mask, &sums, err))
            return false;
        series_free(series);
        *series = sums;
    }
    return true;
}

/* ---- the whole ---- */

static bool write_text(const struct signal_work *work, const struct signal_text *text,
                       const struct series *values, struct error *err)
{
    struct output *output = NULL;

    if (!output_open(&output, work->output, err))
        return false;
    if (signal_text_write(text, values, work->request->decimals, output, err))
        return output_commit(output, err);
    output_discard(output);
    return false;
}

static bool choose(const struct signal_work *work, const struct series *samples,
                   const struct signal_mask *mask, struct error *err)
{
    struct signal_load load = {.sums = signal_sums_type_of(samples, &mask->weights),
                               .samples = samples->n,
                               .channels = 1,
                               .mask_width = mask->weights.n,
                               .anchor = mask->anchor,
                               .passes = work->request->repeat};
    return signal_choose(work->request, &load, work->report, err);
}

bool signal_filter_text(const struct signal_work *work, struct error *err)
{
    struct signal_report *report = work->report;
    struct signal_text text;
    struct signal_mask mask = {.anchor = 0};
    struct series samples = {0};
    double read_ms, filtered_ms;
    mpq_t ghost;
    bool good;

    report->form = "text";
    if (work->output && audio_of_path(work->output) != AUDIO_NONE)
        return error_set(err, EXIT_INPUT,
                         "%s: %s is text, which has no sample rate; write a text file",
                         work->output, work->name);
    mpq_init(ghost);
    mpq_init(mask.offset);
    good = signal_text_open(&text, work->name, work->bytes, work->size, err) &&
           mask_make(&mask, work, err) && ghost_make(ghost, &work->request->border, err);
    text.ghost_value = ghost;
    good = good && series_make(&samples, text.n, signal_text_get, &text, work->name, err) &&
           choose(work, &samples, &mask, err);
    read_ms = clock_ms();
    if (!good || work->request->plan)
        goto out;
    good = run_passes(work, &mask, &samples, ghost, err);
    filtered_ms = clock_ms();
    good = good && write_text(work, &text, &samples, err);
    report->read_ms = read_ms - work->start_ms;
    report->filter_ms = filtered_ms - read_ms;
    report->write_ms = clock_ms() - filtered_ms;
out:
    series_free(&samples);
    series_free(&mask.weights);
    mpq_clears(ghost, mask.offset, NULL);
    return good;
}
