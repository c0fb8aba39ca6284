/* The part of filtering a signal that text and audio share: the mask, the names of audio files, the
 * checks that need no input, the choice of device and kernel, and telling text from audio. A build
 * without libsndfile also recognises audio, and refuses it with the reason. */
#include "signal/filter.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "base/machine.h"
#include "codec/input.h"
#include "kernel/backend.h"
#include "kernel/rates.h"
#include "signal/audio.h"

#define HEAD_BYTES 4096

/* ---- the mask ---- */

static bool load_mask(const struct filter_request *request, struct mask *mask, struct error *err)
{
    if (request->mask && (request->has_sigma || request->radius >= 0))
        return error_set(err, EXIT_USAGE, "--mask and --%s exclude each other",
                         request->has_sigma ? "sigma" : "radius");
    if (request->mask)
        return mask_load(mask, request->mask, err);
    if (request->has_sigma)
        return mask_build_gauss(mask, request->sigma, request->radius, MASK_ROW, MASK_UNITS_2048,
                                err);
    if (request->radius >= 0)
        return mask_build_box(mask, request->radius, MASK_ROW, err);
    return error_set(err, EXIT_USAGE, "signal needs a mask: --mask, --sigma or --radius");
}

/* Turns a mask of one column into a row. */
static bool make_row(const struct filter_request *request, struct mask *mask, struct error *err)
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

bool signal_mask_row(const struct filter_request *request, struct mask *mask, struct error *err)
{
    memset(mask, 0, sizeof *mask);
    if (!load_mask(request, mask, err))
        return false;
    if (plan_mask_override(mask, &request->overrides, err) && make_row(request, mask, err))
        return true;
    mask_free(mask);
    return false;
}

/* ---- names of audio files ---- */

bool audio_available(void)
{
#ifdef HAVE_SNDFILE
    return true;
#else
    return false;
#endif
}

bool audio_recognise(const uint8_t *head, size_t bytes)
{
    static const char *const magic[] = {"RIFF", "RIFX", "RF64", "fLaC", "FORM"};

    for (size_t i = 0; bytes >= 4 && i < sizeof magic / sizeof *magic; i++)
        if (memcmp(head, magic[i], 4) == 0)
            return true;
    return false;
}

/* An audio file's extension. container is AUDIO_NONE if the compression changes samples.
 * extension_of returns NULL for all other extensions. */
struct extension {
    const char *name;
    enum audio_container container;
};

static const struct extension *extension_of(const char *path)
{
    static const struct extension known[] = {
        {"wav", AUDIO_WAV},   {"wave", AUDIO_WAV},  {"flac", AUDIO_FLAC}, {"aif", AUDIO_AIFF},
        {"aiff", AUDIO_AIFF}, {"aifc", AUDIO_AIFF}, {"mp3", AUDIO_NONE},  {"ogg", AUDIO_NONE},
        {"oga", AUDIO_NONE},  {"opus", AUDIO_NONE}, {"m4a", AUDIO_NONE},  {"aac", AUDIO_NONE},
        {"wma", AUDIO_NONE}};
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');

    for (size_t i = 0; dot && i < sizeof known / sizeof *known; i++)
        if (strcasecmp(dot + 1, known[i].name) == 0)
            return &known[i];
    return NULL;
}

enum audio_container audio_of_path(const char *path)
{
    const struct extension *extension = extension_of(path);
    return extension ? extension->container : AUDIO_NONE;
}

/* ---- checks ---- */

bool signal_check(const struct signal_request *request, const char *output, struct error *err)
{
    const struct extension *extension = output ? extension_of(output) : NULL;
    const struct kernel *kernel = request->kernel;

    if (kernel && !request->device_auto && kernel->device != request->device)
        return error_set(err, EXIT_USAGE, "kernel %s does not run on --device %s", kernel->name,
                         backend_find(request->device)->name);
    if (extension && extension->container == AUDIO_NONE)
        return error_set(err, EXIT_USAGE,
                         "%s: %s does not keep samples as they are; write .wav, .flac or .aiff",
                         output, extension->name);
    if (extension && !audio_available())
        return error_set(err, EXIT_USAGE,
                         "%s: this build writes no audio: it was made without libsndfile", output);
    return true;
}

/* ---- device and kernel ---- */

/* `auto` compares two estimates, as for pictures:
 *
 *   CPU   samples * weights / (rate * threads)
 *   GPU   start-up and end + bytes up and down / bus + samples * weights / rate
 *
 * Sums past 62 bits are made by a loop over rationals, whatever kernel is named. */

/* Taps (one weight times one sample) per millisecond and thread: kernel "scalar", 255 weights. */
#define SIGNAL_CPU_TAPS_FLOAT 7e6
#define SIGNAL_CPU_TAPS_64    1.6e6

