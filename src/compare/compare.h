/* Compares two pictures sample by sample. Pictures of different size, channels or depth are
 * different, and nothing more is measured. Of files with several pages every page is compared, up
 * to the first one that fails. Whole numbers (counts, sums, sums of squares, the window
 * sums of the SSIM) are exact and do not depend on the number of threads; ratios and logarithms of
 * them are doubles.
 *
 * For formats that can be read row by row, memory holds only some bands of rows, however tall the
 * pictures are.
 *
 * PSNR: 10 log10(max^2 n / sum of squares) over n samples; infinite for equal pictures. SSIM: Wang
 * et al. 2004, for each channel separately; see compare/ssim.c. */
#ifndef STENCIL_COMPARE_COMPARE_H
#define STENCIL_COMPARE_COMPARE_H

#include "codec/codec.h"
#include "codec/folder.h"

#define COMPARE_MAX_CHANNELS 4

__extension__ typedef unsigned __int128 compare_sum;

/* The differences that are allowed; without any limit, none. */
struct compare_limits {
    int max_diff;             /* samples may differ by up to this; -1: no limit given */
    const char *fail_percent; /* % of pixels that may differ by more; a rational; NULL: no limit */
    bool has_psnr, has_ssim;
    double min_psnr, min_ssim;
};
#define COMPARE_EXACT ((struct compare_limits){.max_diff = -1})

/* Sums over the samples of one channel, or of all channels. */
struct compare_sums {
    uint64_t samples, differing;
    uint32_t max_diff; /* the largest difference, at (x, y): the first in row order */
    int channel, x, y;
    uint32_t a, b; /* the two samples at (x, y) */
    uint64_t sum;  /* of |a - b| */
    compare_sum squares;
    double ssim;
};

/* Files may have several pages. The result is that of the first pages that fail. If none fails, it
 * is that of the pages with the largest difference. */
struct compare_result {
    int page; /* from 1 on */
    struct image_info a, b;
    bool comparable; /* equal shapes: the members below are valid */
    struct compare_sums channel[COMPARE_MAX_CHANNELS], all;
    uint64_t pixels, differing_pixels;
    uint64_t failing_pixels; /* these exceed the limits' max_diff in any channel */
    bool passed;
    /* A half-sentence: all limits hold, or the first limit that does not hold, or how the shapes
     * differ ("512x512 and 512x511 pixels"), or which file has more pages. */
    char why[256];
    char warning[2][512]; /* what the codecs dropped; empty: nothing */
};

/* A drawing of the differences (compare/diff.h), in the format of its extension. Pictures that are
 * not comparable get no drawing. */
struct compare_drawing {
    const char *path;
    bool bare;        /* only the differences, at full size, without profiles and scale */
    bool only_failed; /* no drawing for a comparison that passes */
};

/* Reads both files ("-": standard input, for one of them) and fills RESULT with its verdict.
 * DRAWING may be NULL. False if a file cannot be read or the drawing cannot be written. */
bool compare_files(const char *a, const char *b, const struct compare_limits *limits, int threads,
                   const struct compare_drawing *drawing, struct compare_result *result,
                   struct error *err);

/* Compares two pictures in memory, both of the shape INFO, exactly. */
bool compare_images(const struct image *a, const struct image *b, const struct image_info *info,
                    int threads, struct compare_result *result, struct error *err);

/* ---- two folders (compare/folders.c) ---- */

/* The pictures below two folders, side by side: files with the extension of an image format,
 * by their names relative to the folder, in C-locale order. Symlinks are followed, but not to
 * a folder that contains them. */
struct compare_pair {
    char *name;      /* below both folders */
    bool in_a, in_b; /* at least one is true */
};

struct compare_pairs {
    struct compare_pair *pair;
    size_t count;
    struct folder_kinds passed; /* files with other names, without the program's own */
};

/* It is an error if a folder cannot be read to its end, or if there is no picture at all. */
bool compare_pairs_make(struct compare_pairs *pairs, const char *a, const char *b,
                        struct error *err);
void compare_pairs_free(struct compare_pairs *pairs);

/* ---- the checksum of one picture (compare/picture_checksum.c) ---- */

#define PICTURE_CHECKSUM_CHARS 16

/* Reads the picture at PATH to its end, all pages, and writes its checksum as hexadecimal digits.
 */
bool picture_checksum(const char *path, char text[PICTURE_CHECKSUM_CHARS + 1], struct error *err);

/* ---- numbers made from the sums (compare/verdict.c) ---- */

double compare_mean(const struct compare_sums *sums);
double compare_rms(const struct compare_sums *sums);
double compare_psnr(const struct compare_sums *sums, uint32_t max); /* may be infinite */
double compare_percent(uint64_t part, uint64_t whole);

/* "red", "gray", "alpha", for a picture with CHANNELS channels. */
const char *compare_channel_name(int channels, int channel);

/* Sets `comparable`, or puts into `why` how the shapes differ. */
void compare_shapes(struct compare_result *result);

/* Fills `passed` and `why` of a comparable result. */
void compare_judge(struct compare_result *result, const struct compare_limits *limits);

/* Reads VALUE as the limit NAME ("max-diff", "max-fail-percent", "min-psnr", "min-ssim"), a name of
 * options and of golden suites. Returns NULL, or the text of what was expected: "a whole number
 * from 0 to 65535", "max-diff, ..." for an unknown name. VALUE must outlive the limits. */
const char *compare_limit_read(struct compare_limits *limits, const char *name, const char *value);

#endif
