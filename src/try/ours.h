/* Private to src/try: the times of our own 2D kernels on the GPU, measured by the main program's
 * `bench` right after the student's kernel: same picture size, same mask. */
#ifndef STENCIL_TRY_OURS_H
#define STENCIL_TRY_OURS_H

#include "try/way.h"

#define OURS_MOST 4

struct try_ours {
    int count;
    struct {
        char name[16];
        double ms, copies; /* copies: of the bytes that it reads and writes */
    } row[OURS_MOST];
    char why[200]; /* if there are none */
};

/* PROGRAM: the main program. DEVICE: as --device names it. */
void try_ours_time(const char *program, const char *device, const struct try_case *it,
                   struct try_ours *ours);

#endif
