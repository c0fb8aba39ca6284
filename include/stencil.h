/* libstencil: image filters with one defined result.
 *
 * The output of a filter is exact integer arithmetic (docs/promise.md). So the same input gives the
 * same bytes from every function here, from the program stencilcli and from Python, on every
 * processor, device and number of threads.
 *
 *   stencil_context *context;
 *   stencil_filter *filter = NULL;
 *   stencil_image in = {.width = 640, .height = 480, .channels = 3, .sample_bytes = 1,
 *                       .pitch = 640 * 3, .data = pixels};
 *   stencil_image out = in;
 *   out.data = other_pixels;
 *   if (stencil_open(&context, NULL) != STENCIL_OK ||
 *       stencil_filter_add(context, &filter, "gauss --sigma 2 --border mirror") != STENCIL_OK ||
 *       stencil_apply(context, filter, &in, &out) != STENCIL_OK)
 *       fprintf(stderr, "%s\n", stencil_message(context));
 *   stencil_filter_free(filter);
 *   stencil_close(context);
 *
 * Errors are values: a function returns a status, and stencil_message has one sentence about the
 * last failure. The library prints nothing, installs no signal handler, and does not change the
 * process's limits or memory allocator.
 *
 * Threads: a context serves one call at a time. Contexts are independent of each other: each thread
 * of a program may have its own. A filter that is complete may be used by several contexts at once.
 * A context starts its CPU threads when a call first needs them, and keeps them until
 * stencil_close.
 */
#ifndef STENCIL_H
#define STENCIL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined __GNUC__
#define STENCIL_API __attribute__((visibility("default")))
#else
#define STENCIL_API
#endif

/* The numbers are the exit codes of the program stencilcli. */
typedef enum stencil_status {
    STENCIL_OK = 0,
    STENCIL_FAILED = 1,    /* a file cannot be read or written, or there is no memory */
    STENCIL_ARGUMENT = 2,  /* an argument is wrong; the sentence names it */
    STENCIL_DEVICE = 3,    /* the device does not exist, or cannot run the filter */
    STENCIL_DIFFERENT = 4, /* stencil_compare: the pictures differ */
} stencil_status;

/* The version of the library that runs, "MAJOR.MINOR.PATCH". */
STENCIL_API const char *stencil_version(void);

/* ---- contexts ---- */

/* The options of a context choose where filters run, and how fast. Outputs do not depend on them.
 */
typedef struct stencil_options {
    int threads;        /* CPU threads; 0: as many as this process may use */
    const char *device; /* "cpu", "cuda", "auto"; NULL: "cpu" */
    int device_index;   /* which CUDA device, from 0 */
    const char *kernel; /* a name of `stencilcli list kernels`; NULL: the fastest */
} stencil_options;

typedef struct stencil_context stencil_context;

/* Makes a context; OPTIONS may be NULL for the defaults. The strings of OPTIONS are not kept.
 * *context is set also on failure, so that stencil_message can tell what is wrong; it is NULL only
 * if there is no memory. Always end with stencil_close. */
STENCIL_API stencil_status stencil_open(stencil_context **context, const stencil_options *options);

/* NULL is harmless. */
STENCIL_API void stencil_close(stencil_context *context);

/* One sentence, without a full stop, about the last call with this context that failed; "" if none
 * did. Valid until the next call with this context. */
STENCIL_API const char *stencil_message(const stencil_context *context);

/* ---- filters ---- */

typedef struct stencil_filter stencil_filter;

/* Appends a step to *filter; NULL makes a filter of one step. WORDS are a filter and its options as
 * on the command line of stencilcli ("gauss --sigma 2 --border mirror", "median --radius 3"; all of
 * them: `stencilcli list filters`, `stencilcli FILTER --help`). A step filters the output of the
 * step before it, as `stencilcli chain` does. The words are checked and copied. On failure *filter
 * is as before. */
STENCIL_API stencil_status stencil_filter_add(stencil_context *context, stencil_filter **filter,
                                              const char *words);

/* Appends the filter `convolve` with a mask of WIDTH x HEIGHT weights, row by row from the top.
 * WORDS are further options ("--divisor 16 --border zero"; not --mask, --sigma or --radius), or
 * NULL. The divisor is 1 without --divisor or --normalize. Weights are taken as the shortest
 * decimal that is the same double, so 0.1 is a tenth. */
STENCIL_API stencil_status stencil_filter_add_weights(stencil_context *context,
                                                      stencil_filter **filter,
                                                      const double *weights, int width, int height,
                                                      const char *words);

/* NULL is harmless. */
STENCIL_API void stencil_filter_free(stencil_filter *filter);

/* ---- pictures ---- */

/* The memory that holds a picture. */
typedef enum stencil_memory {
    STENCIL_HOST = 0,
    STENCIL_CUDA = 1, /* memory of the CUDA device that the context has */
} stencil_memory;

