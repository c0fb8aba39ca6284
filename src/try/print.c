/* Prints a verdict as text, JSON or JUnit: see print.h. */
#include "try/print.h"

#include <math.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "compare/junit.h"
#include "try/ladder.h"

/* ---- text ---- */

int try_counted_case(const struct try_report *report)
{
    const bool right = !report->error && report->verdict.code == EXIT_DONE;

    for (int i = right ? report->battery.count - 1 : -1; i >= 0; i--)
        if (report->battery.cases[i].count && report->results[i].end == END_DONE)
            return i;
    return -1;
}

bool try_shows_cell(const struct try_report *report)
{
    const int i = report->verdict.shown;

    return !report->error && i >= 0 && report->verdict.each[i].wrong > 0 &&
           !report->battery.cases[i].hidden && report->results[i].end != END_NOT_RUN;
}

const char *try_verdict_word(const struct try_report *report)
{
    return report->error                            ? "stopped"
           : report->verdict.code == EXIT_DONE      ? "right"
           : report->verdict.code == EXIT_DIFFERENT ? "wrong"
                                                    : "stopped";
}

static void print_case(FILE *out, const struct try_report *report)
{
    const struct try_verdict *verdict = &report->verdict;
    const int i = verdict->shown;
    const struct try_case *it = &report->battery.cases[i];
    const struct try_case_verdict *each = &verdict->each[i];

    fprintf(out, "  case: %s%s\n", it->hidden ? "a hidden one" : it->name,
            it->order == ORDER_FORWARD ? "" : ", threads in another order");
    if (!try_shows_cell(report))
        return;
    const struct try_writer *writer =
        &report->results[i]
             .writer[(long long)each->y * it->pitch + each->x * it->channels + each->channel];
    if (report->file.dims == 1)
        fprintf(out, "  first wrong cell: P[%d] is %.10g, expected %.10g (tile %d", each->x,
                each->got, each->want, each->x / report->file.tile[0]);
    else
        fprintf(out, "  first wrong cell: row %d, column %d is %.10g, expected %.10g (tile (%d,%d)",
                each->y, each->x, each->got, each->want, each->x / report->file.tile[0],
                each->y / report->file.tile[1]);
    if (writer->block >= 0)
        fprintf(out, ", written by block (%d,%d), thread (%d,%d))\n", writer->block % writer->row,
                writer->block / writer->row, writer->thread % report->file.block[0],
                writer->thread / report->file.block[0]);
    else
        fprintf(out, ", never written)\n");
}

static void print_printed(FILE *out, const struct try_report *report)
{
    const char *at = report->printed;

    if (!at || !at[0])
        return;
    fprintf(out, "  the file printed:\n");
    for (int line = 0; line < 20 && at && *at; line++) {
        char text[200];
        const size_t length = strcspn(at, "\n");
        clean_text_copy(text, sizeof text, at, length);
        fputs("    ", out);
        clean_text_put(out, text);
        fputc('\n', out);
        at += length + (at[length] == '\n');
    }
    if (at && *at)
        fprintf(out, "    ...\n");
}

static void print_number(FILE *out, double number)
{
    if (number >= 0)
        fprintf(out, " %8.2f", number);
    else
        fprintf(out, " %8s", "");
}

/* The counts of the file, and those of our own kernels beside them. */
static void print_counts(FILE *out, const struct try_report *report)
{
    const int i = try_counted_case(report);

    if (i < 0)
        return;
    fprintf(out, "  counted on %s:\n    %-31s %8s", report->battery.cases[i].name, "", "yours");
    for (int k = 0; ladder_name(&report->battery.cases[i], k); k++)
        fprintf(out, " %8s", ladder_name(&report->battery.cases[i], k));
    fputc('\n', out);
    for (int c = 0; c < LADDER_COUNTS; c++) {
        fprintf(out, "    %-31s", ladder_count_title(c));
        print_number(out, ladder_count_of(&report->results[i].counts, c));
        for (int k = 0; ladder_name(&report->battery.cases[i], k); k++)
            print_number(out, ladder_count(&report->battery.cases[i], k, c));
        fputc('\n', out);
    }
    fputs("  ", out);
    text_wrap(out,
              ladder_reuse_of(&report->file, &report->battery.cases[i], &report->results[i].counts)
                  .sentence,
              2, 79);
}

