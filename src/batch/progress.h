/* What is said about a batch while it runs and when it ends, as text. */
#ifndef STENCIL_BATCH_PROGRESS_H
#define STENCIL_BATCH_PROGRESS_H

#include "batch/batch.h"

#define BATCH_LINE_CHARS 256

/* "314/1000  31 %  52.1 files/s  98 MB/s  2 failed  13 s left" */
void batch_progress_line(char text[BATCH_LINE_CHARS], const struct batch_counts *counts);

/* "1000 files: 980 done, 20 failed; 980.0 megapixels in 18.8 s, 52.1 files/s, 98 MB/s" */
void batch_summary_line(char text[BATCH_LINE_CHARS], const struct batch_counts *counts);

/* "decode 41 %, filter 12 %, encode 47 % of 36.9 s of work on 2 threads"; with a GPU transfer
 * and kernel in the place of filter. Empty where nothing was done. */
void batch_work_line(char text[BATCH_LINE_CHARS], const struct batch_counts *counts);

#endif
