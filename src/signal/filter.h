/* Filters one signal: reads it, converts its numbers for the kernels, chooses device and kernel,
 * sums, checks if asked, writes. cli/command_signal.c decides what to print. */
#ifndef STENCIL_SIGNAL_FILTER_H
#define STENCIL_SIGNAL_FILTER_H

#include "kernel/kernel.h"
#include "plan/filter.h"
#include "signal/sums.h"

/* What the user asks for. */
struct signal_request {
    struct filter_request filter; /* its mask, sigma, radius, overrides, border and repeat */
    int decimals;                 /* -1: exact */
    bool device_auto;
    enum device device; /* when not auto */
    int device_index;
    const struct kernel *kernel; /* a 1D row; NULL: the fastest */
    int tile, threads;           /* tile 0: the kernel's choice; threads 0: all allowed */
    bool verify;
    bool plan; /* stop before anything is summed: for --plan */
};

/* How the signal runs; known once the samples are read. */
struct signal_choice {
    enum signal_sum_type sums; /* of the first pass */
    const struct kernel *kernel;
    int tile, threads;
    double cpu_ms, cuda_ms; /* the estimates behind --device auto, as for pictures */
    char note[256];         /* the reason, for -v; may be empty */
};

/* The amount of work. */
struct signal_load {
    enum signal_sum_type sums; /* from the numbers alone: F32, I64 or RATIONAL */
    int samples;               /* of a channel */
    int channels;              /* text has one */
    int mask_width, anchor, passes;
};

struct signal_report {
    bool audio;
    const char *form; /* "text", "WAV", ... */
    int bits, rate;   /* audio only */
    struct signal_load load;
    struct signal_choice choice;
    struct kernel_shape shape; /* of a kernel that cuts tiles; else all 0 */
    bool quantised;            /* audio: the mask's numbers had to be quantised, see plan/plan.h */
    int quantised_bits;
    double quantised_error;
    char warning[256]; /* names the parts of the input that are not kept; may be empty */
    double read_ms, filter_ms, write_ms, total_ms;
    struct kernel_times times;
};

/* Refuses requests that are wrong for every mask and input. OUTPUT may be NULL if request->plan is
 * set. */
bool signal_check(const struct signal_request *request, const char *output, struct error *err);

/* Makes the mask of the request, with all overrides, in one row. Free with mask_free. */
bool signal_mask_row(const struct filter_request *request, struct mask *mask, struct error *err);

/* Reads, filters and writes, with the mask of signal_mask_row. A failure leaves nothing behind at
 * OUTPUT. */
bool signal_filter(const struct signal_request *request, const struct mask *mask, const char *input,
                   const char *output, struct signal_report *report, struct error *err);

/* ---- for the two kinds of samples (signal/text.c, signal/audio.c) ---- */

/* Everything that is known when the input is open. */
struct signal_work {
    const struct signal_request *request;
    const struct mask *mask; /* signal_mask_row's */
    const char *name, *output;
    const uint8_t *bytes; /* the input */
    size_t size;
    double mark_ms; /* when the current lap began */
    struct signal_report *report;
    struct signal_runner runner; /* signal_choose's */
};

/* Fills the report's load, choice and shape, and the runner. EXIT_DEVICE if the requested device
 * does not exist. */
bool signal_choose(struct signal_work *work, const struct signal_load *load, struct error *err);

/* Sets *ms to the time since the last lap, or since the start. */
void signal_lap(struct signal_work *work, double *ms);

bool signal_filter_text(struct signal_work *work, struct error *err);
bool signal_filter_audio(struct signal_work *work, struct error *err);

/* ---- samples as text (signal/text.c) ---- */

/* Numbers separated by blanks, commas or lines, each as in a mask (plan/rational.h), with comments
 * from '#' to the end of a line. */
struct signal_text {
    const char *name;        /* of the file, for sentences */
    const char *bytes;       /* the file, the caller's */
    const char *begin, *end; /* its text, without a byte order mark */
    int n;                   /* numbers in it */
    const char *at;          /* after the number that was read last */
    int commas;              /* number of commas before that number */
    const char *comma;       /* the last of these commas */
};

/* Whether the beginning of a file may be text: EXIT_INPUT if it holds zero bytes. */
bool signal_text_check(const char *name, const void *bytes, size_t size, struct error *err);

/* Checks every number and counts them. Wrong text and a text without numbers are EXIT_INPUT:
 * NAME:LINE:COLUMN: expected a number, got '...'. */
bool signal_text_open(struct signal_text *text, const char *name, const void *bytes, size_t size,
                      struct error *err);

/* A series_get; the context is the text. */
void signal_text_get(void *text, int i, mpq_t value);

/* VALUE as text from malloc: a decimal if it terminates, else p/q. DECIMALS >= 0: rounded to
 * DECIMALS decimals, halves up. (GMP ends the program if it has no memory for a number.) */
char *number_print(mpq_srcptr value, int decimals);

#endif