static void estimate(const struct signal_load *load, struct signal_choice *choice)
{
    bool floats = load->sums == SIGNAL_SUM_F32;
    double cells = (double)load->samples * (double)load->channels * (double)load->passes;
    double taps = cells * (double)load->mask_width;
    double bytes = 2 * cells * (double)signal_cell_bytes(floats ? SIGNAL_F32 : SIGNAL_I64);

    choice->cpu_ms =
        taps / ((floats ? SIGNAL_CPU_TAPS_FLOAT : SIGNAL_CPU_TAPS_64) * (double)choice->threads);
    choice->cuda_ms = CUDA_START_MS + CUDA_LOAD_MS + CUDA_END_MS + bytes / CUDA_BYTES_PAGEABLE +
                      taps / (floats ? CUDA_TAPS_FLOAT : CUDA_TAPS_64);
    if (backend_find(DEVICE_CUDA)->software)
        choice->cuda_ms = taps / SOFT_TAPS + cells / SOFT_SAMPLES;
}

static enum device choose_auto(const struct signal_load *load, struct signal_choice *choice)
{
    char why[128] = "";

    if (load->sums == SIGNAL_SUM_RATIONAL || !backend_find(DEVICE_CUDA)->in_build)
        return DEVICE_CPU;
    if (choice->cpu_ms <= choice->cuda_ms)
        snprintf(choice->note, sizeof choice->note,
                 "the CPU is expected to be faster here (%.0f ms; with CUDA %.0f ms)",
                 choice->cpu_ms, choice->cuda_ms);
    else if (backend_find(DEVICE_CUDA)->devices(why, sizeof why) > 0)
        return DEVICE_CUDA;
    else
        snprintf(choice->note, sizeof choice->note, "no CUDA device (%s): using the CPU", why);
    return DEVICE_CPU;
}

bool signal_choose(struct signal_work *work, const struct signal_load *load, struct error *err)
{
    const struct signal_request *request = work->request;
    struct signal_report *report = work->report;
    struct signal_choice *choice = &report->choice;
    enum device device = request->device;

    report->load = *load;
    choice->tile = request->tile;
    choice->threads = request->threads ? request->threads : machine_cpus();
    estimate(load, choice);
    if (request->kernel)
        device = request->kernel->device;
    else if (request->device_auto)
        device = choose_auto(load, choice);
    if (device == DEVICE_CUDA && !backend_check_cuda(request->device_index, request->kernel, err))
        return false;
    if (!backend_find(device)->start(device == DEVICE_CUDA ? request->device_index : 0, err))
        return false;
    choice->kernel = request->kernel ? request->kernel : kernel_choose_signal(device);
    choice->sums = load->sums;
    if (load->sums == SIGNAL_SUM_RATIONAL)
        choice->kernel = kernel_find_signal("reference");
    if (!choice->kernel)
        return error_set(err, EXIT_DEVICE, "no kernel for signals on this device");
    if (choice->kernel->shape_signal) {
        struct signal_job job = {.type = load->sums == SIGNAL_SUM_F32 ? SIGNAL_F32 : SIGNAL_I64,
                                 .n = load->samples,
                                 .mask_width = load->mask_width,
                                 .anchor = load->anchor,
                                 .tile = choice->tile};
        choice->kernel->shape_signal(&job, &report->shape);
    }
    work->runner = (struct signal_runner){.kernel = choice->kernel,
                                          .verify = request->verify,
                                          .threads = choice->threads,
                                          .tile = choice->tile,
                                          .device_index = request->device_index,
                                          .times = &report->times,
                                          .name = work->name,
                                          .channel = -1};
    return true;
}

/* ---- the whole way ---- */

void signal_lap(struct signal_work *work, double *ms)
{
    double now = clock_ms();
    *ms = now - work->mark_ms;
    work->mark_ms = now;
}

#ifndef HAVE_SNDFILE
bool signal_filter_audio(struct signal_work *work, struct error *err)
{
    return error_set(err, EXIT_INPUT,
                     "%s: an audio file, and this build reads none: it was made without libsndfile",
                     work->name);
}
#endif

bool signal_filter(const struct signal_request *request, const struct mask *mask, const char *input,
                   const char *output, struct signal_report *report, struct error *err)
{
    struct signal_work work = {.request = request,
                               .mask = mask,
                               .name = strcmp(input, "-") == 0 ? "standard input" : input,
                               .output = output,
                               .mark_ms = clock_ms(),
                               .report = report};
    double start_ms = work.mark_ms;
    struct input *in = NULL;
    bool good;

    memset(report, 0, sizeof *report);
    /* A file that is neither text nor audio may be of any length. */
    good = input_open(&in, input, err) && input_peek(in, HEAD_BYTES, &work.bytes, &work.size, err);
    if (good && !audio_recognise(work.bytes, work.size))
        good = signal_text_check(work.name, work.bytes, work.size, err);
    good = good && input_read_all(in, &work.bytes, &work.size, err);
    if (good) {
        report->audio = audio_recognise(work.bytes, work.size);
        good = report->audio ? signal_filter_audio(&work, err) : signal_filter_text(&work, err);
    }
    report->total_ms = clock_ms() - start_ms;
    if (good && report->choice.kernel->device == DEVICE_CPU)
        report->times.kernel_ms = report->filter_ms;
    input_close(in);
    return good;
}
