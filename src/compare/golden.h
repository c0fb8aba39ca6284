/* Golden pictures: a suite names commands and the pictures that they write, with a checksum of each
 * picture's samples. `record` writes the checksums, `check` compares them; the topic GOLDEN in
 * cli/help.c describes the suite's format.
 *
 * Every command runs in its own folder with copies of the inputs. The folders are below a scratch
 * folder, which is removed at the end, even when a signal ends the program. A picture without a
 * command is a file beside the suite; any program may have made it. */
#ifndef STENCIL_COMPARE_GOLDEN_H
#define STENCIL_COMPARE_GOLDEN_H

#include <limits.h>
#include <pthread.h>

#include "codec/input.h"
#include "compare/compare.h"

/* Room for a folder and a name in it: longer paths cannot be opened. */
#define GOLDEN_PATH (2 * PATH_MAX)

/* ---- the suite (compare/golden_suite.c) ---- */

struct golden_case {
    int line;       /* in the suite, from 1 */
    char *checksum; /* points into the suite's words; 16 hexadecimal digits; "0": not recorded; "-":
                       there is no picture */
    char *file;     /* the picture; "-": none, the command must only end with 0 */
    char *command;  /* for sh; NULL: the picture is a file beside the suite */
    const char *inputs; /* patterns, each ended by a zero byte; one more zero byte ends the list */
    int timeout_s;
    bool strict; /* the command may leave no other file behind */
    bool keep;   /* record keeps the picture, for reports; with a tolerance it always does */
    struct compare_limits limits;
    char *reason; /* why the limits are needed; NULL: there are none */
};

struct golden_suite {
    char path[PATH_MAX], folder[PATH_MAX]; /* the suite's file, and its folder with a final slash */
    struct input *input;                   /* owns the original text */
    const uint8_t *text;
    size_t bytes;
    struct golden_case *cases;
    size_t count;
    char *words; /* a copy of the text, cut into words; the cases point into it */
};

/* Reads PATH, or PATH/golden.txt if PATH is a folder. A file that is not a suite is EXIT_USAGE,
 * with the line. Free the suite even after a failure. */
bool golden_suite_read(struct golden_suite *suite, const char *path, struct error *err);
void golden_suite_free(struct golden_suite *suite);

/* FOLDER/expected/CHECKSUM.EXTENSION, where `record` keeps the picture of a case. */
void golden_expected_path(const struct golden_suite *suite, const struct golden_case *one,
                          const char *checksum, char path[GOLDEN_PATH]);

/* ---- running (compare/golden_run.c) ---- */

/* From good to bad. A report shows the worst state first. */
enum golden_state {
    GOLDEN_SAME,
    GOLDEN_TOLERATED,  /* the checksum differs, but within the case's limits */
    GOLDEN_UNRECORDED, /* there is no checksum yet */
    GOLDEN_DIFFERENT,
    GOLDEN_FAILED, /* the command failed, or there is no picture */
};
#define GOLDEN_STATES (GOLDEN_FAILED + 1)

/* "same", "tolerated", "unrecorded", "different", "failed" */
const char *golden_state_name(enum golden_state state);

struct golden_picture {
    char *png; /* in base64; NULL: none */
    int width, height;
};

struct golden_result {
    enum golden_state state;
    char checksum[PICTURE_CHECKSUM_CHARS + 1]; /* of the current picture; "-": none */
    char why[1024];
    double seconds;
    char path[GOLDEN_PATH]; /* of the picture, while the run's folders exist; empty: none */
    bool compared;          /* compared with the expected picture */
    struct compare_result numbers;
    /* for a report */
    struct golden_picture expected, actual, difference;
    int side;               /* the longer side that large pictures are cut or reduced to */
    int left, top, reduced; /* their position in the picture; `reduced` pixels squared became one */
};

struct golden_job {
    const struct golden_suite *suite;
    int threads;
    bool recording;               /* do not compare; golden_record follows */
    bool pictures;                /* make pictures for a report */
    struct golden_result *result; /* one for each case; golden_results_free */
};

/* Runs all cases, as many at a time as there are threads. False if no case could be run; a case's
 * failure is in its result. After a signal it removes its folders and ends the program. */
bool golden_run(struct golden_job *job, struct error *err);
void golden_results_free(struct golden_result *result, size_t count);

/* ---- recording (compare/golden_record.c) ---- */

/* If no case failed: writes the checksums into the suite, keeps pictures in `expected`, and removes
 * the pictures there whose old checksums the suite no longer names. Call it before the folders of
 * the run are removed. */
bool golden_record(const struct golden_job *job, struct error *err);

/* ---- the report (compare/golden_report.c) ---- */

bool golden_report_write(const struct golden_job *job, const char *path, struct error *err);

/* Fills RESULT's pictures from its path and EXPECTED, as compared by LIMITS; NAME begins the
 * names of temporaries. Large pictures are cut around the largest difference, or reduced, so that a
 * case takes at most 1.9 MB of the report. */
bool golden_pictures_make(struct golden_result *result, const char *expected,
                          const struct compare_limits *limits, const char *name, struct error *err);
void golden_pictures_free(struct golden_result *result);

/* ---- the folders that commands run in (compare/golden_folder.c) ---- */

/* Makes a new folder in TMPDIR with bin/stencilcli, a link to this program, and puts bin first in
 * PATH for all commands that start later. */
bool golden_scratch_make(char folder[PATH_MAX], struct error *err);

/* Makes FOLDER with copies of ONE's inputs under their names. */
bool golden_folder_make(const struct golden_suite *suite, const struct golden_case *one,
                        const char *folder, struct error *err);

/* Whether FOLDER has an entry that is neither an input nor the picture of ONE; STRAY gets its name.
 * Does not look into folders. */
bool golden_folder_stray(const struct golden_suite *suite, const struct golden_case *one,
                         const char *folder, char stray[NAME_MAX + 1]);

/* Removes FOLDER with everything in it. */
void golden_folder_remove(const char *folder);

/* golden_copy holds this lock while it has a file open for writing. A command started meanwhile
 * would inherit the open file for a moment: running it would fail with "Text file busy". */
extern pthread_mutex_t golden_copy_lock;

bool golden_copy(const char *from, const char *to, struct error *err);

#endif
