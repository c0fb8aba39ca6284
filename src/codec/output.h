/* Output files that appear only whole. Bytes go to a temporary file in the
 * target's folder; commit checks every write and the close, then renames. A
 * failed or killed run leaves nothing behind and the old file untouched.
 *
 * "-" is stdout. An existing target that is no regular file (device, pipe) is
 * opened and written directly; a symlink's target is replaced, not the link;
 * the mode bits of an existing file are kept (else 0666 & ~umask). */
#ifndef STENCIL_CODEC_OUTPUT_H
#define STENCIL_CODEC_OUTPUT_H

#include <stdint.h>
#include <sys/stat.h>

#include "base/error.h"

struct output;

bool output_open(struct output **output, const char *path, struct error *err);

/* Says how many bytes will be written in all, where that is known beforehand: a disk without
 * room for them is found before the work is done (and the room kept, but for disks in memory). */
bool output_expect(struct output *output, uint64_t bytes, struct error *err);

/* SYNC: commit also waits until the file and its name are on the disk (--fsync). WRITTEN, which may
 * be NULL, gets the status of the file just before it gets its name: another program that replaces
 * it a moment later changes nothing. Only where a file is made or replaced. Its time is exact to
 * the nanosecond, not to the kernel's tick, which files of two runs may share. */
void output_watch(struct output *output, bool sync, struct stat *written);

bool output_write(struct output *output, const void *data, size_t bytes, struct error *err);
/* Frees the output also when it fails. */
bool output_commit(struct output *output, struct error *err);
void output_discard(struct output *output); /* NULL is harmless */
/* Commits if GOOD, else discards. True if it was committed. */
bool output_end(struct output *output, bool good, struct error *err);

/* Writes a whole file. */
bool output_whole(const char *path, const void *data, size_t bytes, struct error *err);

/* The name for sentences: the path, or "standard output". */
const char *output_name(const struct output *output);

/* True for a name that output_open could have made for a temporary. */
bool temporary_is_name(const char *name);

/* Removes the temporaries in FOLDER that killed runs have left; returns how many. What cannot be
 * opened or locked stays. */
int temporary_remove_stale(const char *folder);

/* SIGINT, SIGTERM, SIGHUP: remove every open temporary, then die of the same signal
 * (the shell sees 128+n). SIGPIPE is ignored: writes report it. Called once by main. */
void output_install_signal_handlers(void);

#endif
