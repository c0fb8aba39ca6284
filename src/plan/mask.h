/* Masks as text and as exact rationals: parsing, finding, building, printing. Kernels do not run
 * these masks; they run integers that plan/plan.h makes from the masks.
 *
 * The file format:
 *     # comment
 *     divisor 256        optional; also: offset 128 | offset 50% | anchor X Y | normalize
 *     1  4  6  4  1
 *     4 16 24 16  4
 * Rows of rationals separated by blanks or commas, all of one length, 1x1 to 255x255; a single row
 * or column may have up to 6001 numbers. On the command line ';' separates the rows. */
#ifndef STENCIL_PLAN_MASK_H
#define STENCIL_PLAN_MASK_H

#include "plan/rational.h"

#define MASK_MAX_SIDE 255
#define MASK_LONGEST                                                                               \
    6001 /* cells along an axis: of a single row or column, or of an outer mask                    \
          */

struct mask {
    int width, height;
    int anchor_x, anchor_y; /* inside the mask; default width/2, height/2 */
    mpq_t *weight;          /* width*height, row-major, as written (not yet divided) */
    /* A column times a row: weight holds the column's height numbers, then the row's width numbers.
     * Masks that are built longer than MASK_MAX_SIDE are outer masks. */
    bool outer;
    mpq_t centre;        /* outer: is added to the weight of the cell (width/2, height/2) */
    mpq_t divisor;       /* 1 if none was given; normalize: the sum (never 0); may be negative */
    mpq_t offset;        /* in sample values, or a fraction of max if offset_percent */
    bool offset_percent; /* offset was `N%`: offset holds N/100 */
    char *title;         /* the first comment line without '#', or NULL; owned */
    char *name;          /* its name in messages: what mask_parse was given, or NULL; owned */
};

/* All cells 0, divisor 1, offset 0, default anchor. Free with mask_free. Without memory the
 * mask is left zeroed: weight is NULL. */
void mask_init(struct mask *mask, int width, int height);
void mask_init_outer(struct mask *mask, int width, int height);
void mask_free(struct mask *mask); /* harmless on a zeroed struct */

/* How many numbers `weight` holds. */
static inline int mask_numbers(const struct mask *mask)
{
    return mask->outer ? mask->height + mask->width : mask->width * mask->height;
}

/* Parses LENGTH bytes of mask text, which a zero byte must follow. Messages begin with
 * NAME:LINE:COLUMN and are EXIT_USAGE; a mask that failed is left zeroed. */
bool mask_parse(struct mask *mask, const char *name, const char *text, size_t length,
                struct error *err);

/* Reads the mask that the argument of --mask names: rows in place if it holds a ';' or is a row of
 * numbers ('1 2 1'), `-` for standard input (which can be read once), else a path or a bare name.
 * A name is looked for as given, in $STENCILCLI_MASKS (folders separated by ':'), in the installed
 * folder of masks, and among the built-in masks; each with and without ".txt". */
bool mask_load(struct mask *mask, const char *argument, struct error *err);

/* The path of the file that mask_load would read, malloc'ed; NULL: none, or a built-in mask. */
char *mask_path(const char *argument);

/* Calls visit(name without .txt, path, context) for every mask that a bare name
 * would find, in C-locale order of names, each name once (the first folder wins). The path of a
 * built-in mask is its name. */
void mask_list(void (*visit)(const char *name, const char *path, void *context), void *context);

/* The names of the built-in masks, by numbers from 0 on; NULL behind the last one. */
const char *mask_builtin_name(int number);

/* One of the built-in masks: "gauss5", "sobel_x" ... NAME must be one. */
bool mask_builtin(struct mask *mask, const char *name, struct error *err);

/* Builders; EXIT_USAGE for a sigma or radius out of range (sigma finite and > 0, radius 0..3000, of
 * other shapes than a square 0..127; a negative radius of a gauss means ceil(3*sigma)). A row is
 * for signals. A disc, of radius R, has the cells whose distance from the middle is at most R; a
 * cross has the middle row and the middle column: both are for boxes only. */
enum mask_shape { MASK_SQUARE, MASK_ROW, MASK_DISC, MASK_CROSS };
/* The sum of a Gaussian's weights along an axis: 2048 for 8-bit pictures, 65536 for 16-bit ones.
 * A mask of more than MASK_MAX_SIDE cells along an axis always has 65536. */
enum mask_units { MASK_UNITS_2048 = 2048, MASK_UNITS_65536 = 65536 };
bool mask_build_gauss(struct mask *mask, double sigma, int radius, enum mask_shape shape,
                      enum mask_units units, struct error *err);
bool mask_build_box(struct mask *mask, int radius, enum mask_shape shape, struct error *err);
/* (1 + amount)*identity - amount*gauss; AMOUNT is a rational as text. */
bool mask_build_unsharp(struct mask *mask, double sigma, int radius, const char *amount,
                        enum mask_units units, struct error *err);

/* Makes the mask a window: 1 for every weight that is not 0, no divisor, no offset. Returns how
 * many weights are 1. The mask is no outer mask. */
int mask_flatten(struct mask *mask);

/* The exact sum of the weights, not divided. The caller initialises SUM. Very long sums are not
 * reduced to lowest terms, because that would be slow (see plan/mask_builtin.c). */
void mask_sum(mpq_t sum, const struct mask *mask);

/* Makes the sum the divisor. Returns NULL, or why that is not possible, as half a sentence. */
const char *mask_normalize(struct mask *mask);

/* The 1D Gaussian weights of docs/promise.md: 2*radius+1 numbers, symmetric, with the sum UNITS. */
void mask_gauss_weights(double sigma, int radius, enum mask_units units, int *weight);

/* Rotates mask and anchor by 180 degrees: true convolution. */
void mask_flip(struct mask *mask);

#endif
