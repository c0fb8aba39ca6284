/* One signal through the tool: see signal/filter.h. What is the same for text and
 * audio: the mask, the checks that need no input, and telling the two apart. */
#include "signal/filter.h"

#include <string.h>
#include <strings.h>
#include <time.h>

#include "base/clock.h"
#include "codec/input.h"
#include "kernel/backend.h"
#include "signal/audio.h"

/* ---- the mask ---- */

static bool load_mask(const struct signal_request *request, struct mask *mask, struct error *err)
{
    if (request->mask && (request->has_sigma || request->radius >= 0))
        return error_set(err, EXIT_USAGE, "--mask and --%s exclude each other",
                         request->has_sigma ? "sigma" : "radius");
    if (request->mask)
        return mask_load(mask, request->mask, err);
    if (request->has_sigma)
        return mask_build_gauss(mask, request->sigma, request->radius, MASK_ROW, err);
    if (request->radius >= 0)
        return mask_build_box(mask, request->radius, MASK_ROW, err);
    return error_set(err, EXIT_USAGE, "signal needs a mask: --mask, --sigma or --radius");
}

/* One column is one row that was written downwards. */
static bool make_row(const struct signal_request *request, struct mask *mask, struct error *err)
{
    if (mask->height > 1 && mask->width > 1)
        return error_set(err, EXIT_USAGE,
                         "--mask %.80s: a signal needs a mask of one row or one column, and this "
                         "one has %d x %d cells",
                         request->mask, mask->width, mask->height);
    if (mask->height == 1)
        return true;
    mask->width = mask->height;
    mask->anchor_x = mask->anchor_y;
    mask->height = 1;
    mask->anchor_y = 0;
    return true;
}

bool signal_mask_row(const struct signal_request *request, struct mask *mask, struct error *err)
{
    memset(mask, 0, sizeof *mask);
    if (!load_mask(request, mask, err))
        return false;
    if (plan_mask_override(mask, &request->overrides, err) && make_row(request, mask, err))
        return true;
    mask_free(mask);
    return false;
}

/* ---- checks ---- */

/* Extensions that promise compressed samples, which would not come back as they were. */
static const char *lossy_extension(const char *path)
{
    static const char *const known[] = {"mp3", "ogg", "oga", "opus", "m4a", "aac", "wma"};
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');

    for (size_t i = 0; dot && i < sizeof known / sizeof *known; i++)
        if (strcasecmp(dot + 1, known[i]) == 0)
            return known[i];
    return NULL;
}

static bool check_output(const char *output, struct error *err)
{
    const char *lossy = lossy_extension(output);

    if (lossy)
        return error_set(err, EXIT_USAGE,
                         "%s: %s does not keep samples as they are; write .wav, .flac or .aiff",
                         output, lossy);
    if (audio_of_path(output) != AUDIO_NONE && !audio_available())
        return error_set(err, EXIT_USAGE,
                         "%s: this build writes no audio: it was made without libsndfile", output);
    return true;
}

bool signal_check(const struct signal_request *request, const char *output, struct error *err)
{
    const struct kernel *kernel = request->kernel;

    if (kernel && !request->device_auto && kernel->device != request->device)
        return error_set(err, EXIT_USAGE, "kernel %s does not run on --device %s", kernel->name,
                         backend_find(request->device)->name);
    return !output || check_output(output, err);
}

/* ---- the whole way ---- */

struct signal_runner signal_runner_make(const struct signal_work *work)
{
    const struct signal_choice *choice = &work->report->choice;
    return (struct signal_runner){.kernel = choice->kernel,
                                  .split = choice->split,
                                  .verify = work->request->verify,
                                  .threads = choice->threads,
                                  .tile = choice->tile,
                                  .device_index = work->request->device_index,
                                  .times = &work->report->times,
                                  .name = work->name,
                                  .channel = -1};
}

bool signal_filter(const struct signal_request *request, const struct mask *mask, const char *input,
                   const char *output, struct signal_report *report, struct error *err)
{
    struct signal_work work = {.request = request,
                               .mask = mask,
                               .name = strcmp(input, "-") == 0 ? "standard input" : input,
                               .output = output,
                               .start_ms = clock_ms(),
                               .report = report};
    struct input *in = NULL;
    bool good;

    memset(report, 0, sizeof *report);
    good = input_open(&in, input, err) && input_read_all(in, &work.bytes, &work.size, err);
    if (good) {
        report->audio = audio_recognise(work.bytes, work.size);
        good = report->audio ? signal_filter_audio(&work, err) : signal_filter_text(&work, err);
    }
    report->total_ms = clock_ms() - work.start_ms;
    if (good && report->choice.kernel->device == DEVICE_CPU)
        report->times.kernel_ms = report->filter_ms;
    input_close(in);
    return good;
}
