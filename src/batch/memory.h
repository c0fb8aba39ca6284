/* How much memory files in flight may take, and how much one file takes at most. */
#ifndef STENCIL_BATCH_MEMORY_H
#define STENCIL_BATCH_MEMORY_H

#include <stdint.h>

struct batch_cost {
    uint64_t bytes;  /* an upper bound: input, output and the file itself, all whole */
    uint64_t pixels; /* 0 where the header does not tell; the decoder will say why */
};

/* Of the picture at PATH, opened as FD, a file of FILE_BYTES: from its header, which is not always
 * checked. */
struct batch_cost batch_cost_of(const char *path, int fd, uint64_t file_bytes);

/* Half of the least of: free memory, the limit of the cgroup, `ulimit -v`. At least 64 MiB. */
uint64_t batch_memory_budget(void);

/* As many of WORKERS as `ulimit -v` has room for, at least one. With such a limit all threads that
 * start later allocate from one heap. */
int batch_memory_workers(int workers);

#endif
