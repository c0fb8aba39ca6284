/* Private to src/try: the process that runs a student's kernel (child.c), and what it shares with
 * the program. */
#ifndef STENCIL_TRY_CHILD_H
#define STENCIL_TRY_CHILD_H

#include <sys/types.h>

#include "try/way.h"

/* Shared by both processes: the results of one run of the child. */
struct child_shared {
    volatile int at; /* the case that runs */
    volatile bool loaded;
    volatile enum try_end load_end; /* why the file could not be loaded */
    char sentence[200];
    size_t bytes;
    struct child_result {
        enum try_end end;
        char sentence[200];
        struct try_finding found[FAULT_COUNT];
        struct try_counts counts;
        size_t p_at, writer_at; /* bytes from the start of this block */
    } result[];
};

/* Loads LIBRARY and runs the cases from FIRST on. Does not return. */
void child_main(const struct try_setup *setup, const char *library, const struct try_case *cases,
                int first, int count, struct child_shared *shared) __attribute__((noreturn));

#endif
