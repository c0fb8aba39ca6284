/* A student's file (`stencilcli try FILE.cu`): what its kernel's signature, its constants and its
 * lines `// stencil: ...` say. Reads text only; nothing of the file runs here. */
#ifndef STENCIL_TRY_FILE_H
#define STENCIL_TRY_FILE_H

#include <stdbool.h>
#include <stdio.h>
#include <stdint.h>

#include "base/error.h"

/* The purpose of a parameter. */
enum try_role {
    ROLE_NONE,
    ROLE_N,          /* the input */
    ROLE_P,          /* the output */
    ROLE_M,          /* the mask */
    ROLE_MASK_WIDTH, /* cells of the mask along an axis */
    ROLE_WIDTH,
    ROLE_HEIGHT,
    ROLE_PITCH,    /* elements from one row to the next */
    ROLE_CHANNELS, /* samples of a pixel, side by side */
    ROLE_COUNT
};

/* The type of elements. */
enum try_type {
    TYPE_F32,
    TYPE_F64,
    TYPE_I8,
    TYPE_U8,
    TYPE_I16,
    TYPE_U16,
    TYPE_I32,
    TYPE_U32,
    TYPE_I64,
    TYPE_U64,
    TYPE_NONE
};
int try_type_bytes(enum try_type type);

enum try_border { TRY_ZERO, TRY_REPLICATE, TRY_MIRROR, TRY_REFLECT, TRY_WRAP, TRY_BORDERS };
extern const char *const try_border_name[TRY_BORDERS];

/* A word, a number, a text, or another character of the source. */
struct try_token {
    const char *at;
    int length, line;
};

#define TRY_NAME 64

struct try_parameter {
    char type[128]; /* without the name */
    char name[TRY_NAME];
    enum try_role role;
    bool pointer;
};

#define TRY_PARAMETERS 24

struct try_function {
    char name[TRY_NAME]; /* empty: there is none */
    int line, parameters;
    struct try_parameter parameter[TRY_PARAMETERS];
    char template_name[4][TRY_NAME]; /* of its template's parameters */
    int template_names;
};

#define TRY_CONSTANTS 128

struct try_file {
    const char *path;
    char *text;                          /* as it was read, and a zero byte */
    struct try_token *token, *directive; /* directives: lines that begin with # */
    int tokens, directives;
    struct {
        char name[TRY_NAME];
        long long value;
    } constant[TRY_CONSTANTS];
    int constants;

    struct try_function kernel, launch;
    char template_args[TRY_NAME]; /* of the kernel: "8", or empty */
    int dims;
    bool has[ROLE_COUNT];           /* which roles the kernel or its file has */
    enum try_type type[ROLE_M + 1]; /* of the elements of N, P and M */
    char mask_constant[TRY_NAME];   /* the array in constant memory that holds the mask */
    int mask_row;                   /* its cells in a row, if it has rows; 0: it has not */
    int mask_cells;                 /* how many it has; 0: unknown */
    int tile[2], block[2];          /* outputs and threads of a block along x and y */
    int limit_mask;                 /* the widest mask it takes, as it says; 0: it does not say */
    int most_mask;                  /* the battery has no wider masks; at most TRY_MOST_MASK */
    int only_mask;                  /* 0, or the only width of masks */
    bool odd_only;
    enum try_border border;
    int shared; /* bytes of dynamic shared memory */
};

/* The widest mask that is tried. A wider one would take minutes in software. */
#define TRY_MOST_MASK(dims) ((dims) == 1 ? 255 : 31)

/* What the compiler calls the file: names of files may hold quotes. */
#define TRY_SOURCE "kernel.cu"
#define TRY_LAUNCH "the launch" /* the lines behind it */

/* What the command line says about the file; 0: nothing. */
struct try_shape {
    int block[2], tile[2];
};

bool try_file_read(struct try_file *file, const char *path, const struct try_shape *shape,
                   struct error *err);
/* "N" or "WxH", as two numbers. */
bool try_sides_read(const char *text, int side[2]);
void try_file_free(struct try_file *file);

/* The value of a constant of the file; -1: it has no such constant. */
long long try_file_constant(const struct try_file *file, const char *name);

/* ---- tokens (tokens.c), for the readers of the file ---- */

bool try_tokens_make(struct try_file *file, struct error *err);
bool try_token_is(const struct try_token *token, const char *word);
/* The token that closes the bracket at token AT; the number of tokens if none does. */
int try_token_close(const struct try_file *file, int at);
/* The value of the expression of tokens [FROM, TO); false if it has none. */
bool try_value(const struct try_file *file, int from, int to, long long *value);

/* The file as C++ for the software GPU, with the function try_call at its end, malloc'ed
 * (translate.c). NULL with ERR: it holds what cannot be translated. */
char *try_translate(const struct try_file *file, struct error *err);
/* The file for nvcc, with try_call and a main function (cuda/try_gpu_main.h). Its includes and
 * assembler have been checked by try_translate. */
char *try_translate_gpu(const struct try_file *file, struct error *err);

#endif