/* A picture: interleaved samples in rows.
 *
 *   sample (y, x, c) lies at  (char *)data + y*pitch + (x*channels + c)*sample_bytes
 *
 * The library owns `data` only if stencil_read made it. */
typedef struct stencil_image {
    int32_t width, height; /* in pixels, >= 1 */
    int32_t channels;      /* 1 gray, 2 gray and alpha, 3 RGB, 4 RGBA */
    int32_t sample_bytes;  /* 1 or 2; samples of 2 bytes have the machine's byte order */
    size_t pitch;          /* bytes from a row to the next, >= width*channels*sample_bytes */
    uint32_t max;          /* samples lie in 0..max; 0 means 255 or 65535 */
    void *data;            /* an even address for samples of 2 bytes */
    int32_t memory;        /* a stencil_memory */
    void *stream;          /* with STENCIL_CUDA: the CUDA stream that makes the picture, or NULL for
                              the default stream */
} stencil_image;

/* Filters IN into OUT, which has the shape of IN: width, height, channels, sample_bytes, max. OUT
 * may be IN itself (equal data and pitch); else the two must not overlap. Only the samples of OUT
 * are written, not the bytes between its rows.
 *
 * Both lie in host memory, or both on the CUDA device of the context. A filter on a device is as a
 * kernel on IN's stream: it begins when the stream's work before it is done, OUT is complete for
 * the stream's work behind it, and the call may return earlier. Pictures whose address, pitch and
 * bytes of a row are multiples of 16 are filtered where they lie; other pictures are copied on the
 * device before and after. */
STENCIL_API stencil_status stencil_apply(stencil_context *context, const stencil_filter *filter,
                                         const stencil_image *in, const stencil_image *out);

/* Some rows of a picture, for pictures that are larger than memory or come row by row. PICTURE has
 * the shape of the whole picture (its data may be NULL): rows [first, first + rows) of the output
 * need rows [*in_first, *in_first + *in_rows) of the input. */
STENCIL_API stencil_status stencil_rows_needed(stencil_context *context,
                                               const stencil_filter *filter,
                                               const stencil_image *picture, int32_t first,
                                               int32_t rows, int32_t *in_first, int32_t *in_rows);

/* Filters some rows of a picture that has HEIGHT rows. IN holds its rows from IN_FIRST on; OUT
 * receives the rows from OUT_FIRST on. Both lie in host memory and do not overlap. The bytes are
 * those that stencil_apply would make of the whole picture. */
STENCIL_API stencil_status stencil_apply_rows(stencil_context *context,
                                              const stencil_filter *filter, int32_t height,
                                              const stencil_image *in, int32_t in_first,
                                              const stencil_image *out, int32_t out_first);

/* Describes what stencil_apply would do with a picture of IN's shape (its data may be NULL; as if
 * it lay in host memory): masks as integers, border, device, kernel, threads; as lines of words, or
 * with JSON != 0 as an object of JSON. *text is valid until the next call with this context. */
STENCIL_API stencil_status stencil_plan(stencil_context *context, const stencil_filter *filter,
                                        const stencil_image *in, int json, const char **text);

/* Filters the file INPUT into the file OUTPUT, whose format is that of its extension, as
 * `stencilcli FILTER INPUT OUTPUT` does: pages and metadata too, and OUTPUT is there only when it
 * is complete. */
STENCIL_API stencil_status stencil_filter_file(stencil_context *context,
                                               const stencil_filter *filter, const char *input,
                                               const char *output);

/* Reads the picture at PATH, of any format in `stencilcli list formats`. *image is set on success;
 * free it with stencil_image_free. */
STENCIL_API stencil_status stencil_read(stencil_context *context, const char *path,
                                        stencil_image *image);

/* Frees a picture that stencil_read made, and clears the struct. */
STENCIL_API void stencil_image_free(stencil_image *image);

/* Writes a picture to PATH; the extension gives the format. QUALITY is 1 to 100 for JPEG and lossy
 * WebP; 0: JPEG has 90, WebP is lossless. On failure PATH is as before. */
STENCIL_API stencil_status stencil_write(stencil_context *context, const char *path,
                                         const stencil_image *image, int quality);

/* The result of stencil_compare; all channels are counted together. */
typedef struct stencil_difference {
    uint64_t samples, differing; /* how many there are, and how many differ */
    uint32_t max_diff;           /* the largest difference, at (x, y, channel); 0: none */
    int32_t x, y, channel;
    double psnr; /* in dB; infinite for equal pictures */
    double ssim; /* mean of the channels; 1 for equal pictures */
} stencil_difference;

/* Compares two pictures of equal shape. STENCIL_OK: they are equal; STENCIL_DIFFERENT: they differ,
 * and *difference is set too; STENCIL_ARGUMENT: their shapes differ. */
STENCIL_API stencil_status stencil_compare(stencil_context *context, const stencil_image *a,
                                           const stencil_image *b, stencil_difference *difference);

#ifdef __cplusplus
}
#endif

#endif