static void print_time(FILE *out, const char *name, double ms, double copies)
{
    fprintf(out, "    %-10s %8.4g ms %8.2f of a copy\n", name, ms, copies);
}

static void print_gpu(FILE *out, const struct try_report *report)
{
    const struct try_gpu *gpu = &report->gpu;
    const int i = try_counted_case(report);
    char text[300];

    if (!gpu->ran)
        return;
    fprintf(out, "  %s: right: %d cases", gpu->name, gpu->cases);
    if (!gpu->right || i < 0) {
        fprintf(out, ", then a wrong one\n");
        return;
    }
    fprintf(out, "; timed on %s:\n", gpu->timed);
    print_time(out, "yours", gpu->ms, gpu->ms / gpu->copy_ms);
    for (int k = 0; k < gpu->ours.count; k++)
        print_time(out, gpu->ours.row[k].name, gpu->ours.row[k].ms, gpu->ours.row[k].copies);
    print_time(out, "a copy", gpu->copy_ms, 1);
    if (gpu->ours.why[0])
        fprintf(out, "  our own kernels were not timed: %s\n", gpu->ours.why);
    ladder_say_time(text, sizeof text, &report->file, &report->results[i].counts, gpu);
    fputs("  ", out);
    text_wrap(out, text, 2, 79);
}

static void print_failed(FILE *out, const struct try_report *report)
{
    const int not_taken = report->battery.not_taken;

    fprintf(out, "  %d of %d cases are wrong", report->verdict.failed, report->verdict.cases);
    if (not_taken > 0)
        fprintf(out, ", %d of them with a mask that the kernel does not take", not_taken);
    fputc('\n', out);
}

static void print_text(FILE *out, const struct try_report *report)
{
    const struct try_verdict *verdict = &report->verdict;
    const char *path = report->path;

    if (verdict->code == EXIT_DONE) {
        fprintf(out, "%s: right: %d cases\n", path, verdict->cases);
        if (verdict->note[0]) {
            char text[sizeof verdict->note + 8];
            snprintf(text, sizeof text, "note: %s.", verdict->note);
            fputs("  ", out);
            text_wrap(out, text, 2, 79);
        }
        print_counts(out, report);
        print_gpu(out, report);
    } else if (verdict->code == EXIT_DIFFERENT) {
        fprintf(out, "%s: wrong: %s\n", path, verdict->sentence);
        if (report->gpu.ran)
            print_gpu(out, report);
        else
            print_failed(out, report);
        if (verdict->shown >= 0)
            print_case(out, report);
        if (verdict->advice[0]) {
            fputs("  ", out);
            text_wrap(out, verdict->advice, 2, 79);
        }
    } else {
        fprintf(out, "%s: stopped: %s\n", path, verdict->sentence);
    }
    print_printed(out, report);
}

/* ---- JSON ---- */

/* The counts of the file (KERNEL -1), or of one of our own kernels. */
static void print_counts_json(FILE *out, const struct try_case *it, const struct try_counts *counts,
                              int kernel)
{
    for (int c = 0; c < LADDER_COUNTS; c++) {
        json_print(out, "%s", ladder_count_key(c));
        fprintf(out, ":%.6g%s",
                kernel < 0 ? ladder_count_of(counts, c) : ladder_count(it, kernel, c),
                c + 1 < LADDER_COUNTS ? "," : "}");
    }
}

static void print_ladder_json(FILE *out, const struct try_case *it, const struct try_counts *counts)
{
    json_print(out, ",'counted_on':%s,'counts':{", it->name);
    print_counts_json(out, it, counts, -1);
    json_print(out, ",'ladder':{");
    for (int k = 0; ladder_name(it, k); k++) {
        json_print(out, k > 0 ? ",%s" : "%s", ladder_name(it, k));
        fputs(":{", out);
        print_counts_json(out, it, NULL, k);
    }
    fputc('}', out);
}

static void print_gpu_json(FILE *out, const struct try_gpu *gpu)
{
    json_print(out, ",'gpu':{'name':%s,'cases':%d,'timed':%s,'ms':%.6g,'copy_ms':%.6g,'ours':{",
               gpu->name, gpu->cases, gpu->timed, gpu->ms, gpu->copy_ms);
    for (int k = 0; k < gpu->ours.count; k++) {
        fputs(k > 0 ? "," : "", out);
        json_print(out, "%s:{'ms':%.6g,'copies':%.6g}", gpu->ours.row[k].name, gpu->ours.row[k].ms,
                   gpu->ours.row[k].copies);
    }
    fputs("}}", out);
}

