/* The list of files that a batch has finished, so that the next run continues where a killed run
 * ended: JSON lines in the output folder, which are only appended.
 *
 *   {"recipe":"0123456789abcdef","text":"version 0.1.0\nfilter blur\n..."}
 *   {"output":"a.png","bytes":9,"mtime_ns":2,"input":"a.png","input_bytes":8,
 *    "input_mtime_ns":1,"recipe":"0123456789abcdef"}           (in one line)
 *
 * A line is one write(2) to the end under flock(2), so that concurrent runs write whole lines. A
 * kill leaves at most one partial line; the next writer ends it, and readers ignore it. A line is
 * valid while input, output and recipe match it. Each shard writes its own file, because appending
 * is not atomic over NFS; all files are read. */
#ifndef STENCIL_BATCH_MANIFEST_H
#define STENCIL_BATCH_MANIFEST_H

#include <stdint.h>
#include <sys/stat.h>

#include "batch/shard.h"

struct manifest;

/* Reads all manifests in FOLDER. RECIPE is everything that decides the outputs' bytes, as text.
 * SHARD selects the file to write; NULL, for --plan: no file is written, and FOLDER need not exist.
 * SYNC: each line waits until it is on the disk. Close the manifest even after a failure. */
bool manifest_open(struct manifest **manifest, const char *folder, const struct shard *shard,
                   const char *recipe, bool sync, struct error *err);

/* Whether OUTPUT (a name relative to the folder) with status NOW was made from INPUT with status IN
 * and this recipe. Thread-safe. */
bool manifest_has(struct manifest *manifest, const char *output, const struct stat *now,
                  const char *input, const struct stat *in);

/* Records that OUTPUT was made from INPUT with this recipe. Thread-safe. */
bool manifest_add(struct manifest *manifest, const char *output, const struct stat *now,
                  const char *input, const struct stat *in, struct error *err);

void manifest_close(struct manifest *manifest); /* NULL is harmless */

#endif
