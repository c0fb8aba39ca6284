/* The verdict on a student's kernel: the battery of cases, the reference, and the diagnosis. */
#ifndef STENCIL_TRY_JUDGE_H
#define STENCIL_TRY_JUDGE_H

#include "try/way.h"

/* ---- the battery (battery.c) ---- */

struct try_battery {
    struct try_case *cases;
    int count, room;
    int not_taken; /* cases that the user gives, with a mask that the kernel does not take */
};

struct try_wishes {
    bool quick;
    unsigned seed;
    const char *hidden; /* a file of cases: width height mask_width [pitch] in each line; or NULL */
    const char *mask;   /* as --mask names it, or NULL: a further case */
    const char *image;  /* a picture, or NULL: a further case */
};

bool try_battery_make(struct try_battery *battery, const struct try_file *file,
                      const struct try_wishes *wishes, struct error *err);
/* "square masks of up to 5 x 5": what the kernel takes, as far as its file says. */
void try_masks_name(const struct try_file *file, char text[64]);
void try_battery_free(struct try_battery *battery);
/* The case on which loads and stores are counted: its width is a multiple of no tile. */
bool try_battery_add_count(struct try_battery *battery, const struct try_file *file, int mask_width,
                           struct error *err);
/* The case on which a kernel is timed: 4096 x 4096 cells, or 2^24. */
bool try_battery_add_large(struct try_battery *battery, const struct try_file *file,
                           struct error *err);

/* ---- the reference (reference.c): the formula, and what wrong kernels compute ---- */

struct try_variant {
    enum try_border border;
    bool flip_x, flip_y, transpose;
    int half_x, half_y;   /* the picture moves by so many halves of the mask, too */
    int shift_x, shift_y; /* the picture moves so far to the left, up */
    int skip_left, skip_right, skip_top, skip_bottom, skip_cell; /* mask cells that are left out;
                                                 skip_cell: 1 the last, -1 the first */
};

double try_reference(const struct try_case *it, const struct try_variant *variant, int x, int y,
                     int channel);

/* ---- the verdict (verdict.c, diagnose.c, sentences.c) ---- */

struct try_case_verdict {
    bool right;
    long long wrong;   /* cells of P that are wrong */
    int x, y, channel; /* the first of them */
    double got, want;
};

struct try_verdict {
    enum exit_code code;
    char id[24]; /* "right", "stopped", or an id of a diagnosis */
    char sentence[700];
    char advice[400];
    char note[400];           /* of a right kernel; or empty */
    int cases, failed, shown; /* with those that the kernel does not take; shown: the case that the
                                 sentences are about; -1: none */
    struct try_case_verdict *each;
};

struct try_trial {
    const struct try_file *file;
    const struct try_battery *battery;
    const struct try_result *results;
    struct try_setup setup;
};

/* Judges all results. False with ERR only if the machine fails. */
bool try_judge(const struct try_trial *trial, struct try_verdict *verdict, struct error *err);
void try_verdict_free(struct try_verdict *verdict);

/* Private to the room: looks for the reason. */
void try_diagnose(const struct try_trial *trial, struct try_verdict *verdict);
bool try_case_has(const struct try_trial *trial, int i, enum try_fault fault);

#endif