static void print_json(FILE *out, const struct try_report *report)
{
    const struct try_verdict *verdict = &report->verdict;
    const int i = try_counted_case(report);

    fputs("{\"file\":", out);
    json_put_bytes(out, report->path);
    json_print(out,
               ",'kernel':%s,'device':%s,'id':%s,'exit':%d,'sentence':%s,'advice':%s,'note':%s,"
               "'cases':%d,'wrong_cases':%d,'not_taken':%d",
               report->file.kernel.name, report->gpu.ran ? "cuda" : "soft", verdict->id,
               (int)verdict->code, verdict->sentence, verdict->advice, verdict->note,
               verdict->cases, verdict->failed, report->battery.not_taken);
    if (verdict->code == EXIT_DIFFERENT && verdict->shown >= 0 &&
        !report->battery.cases[verdict->shown].hidden) {
        const struct try_case_verdict *each = &verdict->each[verdict->shown];
        json_print(out, ",'case':%s", report->battery.cases[verdict->shown].name);
        if (each->wrong > 0)
            json_print(out, ",'first_wrong':{'row':%d,'column':%d,'expected':%.17g", each->y,
                       each->x, each->want);
        if (each->wrong > 0 && isfinite(each->got))
            json_print(out, ",'got':%.17g", each->got);
        if (each->wrong > 0)
            fputc('}', out);
    }
    if (i >= 0) {
        const struct try_case *it = &report->battery.cases[i];
        const struct try_counts *counts = &report->results[i].counts;
        const struct ladder_reuse reuse = ladder_reuse_of(&report->file, it, counts);
        print_ladder_json(out, it, counts);
        json_print(out, ",'reuse':{'predicted':%.6g,'counted':%.6g}", reuse.predicted,
                   reuse.counted);
    }
    if (report->gpu.ran)
        print_gpu_json(out, &report->gpu);
    fputs("}\n", out);
}

/* ---- the whole ---- */

static bool write_junit(const struct try_report *report, const char *junit, struct error *err)
{
    const struct try_verdict *verdict = &report->verdict;
    const bool stopped = report->error || verdict->code == EXIT_INPUT;
    const char *path = report->path,
               *sentence = report->error ? report->error->text : verdict->sentence;
    struct junit suite;
    char name[512];

    if (!junit)
        return true;
    if (!junit_begin(&suite, "stencilcli try", junit, err))
        return false;
    if (stopped)
        junit_case(&suite, path, 0, JUNIT_ERROR, sentence);
    for (int i = 0; !stopped && i < report->battery.count; i++) {
        const struct try_case *it = &report->battery.cases[i];
        if (report->results[i].end == END_NOT_RUN)
            continue;
        snprintf(name, sizeof name, "%.400s, %d: %s", path, i + 1,
                 it->hidden ? "hidden" : it->name);
        junit_case(&suite, name, 0, verdict->each[i].right ? JUNIT_PASSED : JUNIT_FAILURE,
                   sentence);
    }
    snprintf(name, sizeof name, "%.400s, hidden: its mask is not taken", path);
    for (int i = 0; !stopped && i < report->battery.not_taken; i++)
        junit_case(&suite, name, 0, JUNIT_FAILURE, sentence);
    return junit_end(&suite, junit, err);
}

int try_print(const struct try_report *report, bool json, const char *junit, const char *html,
              struct error *trouble)
{
    const struct error *err = report->error;

    if (!write_junit(report, junit, trouble) || (html && !try_html_write(report, html, trouble)))
        return trouble->code;
    if (err && json && report->file.path) {
        fputs("{\"file\":", stdout);
        json_put_bytes(stdout, report->path);
        json_print(stdout, ",'id':%s,'exit':%d,'sentence':%s}\n",
                   report->compiles ? "stopped" : "does-not-compile", (int)err->code, err->text);
    }
    if (err)
        return err->code;
    (json ? print_json : print_text)(stdout, report);
    if (fflush(stdout) != 0)
        return EXIT_INPUT;
    return report->verdict.code;
}
