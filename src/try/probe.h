/* Private to src/try: the probes of the software way, which run in the child process. The compiler
 * puts a call before every access to memory (-fsanitize=thread, without its library); the calls
 * arrive in probe.c, which knows every array by its address. */
#ifndef STENCIL_TRY_PROBE_H
#define STENCIL_TRY_PROBE_H

#include "try/way.h"

/* ---- arrays (arrays.c): each lies in slots of its own, with guards around it ---- */

enum try_array_kind { ARRAY_NONE, ARRAY_N, ARRAY_P, ARRAY_M, ARRAY_SHARED, ARRAY_OTHER };

#define SLOT_BYTES  ((size_t)1 << 20)
#define GUARD_BYTES ((size_t)64 << 10)

/* What is known of a cell of shared memory: who used it since which barrier. */
struct shared_cell {
    unsigned write_turn, read_turn, block; /* turn: counts barriers; block: counts blocks */
    short writer, reader;                  /* reader: -2 for several */
    short reader_warp;                     /* -2 for several */
    unsigned warp_turn;                    /* of the writer's warp when it wrote */
    unsigned read_warp_turn;
};

struct try_array {
    enum try_array_kind kind;
    unsigned char *begin;
    size_t bytes;
    int element;
    char name[24];
    struct shared_cell *cells; /* ARRAY_SHARED: of each unit of memory */
    int unit;                  /* bytes of a unit */
    size_t room;               /* bytes that fit into its slots */
    bool idle;                 /* ARRAY_OTHER: of a case that has ended */
};

bool arrays_make(void); /* the room for all arrays */
/* A new array; NULL: no room. */
struct try_array *array_add(enum try_array_kind kind, const char *name, size_t bytes, int element);
struct try_array *array_named(const char *name);          /* NULL: none */
void arrays_end_case(void);                               /* gives back what the file allocated */
void array_resize(struct try_array *array, size_t bytes); /* within its slots */
/* The array in or beside which the address lies; NULL: in none. */
struct try_array *array_at(uintptr_t address);
void array_fill(struct try_array *array, int byte); /* with its guards' next part */
void arrays_shared_rubbish(int byte);               /* fills all shared arrays */
size_t arrays_shared_bytes(void);

/* ---- a case (probe.c) ---- */

struct probe_state {
    const struct try_case *it;
    struct try_array *n, *p, *m;
    int dims, mask_row;        /* mask_row: of a mask in constant memory; 0: packed */
    struct try_finding *found; /* FAULT_COUNT */
    struct try_counts *counts; /* NULL: not counted */
    struct try_writer *writer; /* of each element of P */
    bool watching;             /* a kernel runs */
    unsigned turn, block;      /* barriers so far, blocks so far */
    unsigned warp_turn[32];
    int stores;
};
extern struct probe_state probe;

void probe_begin(const struct try_case *it, struct try_finding *found, struct try_counts *counts,
                 struct try_writer *writer);
void probe_settle(void); /* what the last store did is known when this is called */
/* Notes a fault at the running thread. ARRAY may be NULL. */
struct try_place *probe_note(enum try_fault fault, const struct try_array *array, long long cell);

/* ---- counts (counts.c) ---- */

void counts_access(uintptr_t address, int bytes, const void *code, bool shared);
void counts_step(const void *code); /* the thread begins a piece of code without branches */
void counts_block_ends(void);

/* ---- the grid (grid.c) ---- */

void grid_begin(enum try_order order, unsigned seed);
/* Ends the case with a sentence; from a thread of a kernel it does not return. */
void grid_stop(enum try_end end, const char *format, ...) __attribute__((format(printf, 2, 3)));
extern enum try_end grid_end;
extern char grid_sentence[200];
long long grid_block(void); /* the number of the running block */

#endif
