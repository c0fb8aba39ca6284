/* Output files that appear only whole. Bytes go to a temporary file in the target's folder; commit
 * checks every write and the close, then renames. A failed or killed run leaves no partial file and
 * does not touch the old file.
 *
 * "-" is stdout. An existing target that is not a regular file (device, pipe) is opened and written
 * directly; a symlink's target is replaced, not the link; the owner, mode bits, ACL and
 * extended attributes of an existing file are kept (a new file has the mode 0666 & ~umask). */
#ifndef STENCIL_CODEC_OUTPUT_H
#define STENCIL_CODEC_OUTPUT_H

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/error.h"

struct output;

bool output_open(struct output **output, const char *path, struct error *err);

/* Announces the total number of bytes, if known beforehand: a full disk is then detected before the
 * work is done, and the space is reserved (except on tmpfs). */
bool output_expect(struct output *output, uint64_t bytes, struct error *err);

/* SYNC: commit also waits until the file and its name are on the disk (--fsync). WRITTEN, which may
 * be NULL, gets the file's status just before the rename, so a program that replaces the file later
 * does not matter. Only for files that are made or replaced. The file's time is exact to the
 * nanosecond; the kernel's tick would be too coarse to tell the files of two runs apart. */
void output_watch(struct output *output, bool sync, struct stat *written);

bool output_write(struct output *output, const void *data, size_t bytes, struct error *err);
/* Passes on what is buffered, if someone may wait for it at the other end of a pipe. */
bool output_end_page(struct output *output, struct error *err);
/* Whether bytes that were written can be replaced: true for files, not for pipes and devices. */
bool output_can_replace(const struct output *output);
bool output_replace(struct output *output, uint64_t place, const void *data, size_t bytes,
                    struct error *err);
/* Always frees the output, even on failure. */
bool output_commit(struct output *output, struct error *err);
void output_discard(struct output *output); /* NULL is harmless */
/* Commits if GOOD, else discards. True if it was committed. */
bool output_end(struct output *output, bool good, struct error *err);

/* Writes a whole file. */
bool output_whole(const char *path, const void *data, size_t bytes, struct error *err);

/* Writes a whole file of what PUT prints. */
bool output_page(const char *path, void (*put)(FILE *out, const void *context), const void *context,
                 struct error *err);

/* The file that an output at PATH would replace: PATH with the symlinks of its last component
 * followed, even if the target does not exist. Malloc'ed; NULL with errno set. */
char *output_target(const char *path);

/* N for /dev/stdout, /dev/stderr, /dev/fd/N and /proc/self/fd/N, else -1. These paths name the
 * process's own open files, which are written directly. */
int output_own_descriptor(const char *path);

/* If an output will be written to PATH, which may be NULL, and that is standard output, all text of
 * this process goes to standard error from now on, also JSON. */
void output_text_aside(const char *path);

/* Refuses (EXIT_USAGE) to replace a file with a report, unless it is a report of this program. */
bool output_check_report(const char *path, struct error *err);

/* The name for error messages: the path, or "standard output". */
const char *output_name(const struct output *output);

/* True if NAME has the form of a temporary's name. */
bool temporary_is_name(const char *name);

/* Removes temporaries of killed runs from FOLDER; returns how many. A file that cannot be opened or
 * locked stays. */
int temporary_remove_stale(const char *folder);

/* On a signal that ends a process: removes every open temporary, then dies of the same signal (the
 * shell sees 128+n). SIGPIPE is ignored, since writes report EPIPE. Called once by main. */
void output_install_signal_handlers(void);

/* Removes every open temporary, for a program that ends at once. */
void output_remove_temporaries(void);

/* The signals that are handled so, without faults of the program itself (SIGSEGV and its kin). */
sigset_t output_deadly_signals(void);

#endif
