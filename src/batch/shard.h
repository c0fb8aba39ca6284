/* Which part of a batch this process does: --shard. The shard of a file depends on its name
 * alone, so that files which appear or disappear between the starts of two shards move no
 * other file from one shard to the other. */
#ifndef STENCIL_BATCH_SHARD_H
#define STENCIL_BATCH_SHARD_H

#include "base/error.h"

struct shard {
    int index, count; /* 1..count */
    char why[256];    /* which variables `auto` used; empty: the shard was given */
};

/* TEXT is I/N, `auto` (index and count from the environment that Slurm, Kubernetes, AWS Batch, Open
 * MPI or PMI set), or `auto/N` (the index alone); NULL is 1/1. EXIT_USAGE. */
bool shard_choose(struct shard *shard, const char *text, struct error *err);

bool shard_has(const struct shard *shard, const char *name);

/* The rank among the processes of this machine, from the same environment; -1: unknown. */
int shard_local_rank(void);

#endif
