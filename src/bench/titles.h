/* What stands above a bench's plots. */
#ifndef STENCIL_BENCH_TITLES_H
#define STENCIL_BENCH_TITLES_H

#include "bench/bench.h"

#define BENCH_TITLE_CHARS 320

/* "WHAT on NVIDIA H200 and AMD EPYC, 2 threads"; picture, mask and border; date, program and
 * drivers. */
void bench_title(char text[BENCH_TITLE_CHARS], const struct bench_report *report, const char *what);
void bench_subtitle(char text[BENCH_TITLE_CHARS], const struct bench_report *report);
void bench_second_line(char text[BENCH_TITLE_CHARS], const struct bench_report *report);

/* VALUE * 10^9 with its unit's prefix: "62.1 T", "4.2 G". */
void bench_giga_text(char *text, size_t bytes, double value);

/* The number of a kernel's look (bench/chart.h), the same in every plot. */
int bench_look(const struct kernel *kernel);

#endif
