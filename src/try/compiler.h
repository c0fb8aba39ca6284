/* Private to src/try: a compiler as a child process with limits, and the folder that it works in.
 */
#ifndef STENCIL_TRY_COMPILER_H
#define STENCIL_TRY_COMPILER_H

#include "try/file.h"
#include "try/process.h"

#define COMPILER_WORDS 48

struct compiler {
    const char *folder; /* it works there */
    int seconds;        /* of CPU time, at most */
    size_t memory;      /* bytes of addresses, at most. 0: no limit, and it may read all files */
    char words[1024], program[512], prefix[512]; /* prefix: the folder above the program's */
    const char *argv[COMPILER_WORDS];
    int argc;
    bool is_clang;
};

/* A header of the program, and its name in the folder. */
struct compiler_header {
    const char *stem, *name;
};

bool compiler_write(const char *folder, const char *name, const char *text, struct error *err);
bool compiler_headers(const char *folder, const struct compiler_header *header, int count,
                      struct error *err);

/* Finds the program of WORDS ("ccache g++") as a shell would. */
bool compiler_find(struct compiler *compiler, const char *words);

/* Runs the compiler with these further words; false if it fails. TEXT: what it printed, malloc'ed.
 */
bool compiler_run(struct compiler *compiler, const char *const *words, char **text,
                  enum process_end *end);

/* Makes the compiler's first error in the student's own lines an error. What it says of other files
 * is not repeated. Returns false. */
bool compiler_say_error(const struct try_file *file, const char *text, enum process_end end,
                        struct error *err);

#endif
