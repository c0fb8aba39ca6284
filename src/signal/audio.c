/* Audio: whole-number samples in, whole-number samples out, every channel by itself:
 *
 *   out = clamp( floor( (S + floor(d/2)) / d ), -2^(bits-1), 2^(bits-1)-1 )
 *
 * with S, d and the mask's integers as for pictures; each pass of --repeat is rounded and
 * clamped. A percentage refers to full scale, 2^(bits-1). Reading and writing the files is
 * in signal/audio_sndfile.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codec/output.h"
#include "signal/audio.h"
#include "signal/filter.h"

const char *audio_name(enum audio_container container)
{
    static const char *const names[] = {"no audio", "WAV", "FLAC", "AIFF"};
    return names[container];
}

/* ---- rounding ---- */

static int64_t divide_floor(int64_t n, int64_t d)
{
    int64_t q = n / d;
    return n % d < 0 ? q - 1 : q;
}

/* Makes samples from sums. Within the plan's bound no number here needs more than 64 bits. */
static void finish(const struct plan_mask *plan, int bits, int n, const int64_t *sums, int64_t *out)
{
    int64_t high = ((int64_t)1 << (bits - 1)) - 1, low = -high - 1;

    for (int i = 0; i < n; i++) {
        int64_t value = divide_floor(sums[i] + plan->offset + plan->divisor / 2, plan->divisor);
        out[i] = value < low ? low : value > high ? high : value;
    }
}

/* ---- channels ---- */

static bool filter_channel(struct signal_work *work, const struct plan_mask *plan,
                           struct signal_job *job, const struct audio *audio, int channel,
                           int64_t *cells, int64_t *sums, struct error *err)
{
    size_t step = (size_t)audio->channels;
    int32_t *sample = audio->sample + channel, unit = audio_unit(audio);

    work->runner.channel = audio->channels > 1 ? channel : -1;
    for (int i = 0; i < audio->frames; i++)
        cells[i] = sample[(size_t)i * step] / unit;
    for (int pass = 0; pass < work->request->filter.repeat; pass++) {
        if (!signal_sums_integers(&work->runner, job, work->report->choice.sums, cells, sums,
                                  plan->weight, err))
            return false;
        finish(plan, audio->bits, audio->frames, sums, cells);
    }
    for (int i = 0; i < audio->frames; i++)
        sample[(size_t)i * step] = (int32_t)cells[i] * unit;
    return true;
}

static bool filter_channels(struct signal_work *work, const struct plan_mask *plan, int64_t ghost,
                            const struct audio *audio, struct error *err)
{
    struct signal_job job = {.n = audio->frames,
                             .mask_width = plan->width,
                             .anchor = plan->anchor_x,
                             .border = work->request->filter.border.border,
                             .ghost = ghost};
    size_t n = (size_t)audio->frames;
    int64_t *cells = malloc(2 * n * sizeof *cells);
    bool good = true;

    if (!cells)
        return error_set(err, EXIT_INPUT, "%s: no memory for its samples", work->name);
    for (int c = 0; good && c < audio->channels; c++)
        good = filter_channel(work, plan, &job, audio, c, cells, cells + n, err);
    free(cells);
    return good;
}

/* ---- writing as text ---- */

/* One line for each frame, with its channels side by side. */
static bool write_lines(const struct audio *audio, struct output *output, struct error *err)
{
    size_t samples = (size_t)audio->frames * (size_t)audio->channels;
    bool good = true;

    for (size_t i = 0; good && i < samples; i++) {
        char text[16];
        bool last = (i + 1) % (size_t)audio->channels == 0;
        int length = snprintf(text, sizeof text, "%d%c",
                              (int)(audio->sample[i] / audio_unit(audio)), last ? '\n' : ' ');
        good = output_write(output, text, (size_t)length, err);
    }
    return good;
}

static bool writes_text(const struct signal_work *work)
{
    return strcmp(work->output, "-") != 0 && audio_of_path(work->output) == AUDIO_NONE;
}

static bool write_samples(const struct signal_work *work, const struct audio *audio,
                          struct error *err)
{
    struct output *output;

    if (!writes_text(work))
        return audio_write(audio, work->output, err);
    return output_open(&output, work->output, err) &&
           output_end(output, write_lines(audio, output, err), err);
}

/* ---- the whole ---- */

/* Makes the mask's integers and the value of ghost cells, and chooses device and kernel. */
static bool prepare(struct signal_work *work, const struct audio *audio, struct plan_mask *plan,
                    uint32_t *ghost, struct error *err)
{
    uint32_t scale = (uint32_t)1 << (audio->bits - 1);
    struct signal_load load = {.samples = audio->frames,
                               .channels = audio->channels,
                               .passes = work->request->filter.repeat};
    struct signal_report *report = work->report;

    report->form = audio_name(audio->container);
    report->bits = audio->bits;
    report->rate = audio->rate;
    snprintf(report->warning, sizeof report->warning, "%s", audio->warning);
    if (work->request->decimals >= 0)
        return error_set(err, EXIT_USAGE,
                         "--decimals is for text samples; those of %s are whole numbers",
                         work->name);
    if (!plan_mask_make(plan, work->mask, scale, err) ||
        !border_value(&work->request->filter.border, scale - 1, ghost, err))
        return false;
    report->quantised = plan->quantised_bits >= 0;
    report->quantised_bits = plan->quantised_bits;
    report->quantised_error = plan->quantised_error;
    load.sums = signal_sums_type((uint128)plan->sum_abs, scale);
    load.mask_width = plan->width;
    load.anchor = plan->anchor_x;
    return signal_choose(work, &load, err);
}

bool signal_filter_audio(struct signal_work *work, struct error *err)
{
    struct signal_report *report = work->report;
    struct plan_mask plan = {0};
    struct audio audio;
    uint32_t ghost;
    bool good;

    if (!audio_read(&audio, work->name, work->bytes, work->size, err))
        return false;
    good = prepare(work, &audio, &plan, &ghost, err) &&
           (!work->output || writes_text(work) || audio_check_output(&audio, work->output, err));
    signal_lap(work, &report->read_ms);
    if (good && !work->request->plan) {
        good = filter_channels(work, &plan, ghost, &audio, err);
        signal_lap(work, &report->filter_ms);
        good = good && write_samples(work, &audio, err);
        signal_lap(work, &report->write_ms);
    }
    plan_mask_free(&plan);
    audio_free(&audio);
    return good;
}
