/* Private to src/try: child processes with a limit on time, what they print, and the scratch
 * folder. A signal that ends the program ends the child first, and the folder is removed. */
#ifndef STENCIL_TRY_PROCESS_H
#define STENCIL_TRY_PROCESS_H

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"

enum process_end { PROCESS_ENDED, PROCESS_TOO_LONG, PROCESS_INTERRUPTED, PROCESS_FAILED };

struct process {
    void (*run)(void *context); /* in the child; its standard output and error are captured */
    void *context;
    /* Asked again and again: whether the child takes too long. SECONDS since the last change. */
    bool (*too_long)(void *context, double seconds);
    FILE *printed; /* gets what it prints, at most MOST bytes; NULL: nobody wants it */
    size_t most;
    int status; /* as waitpid gives it */
};

enum process_end process_run(struct process *process);
/* CPU time of the child that runs, for too_long: on a busy machine a child waits for its turn. */
double process_cpu_seconds(void);

/* A signal asked the program to end: its number; 0: none did. */
int process_signal(void);
void process_install(void);

/* Makes a folder for this run; false with ERR. process_folder_remove takes it away with all that
 * is in it. */
bool process_folder_make(char *path, size_t room, struct error *err);
void process_folder_remove(const char *path);

#endif
