/* Cases in, results out: how a student's kernel runs on the software GPU (way_soft.c). The file is
 * compiled once, and then runs cases. gpu.h: how a right kernel runs on a GPU, too. */
#ifndef STENCIL_TRY_WAY_H
#define STENCIL_TRY_WAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdint.h>

#include "try/file.h"

enum try_order { ORDER_FORWARD, ORDER_BACKWARD, ORDER_RANDOM }; /* of a block's threads */

/* A picture and a mask. The samples of a pixel lie side by side. */
struct try_case {
    char name[80];
    int width, height, channels;
    int pitch;                 /* elements from one row to the next, at least width * channels */
    int mask_width, mask_rows; /* mask_rows: 1 in 1D */
    int32_t *n, *m;            /* height * width * channels, and the mask's numbers; owned */
    enum try_order order;
    unsigned seed;
    bool count; /* count loads and stores, too */
    bool hidden;
};

/* What the probes of a way find. */
enum try_fault {
    FAULT_LOAD,     /* a load outside N */
    FAULT_PADDING,  /* a load from the padding of a row of N */
    FAULT_STORE,    /* a store outside P, or into its padding, or into N */
    FAULT_MASK,     /* a load outside M */
    FAULT_OTHER,    /* an access outside an array that the file allocated */
    FAULT_SHARED,   /* an access outside a shared array */
    FAULT_RACE,     /* two threads use a shared cell without a barrier between them */
    FAULT_OVERLAP,  /* two threads store different numbers into a shared cell, with no barrier
                     * between */
    FAULT_DIVERGES, /* threads wait at different barriers, or some do not come */
    FAULT_LEFT,     /* a thread that never worked has ended before a barrier: only a note */
    FAULT_UNSET,    /* a load of a shared cell that no thread of the block has written */
    FAULT_RACE_P,   /* threads store different numbers into a cell of P */
    FAULT_INDEX,    /* an index past the end of its dimension of an array */
    FAULT_OLD_P,    /* a load of a cell of P that nobody has written */
    FAULT_COUNT
};

struct try_place {
    int block[2], thread[2];
    long long cell;       /* element counted from the array's start; may be negative */
    int other[2];         /* FAULT_RACE, FAULT_RACE_P: the other thread; of barriers too */
    int line, other_line; /* of barriers */
    bool store;
    char array[24];
};

struct try_finding {
    long long count;
    struct try_place first;
};

/* Who wrote a cell of P last. */
struct try_writer {
    int block;            /* counted along x, then y; -1: nobody */
    int row;              /* blocks along x */
    short thread, writes; /* in the block; how often the cell was written */
    int turn;             /* stores to P before it */
};

/* Of the whole launch; transactions of 32 bytes are counted by warps. */
struct try_counts {
    long long outputs, global_loads, n_loads, global_stores, constant_loads, transactions,
        shared_loads, shared_stores, conflicts, divergences, barriers, blocks, threads;
};

enum try_end {
    END_NOT_RUN,
    END_DONE,    /* the kernel ended */
    END_STOPPED, /* it was stopped, and `sentence` says why; P is what it was then */
    END_REFUSED, /* as STOPPED, and for a reason that is no wrong result: a wish for a file, ... */
};

struct try_result {
    enum try_end end;
    char sentence[200];
    struct try_finding found[FAULT_COUNT];
    struct try_counts counts;
    double *p;                 /* height * pitch elements as they were at the end */
    struct try_writer *writer; /* of each */
};

struct try_limits {
    /* CPU time of one case, and more for many products; by the clock four times as long. */
    double seconds;
};

/* The settings of a run. */
struct try_setup {
    const struct try_file *file;
    const char *scratch; /* a folder that will be removed */
    int gpu;             /* the number of the GPU, for gpu.h */
    const char *program; /* the main program, whose bench times our own kernels; NULL: none */
    struct try_limits limits;
    /* Variables that were never set begin as zeros, not as rubbish. */
    bool zero_variables;
};

/* Compiles the file. False with ERR: it does not compile, or (EXIT_DEVICE) there is no compiler. */
bool try_soft_compile(const struct try_setup *setup, void **made, struct error *err);
/* Runs the cases. False with ERR only if the machine fails. PRINTED gets what the file printed. */
bool try_soft_run(void *made, const struct try_case *cases, int count, struct try_result *results,
                  FILE *printed, struct error *err);
void try_soft_free(void *made);

/* Element I of an array of elements of TYPE (elements.c). */
void try_element_put(void *at, enum try_type type, long long i, double value);
double try_element_get(const void *at, enum try_type type, long long i);

/* How many weights a right kernel multiplies with samples. In software a product takes about 1 us.
 */
double try_case_products(const struct try_case *it);
#define TRY_PRODUCT_SECONDS 5e-6 /* that a case may take */

void try_case_free(struct try_case *it);
void try_result_free(struct try_result *result);

#endif
