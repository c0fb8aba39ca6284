/* The text of a batch's progress and summary. MB/s counts bytes that were read and written. */
#include "batch/batch.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/text.h"

/* AMOUNT per second. */
static double rate(const struct batch_counts *counts, double amount)
{
    return counts->seconds > 0 ? amount / counts->seconds : 0;
}

static double megabytes(const struct batch_counts *counts)
{
    return (double)(counts->input_bytes + counts->output_bytes) * 1e-6;
}

static void add_time(char text[BATCH_LINE_CHARS], double seconds)
{
    int whole = seconds < 1e6 ? (int)(seconds + 0.5) : 1000000;

    if (whole < 60)
        text_append(text, BATCH_LINE_CHARS, "%d s", whole);
    else if (whole < 3600)
        text_append(text, BATCH_LINE_CHARS, "%d:%02d min", whole / 60, whole % 60);
    else
        text_append(text, BATCH_LINE_CHARS, "%d:%02d h", whole / 3600, whole / 60 % 60);
}

void batch_progress_line(char text[BATCH_LINE_CHARS], const struct batch_counts *counts)
{
    size_t ended = counts->done + counts->skipped + counts->failed + counts->planned;
    size_t worked = counts->done + counts->failed, left = counts->files - ended;

    text[0] = '\0';
    text_append(text, BATCH_LINE_CHARS, "%zu/%zu  %d %%  %.1f files/s  %.0f MB/s", ended,
                counts->files,
                counts->files ? (int)(100.0 * (double)ended / (double)counts->files) : 100,
                rate(counts, (double)worked), rate(counts, megabytes(counts)));
    if (counts->failed > 0)
        text_append(text, BATCH_LINE_CHARS, "  %zu failed", counts->failed);
    if (worked > 0 && left > 0) {
        text_append(text, BATCH_LINE_CHARS, "  ");
        add_time(text, (double)left * counts->seconds / (double)worked);
        text_append(text, BATCH_LINE_CHARS, " left");
    }
}

void batch_summary_line(char text[BATCH_LINE_CHARS], const struct batch_counts *counts)
{
    size_t left = counts->files - counts->done - counts->skipped - counts->failed - counts->planned;

    text[0] = '\0';
    text_append(text, BATCH_LINE_CHARS, "%zu file%s: %zu %s", counts->files,
                counts->files == 1 ? "" : "s", counts->planned + counts->done,
                counts->planned > 0 ? "to do" : "done");
    if (counts->skipped > 0)
        text_append(text, BATCH_LINE_CHARS, ", %zu done before", counts->skipped);
    if (counts->failed > 0)
        text_append(text, BATCH_LINE_CHARS, ", %zu failed", counts->failed);
    if (left > 0)
        text_append(text, BATCH_LINE_CHARS, ", %zu not begun", left);
    if (counts->planned > 0)
        return;
    text_append(text, BATCH_LINE_CHARS, "; %.1f megapixels in %.1f s",
                (double)counts->pixels * 1e-6, counts->seconds);
    if (counts->done > 0)
        text_append(text, BATCH_LINE_CHARS, ", %.1f files/s, %.0f MB/s",
                    rate(counts, (double)counts->done), rate(counts, megabytes(counts)));
}

void batch_work_line(char text[BATCH_LINE_CHARS], const struct batch_counts *counts)
{
    double work = counts->decode_ms + counts->filter_ms + counts->encode_ms;

    text[0] = '\0';
    if (work <= 0)
        return;
    text_append(text, BATCH_LINE_CHARS, "decode %.0f %%, ", 100 * counts->decode_ms / work);
    if (counts->transfer_ms > 0)
        text_append(text, BATCH_LINE_CHARS, "transfer %.0f %%, kernel %.0f %%, ",
                    100 * counts->transfer_ms / work, 100 * counts->kernel_ms / work);
    else
        text_append(text, BATCH_LINE_CHARS, "filter %.0f %%, ", 100 * counts->filter_ms / work);
    text_append(text, BATCH_LINE_CHARS, "encode %.0f %% of %.1f s of work on %d thread%s",
                100 * counts->encode_ms / work, work * 1e-3, counts->threads,
                counts->threads == 1 ? "" : "s");
}
