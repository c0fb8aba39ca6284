/* Which part of a batch this process does: --shard. A file belongs to the shard that its
 * name says and nothing else, so that files which come and go between the starts of
 * two shards move no other file from one to the other. */
#ifndef STENCIL_BATCH_SHARD_H
#define STENCIL_BATCH_SHARD_H

#include "base/error.h"

struct shard {
    int index, count; /* 1..count */
    char why[256];    /* what `auto` went by; empty: it was given */
};

/* TEXT is I/N, `auto` (index and count from the environment that Slurm, Kubernetes, AWS Batch, Open
 * MPI or PMI set), or `auto/N` (the index alone); NULL is 1/1. EXIT_USAGE. */
bool shard_choose(struct shard *shard, const char *text, struct error *err);

bool shard_has(const struct shard *shard, const char *name);

/* The rank among the processes of this machine, from the same environment; -1 where it says none.
 */
int shard_local_rank(void);

#endif
