/* Filters a folder of pictures, or several files into a folder. Each file goes through
 * picture_filter, as a single picture does, so its output has the same bytes.
 *
 *   files in their order -> memory and cores free? -> decode, filter, encode -> manifest
 *                           small: one core each, side by side
 *                           large, or the last ones: all free cores
 *
 * The stages of different files overlap. The memory of the files in flight is limited
 * (batch/memory.c), not their number; a file that needs more memory runs alone. A file that fails
 * is reported and counted, and the other files continue. */
#ifndef STENCIL_BATCH_BATCH_H
#define STENCIL_BATCH_BATCH_H

#include "batch/shard.h"
#include "codec/folder.h"
#include "run/picture.h"

/* ---- the files (batch/list.c) ----
 *
 * The pictures below INPUT or a list of names, in a fixed order, and the name of each output below
 * OUTPUT. Names are bytes: blanks, newlines and bytes that are no UTF-8 are kept. This code opens
 * folders and the list, but no pictures.
 *
 * Instead of INPUT there may be FILES, as for cp: their outputs have their last names. */

struct batch_tree {
    const char *input, *output; /* folders */
    const char *const *files;   /* instead of `input`; NULL: none */
    int file_count;
    struct folder_filter filter;
    const char *files_from; /* names, one a line; "-": stdin; NULL: all wanted files */
    bool null_ended;        /* each name ends with a zero byte instead */
    const char *extension;  /* of the outputs, without the dot; NULL: as the input's */
};

struct batch_item {
    char *name;    /* below INPUT; or the path of one of FILES */
    char *output;  /* below OUTPUT */
    char *trouble; /* why the file cannot be filtered, without its name; NULL: no reason known */
    bool passed;   /* passed over: no picture by its name */
};

struct batch_list {
    struct batch_item *item; /* in C-locale order of names, or in the order of FILES; each once */
    size_t count;
    const struct batch_tree *tree;
    struct folder_rest rest;
    char *input_real;        /* INPUT without symlinks; NULL for FILES */
    struct path_set sources; /* INPUT and the folders of the files below it; or all FILES. While a
                                batch runs, also the mask and the list of names */
};

/* Refuses (EXIT_USAGE) outputs that would be inputs, and one output for two inputs; among FILES,
 * such a file gets a `trouble` instead. Inputs are compared by device and inode. Free the list even
 * after a failure. */
bool batch_list_make(struct batch_list *list, const struct batch_tree *tree, struct error *err);
void batch_list_free(struct batch_list *list);

/* The paths of a file; malloc'ed, NULL without memory. */
char *batch_input_path(const struct batch_tree *tree, const struct batch_item *item);
char *batch_output_path(const struct batch_tree *tree, const struct batch_item *item);

/* Makes OUTPUT and the folders below it that the first COUNT files need, and removes temporaries of
 * dead runs from them. If a folder cannot be made, its files get a `trouble`; for OUTPUT itself it
 * is an error. */
bool batch_folders_make(struct batch_list *list, size_t count, struct error *err);

/* ---- the batch ---- */

enum batch_status {
    BATCH_DONE,
    BATCH_SKIPPED, /* done already, says the manifest */
    BATCH_FAILED,
    BATCH_PLANNED, /* would be filtered */
    BATCH_PASSED,  /* no picture by its name; reported after the others */
    BATCH_LEFT,    /* not started, or lost: another file's failure ended the batch. Not reported */
};

struct batch_result {
    enum batch_status status;
    char *input, *output; /* paths */
    uint64_t input_bytes, output_bytes;
    struct picture_report report; /* BATCH_DONE */
    struct error err;             /* BATCH_FAILED */
};

struct batch_counts {
    size_t files, done, skipped, failed, planned; /* files: this shard's */
    size_t others;                                /* files of other shards */
    size_t links_outside, loops;                  /* symlinks that were not followed */
    struct folder_kinds passed;                   /* this shard's files that are no pictures */
    size_t with_warnings, clipped;
    uint64_t pixels, input_bytes, output_bytes; /* of the files done */
    double seconds;
    double decode_ms, filter_ms, encode_ms; /* work, summed over all files */
    double transfer_ms, kernel_ms;          /* parts of filter_ms, on a GPU */
    int threads;
    bool stopped; /* too many failures, or the device is missing */
};

struct batch_job {
    const struct picture_request *request;
    struct batch_tree tree;
    struct shard shard;
    int threads;       /* at least 1 */
    uint64_t memory;   /* bytes that files in flight may take; 0: batch_memory_budget */
    int max_failures;  /* 0: no limit */
    bool force;        /* filter also files that the manifest lists as done */
    bool plan;         /* filter and write nothing */
    const int *device; /* numbers of GPUs that files take in turn */
    int devices;       /* 0: use the request's device */
    /* Reports one file at a time, in the order of the list; last, the files passed over. */
    void (*told)(void *context, const struct batch_result *result);
    /* Called after every file, and four times a second; never at the same time as told. */
    void (*counted)(void *context, const struct batch_counts *counts);
    void *context;
};

/* False with ERR if the batch could not start, there is no picture, the manifest could not be
 * written, or the device is missing; failures of files are only counted. A difference found by
 * --verify does not stop the batch. The request's filter must be loaded. */
bool batch_run(const struct batch_job *job, struct batch_counts *counts, struct error *err);

/* Everything that decides an output's bytes, except the input, as text; malloc'ed, NULL with err
 * (batch/recipe.c). The text ends with the FOLDER of inputs, because files in two folders may have
 * equal names, sizes and times. */
char *batch_recipe(const struct picture_request *request, const char *folder, struct error *err);

/* ---- memory (batch/memory.c) ----
 *
 * The memory limit of the files in flight, and an upper bound for one file. */

struct batch_cost {
    uint64_t bytes;  /* an upper bound: whole input, whole output and the file itself */
    uint64_t pixels; /* 0 if the header does not tell; the decoder will report why */
};

/* The cost of the picture at PATH, which is open as FD and has FILE_BYTES bytes. Read from the
 * picture's header; not every format's header is checked. */
struct batch_cost batch_cost_of(const char *path, int fd, uint64_t file_bytes);

/* Half of the memory that this process may have. */
uint64_t batch_memory_budget(void);

/* ---- the lines that are printed about a batch (batch/progress.c) ---- */

#define BATCH_LINE_CHARS 256

/* "314/1000  31 %  52.1 files/s  98 MB/s  2 failed  13 s left" */
void batch_progress_line(char text[BATCH_LINE_CHARS], const struct batch_counts *counts);

/* "1000 files: 980 done, 20 failed; 980.0 megapixels in 18.8 s, 52.1 files/s, 98 MB/s" */
void batch_summary_line(char text[BATCH_LINE_CHARS], const struct batch_counts *counts);

/* "decode 41 %, filter 12 %, encode 47 % of 36.9 s of work on 2 threads"; on a GPU, transfer and
 * kernel replace filter. Empty if nothing was done. */
void batch_work_line(char text[BATCH_LINE_CHARS], const struct batch_counts *counts);

#endif
