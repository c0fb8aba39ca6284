/* Which part of a batch this process does: --shard. The shard of a file depends on its name alone,
 * so files that appear or disappear between the starts of two shards do not move other files to
 * another shard. */
#ifndef STENCIL_BATCH_SHARD_H
#define STENCIL_BATCH_SHARD_H

#include "base/error.h"

struct shard {
    int index, count; /* 1..count */
    char why[256];    /* variables that `auto` used; empty: the shard was given */
};

/* TEXT is I/N, `auto` (index and count from the environment of Slurm, Kubernetes, AWS Batch, Open
 * MPI or PMI), or `auto/N` (only the index from there); NULL means 1/1. EXIT_USAGE. */
bool shard_choose(struct shard *shard, const char *text, struct error *err);

bool shard_has(const struct shard *shard, const char *name);

/* This process's rank on this machine, from these variables; -1: unknown. */
int shard_local_rank(void);

#endif
