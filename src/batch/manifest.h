/* The list of files that a batch has finished, so that the next run goes on where a killed
 * run ended: JSON lines in the folder of outputs, which are only appended.
 *
 *   {"recipe":"0123456789abcdef","text":"version 0.1.0\nfilter blur\n..."}
 *   {"output":"a.png","bytes":9,"mtime_ns":2,"input":"a.png","input_bytes":8,
 *    "input_mtime_ns":1,"recipe":"0123456789abcdef"}           (in one line)
 *
 * A line is one write(2) to the end under flock(2), so that runs at once leave whole lines.
 * A kill tears at most one line; the next writer ends it, and readers ignore it. A line is
 * valid as long as input, output and recipe are as it says. Each shard writes a file of its
 * own, because appending is not atomic over NFS; all files are read. */
#ifndef STENCIL_BATCH_MANIFEST_H
#define STENCIL_BATCH_MANIFEST_H

#include <stdint.h>
#include <sys/stat.h>

#include "batch/shard.h"

struct manifest;

/* Reads what FOLDER has. RECIPE is everything that decides the outputs' bytes, as text. SHARD says
 * which file is written; NULL, for --plan: none, and FOLDER need not exist. SYNC: each line waits
 * until it is on the disk. Close the manifest also on failure. */
bool manifest_open(struct manifest **manifest, const char *folder, const struct shard *shard,
                   const char *recipe, bool sync, struct error *err);

/* Whether OUTPUT (a name below the folder) with status NOW was made of INPUT with status IN by this
 * recipe. Safe from several threads. */
bool manifest_has(struct manifest *manifest, const char *output, const struct stat *now,
                  const char *input, const struct stat *in);

/* Notes that OUTPUT was made of INPUT by this recipe. Safe from several threads. */
bool manifest_add(struct manifest *manifest, const char *output, const struct stat *now,
                  const char *input, const struct stat *in, struct error *err);

void manifest_close(struct manifest *manifest); /* NULL is harmless */

#endif
