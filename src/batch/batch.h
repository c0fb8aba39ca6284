/* Filters a folder of pictures. Each file goes through picture_filter as a single picture
 * does, so that its output has the same bytes.
 *
 *   files in their order -> memory and cores free? -> decode, filter, encode -> manifest
 *                           small: one core each, side by side
 *                           large, or the last ones: all free cores
 *
 * The stages of different files overlap. The memory of the files in flight is bounded
 * (batch/memory.c), not their number; a file that needs more runs alone. A file that
 * fails is reported and counted, and the other files go on. */
#ifndef STENCIL_BATCH_BATCH_H
#define STENCIL_BATCH_BATCH_H

#include "batch/shard.h"
#include "codec/folder.h"
#include "run/picture.h"

/* ---- the files (batch/list.c) ----
 *
 * The pictures below INPUT or a list of names, in a fixed order, and the name of each output below
 * OUTPUT. Names are bytes: blanks, newlines and bytes that are no UTF-8 are kept. Only folders and
 * the list are opened here, no pictures. */

struct batch_tree {
    const char *input, *output; /* folders */
    struct folder_filter filter;
    const char *files_from; /* names, one a line; "-": stdin; NULL: all wanted files */
    bool null_ended;        /* ... each ended by a zero byte */
    const char *extension;  /* of the outputs, without the dot; NULL: as the input's */
};

struct batch_item {
    char *name;    /* below INPUT */
    char *output;  /* below OUTPUT */
    char *trouble; /* why it cannot be done, without the name; NULL: nothing is known */
};

struct batch_list {
    struct batch_item *item; /* in C-locale order of names, each once */
    size_t count;
    const struct batch_tree *tree;
    struct folder_rest rest; /* of the walk; of a list of names nothing is counted */
    char *input_real;        /* INPUT without symlinks */
};

/* Refused (EXIT_USAGE): outputs that would be inputs, and one output for two inputs. Free also when
 * it fails. */
bool batch_list_make(struct batch_list *list, const struct batch_tree *tree, struct error *err);
void batch_list_free(struct batch_list *list);

/* Makes OUTPUT and the folders below it that the first COUNT files need, and removes temporaries of
 * dead runs in them. The files of a folder that cannot be made get a trouble; for OUTPUT itself
 * this is an error. */
bool batch_folders_make(struct batch_list *list, size_t count, struct error *err);

/* ---- the batch ---- */

enum batch_status {
    BATCH_DONE,
    BATCH_SKIPPED, /* the manifest says that it is done */
    BATCH_FAILED,
    BATCH_PLANNED, /* it would be filtered */
    BATCH_LEFT,    /* not begun, or in vain: another file's failure ended the batch. Not reported */
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
    size_t links_outside;                         /* symlinks that were not followed */
    size_t with_warnings;
    uint64_t pixels, input_bytes, output_bytes; /* of those done */
    double seconds;
    double decode_ms, filter_ms, encode_ms; /* work, added up over files */
    double transfer_ms, kernel_ms;          /* of filter_ms; on a GPU */
    int threads;
    bool stopped; /* too many failures, or the device is not there */
};

struct batch_job {
    const struct picture_request *request;
    struct batch_tree tree;
    struct shard shard;
    int threads;       /* at least 1 */
    uint64_t memory;   /* bytes that files in flight may take; 0: batch_memory_budget */
    int max_failures;  /* 0: no limit */
    bool force;        /* also files that the manifest says are done */
    bool plan;         /* nothing is filtered or written */
    const int *device; /* numbers of GPUs, which files take in turn */
    int devices;       /* 0: the request's */
    /* Reports one file at a time, in the order of the list. */
    void (*told)(void *context, const struct batch_result *result);
    /* Called after every file, and four times a second; never at the same time as told. */
    void (*counted)(void *context, const struct batch_counts *counts);
    void *context;
};

/* False with ERR when nothing could be begun, the manifest could not be written, or the device is
 * not there; failures of files are only counted. A difference that --verify found does not stop the
 * batch. The request's filter is loaded. */
bool batch_run(const struct batch_job *job, struct batch_counts *counts, struct error *err);

/* Everything besides the input that decides an output's bytes, as text; malloc'ed, NULL with err
 * (batch/recipe.c). It ends with the FOLDER of inputs, because files of two folders may have names,
 * sizes and times in common. */
char *batch_recipe(const struct picture_request *request, const char *folder, struct error *err);

/* ---- memory (batch/memory.c) ----
 *
 * How much memory files in flight may take, and how much one file takes at most. */

struct batch_cost {
    uint64_t bytes;  /* an upper bound: input, output and the file itself, all whole */
    uint64_t pixels; /* 0 where the header does not tell; the decoder will say why */
};

/* The cost of the picture at PATH, which is opened as FD and has FILE_BYTES bytes. It is read from
 * the picture's header; not every format's header is checked for truth. */
struct batch_cost batch_cost_of(const char *path, int fd, uint64_t file_bytes);

/* Half of the least of: free memory, the limit of the cgroup, `ulimit -v`. At least 64 MiB. */
uint64_t batch_memory_budget(void);

/* As many of WORKERS as `ulimit -v` has room for, at least one. With such a limit all threads that
 * start later allocate from one heap. */
int batch_memory_workers(int workers);

/* ---- the lines that are printed about a batch (batch/progress.c) ---- */

#define BATCH_LINE_CHARS 256

/* "314/1000  31 %  52.1 files/s  98 MB/s  2 failed  13 s left" */
void batch_progress_line(char text[BATCH_LINE_CHARS], const struct batch_counts *counts);

/* "1000 files: 980 done, 20 failed; 980.0 megapixels in 18.8 s, 52.1 files/s, 98 MB/s" */
void batch_summary_line(char text[BATCH_LINE_CHARS], const struct batch_counts *counts);

/* "decode 41 %, filter 12 %, encode 47 % of 36.9 s of work on 2 threads"; with a GPU transfer
 * and kernel in the place of filter. Empty where nothing was done. */
void batch_work_line(char text[BATCH_LINE_CHARS], const struct batch_counts *counts);

#endif
