/* Private to src/try: the whole of a run, and how it is printed (print.c, html.c). */
#ifndef STENCIL_TRY_PRINT_H
#define STENCIL_TRY_PRINT_H

#include "try/gpu.h"
#include "try/judge.h"

struct try_report {
    const char *path;          /* of the file, as the user wrote it */
    const struct error *error; /* why there is no verdict; NULL: there is one */
    struct try_file file;
    struct try_battery battery;
    struct try_result *results;
    struct try_trial trial;
    struct try_verdict verdict;
    struct try_gpu gpu; /* for --device cuda, if the kernel is right on the software GPU */
    bool compiles;
    char *printed; /* what the student's file printed */
    size_t printed_bytes;
    double seconds;
};

/* Prints the verdict, or (with JSON only) the error if there is none, and returns the exit code.
 * JUNIT, HTML: files, or NULL. TROUBLE: why they could not be written. */
int try_print(const struct try_report *report, bool json, const char *junit, const char *html,
              struct error *trouble);

/* For print.c and html.c: the case on which loads and stores were counted, of a right kernel; -1:
 * none. */
int try_counted_case(const struct try_report *report);
/* Whether the case that the verdict is about has a wrong cell that may be shown. */
bool try_shows_cell(const struct try_report *report);
/* "right", "wrong" or "stopped". */
const char *try_verdict_word(const struct try_report *report);

/* Writes the report as one page (html.c). */
bool try_html_write(const struct try_report *report, const char *path, struct error *err);

#endif
