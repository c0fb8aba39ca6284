/* Prints a verdict as text, JSON or JUnit: see print.h. */
#include "try/print.h"

#include <math.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "compare/junit.h"

/* ---- counts ---- */

/* The case on which loads and stores were counted; -1: none. */
static int counted_case(const struct try_report *report)
{
    for (int i = report->battery.count - 1; i >= 0; i--)
        if (report->battery.cases[i].count && report->results[i].end == END_DONE)
            return i;
    return -1;
}

static const struct {
    const char *key, *title;
    size_t at;
    enum { AN_OUTPUT, A_BLOCK, AT_ALL } per;
} columns[] = {
    {"global_loads", "global loads an output", offsetof(struct try_counts, global_loads),
     AN_OUTPUT},
    {"global_stores", "global stores an output", offsetof(struct try_counts, global_stores),
     AN_OUTPUT},
    {"transactions", "transactions of 32 bytes an output",
     offsetof(struct try_counts, transactions), AN_OUTPUT},
    {"constant_loads", "loads of constants an output", offsetof(struct try_counts, constant_loads),
     AN_OUTPUT},
    {"shared_loads", "shared loads an output", offsetof(struct try_counts, shared_loads),
     AN_OUTPUT},
    {"shared_stores", "shared stores an output", offsetof(struct try_counts, shared_stores),
     AN_OUTPUT},
    {"bank_conflicts", "bank conflicts an output", offsetof(struct try_counts, conflicts),
     AN_OUTPUT},
    {"barriers", "barriers a block", offsetof(struct try_counts, barriers), A_BLOCK},
    {"threads", "threads an output", offsetof(struct try_counts, threads), AN_OUTPUT},
};
#define COLUMNS (sizeof columns / sizeof columns[0])

static double count_of(const struct try_counts *counts, size_t column)
{
    const long long value = *(const long long *)((const char *)counts + columns[column].at);
    const long long by = columns[column].per == A_BLOCK ? counts->blocks : counts->outputs;
    return by > 0 ? (double)value / (double)by : 0;
}

/* ---- text ---- */

static void print_case(FILE *out, const struct try_report *report)
{
    const struct try_verdict *verdict = &report->verdict;
    const int i = verdict->shown;
    const struct try_case *it = &report->battery.cases[i];
    const struct try_case_verdict *each = &verdict->each[i];

    fprintf(out, "  case: %s%s\n", it->hidden ? "a hidden one" : it->name,
            it->order == ORDER_FORWARD ? "" : ", threads in another order");
    if (each->wrong == 0 || it->hidden || report->results[i].end == END_NOT_RUN)
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
        fprintf(out, ", written by block %d, thread (%d,%d))\n", writer->block,
                writer->thread % report->file.block[0], writer->thread / report->file.block[0]);
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

static void print_counts(FILE *out, const struct try_report *report)
{
    const int i = counted_case(report);

    if (i < 0)
        return;
    fprintf(out, "  counted on %s:\n", report->battery.cases[i].name);
    for (size_t c = 0; c < COLUMNS; c++)
        fprintf(out, "    %-36s %8.2f\n", columns[c].title,
                count_of(&report->results[i].counts, c));
}

static void print_text(FILE *out, const struct try_report *report, const char *path)
{
    const struct try_verdict *verdict = &report->verdict;

    if (verdict->code == EXIT_DONE) {
        fprintf(out, "%s: right: %d cases\n", path, verdict->cases);
        print_counts(out, report);
    } else if (verdict->code == EXIT_DIFFERENT) {
        fprintf(out, "%s: wrong: %s\n", path, verdict->sentence);
        fprintf(out, "  %d of %d cases are wrong\n", verdict->failed, verdict->cases);
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

static void print_json(FILE *out, const struct try_report *report, const char *path)
{
    const struct try_verdict *verdict = &report->verdict;
    const int i = counted_case(report);

    fputs("{\"file\":", out);
    json_put_bytes(out, path);
    json_print(out,
               ",'kernel':%s,'device':%s,'id':%s,'exit':%d,'sentence':%s,'advice':%s,"
               "'cases':%d,'wrong_cases':%d",
               report->file.kernel.name, "soft", verdict->id, (int)verdict->code, verdict->sentence,
               verdict->advice, verdict->cases, verdict->failed);
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
    if (i >= 0 && verdict->code == EXIT_DONE) {
        fputs(",\"counts\":{", out);
        for (size_t c = 0; c < COLUMNS; c++)
            json_print(out, "%s", columns[c].key),
                fprintf(out, ":%.6g%s", count_of(&report->results[i].counts, c),
                        c + 1 < COLUMNS ? "," : "");
        fputs("}", out);
    }
    fputs("}\n", out);
}

/* ---- the whole ---- */

static bool write_junit(const struct try_report *report, const char *path, const char *junit,
                        const struct error *trouble, struct error *err)
{
    const struct try_verdict *verdict = &report->verdict;
    struct junit suite;

    if (!junit)
        return true;
    if (!junit_begin(&suite, path, junit, err))
        return false;
    if (trouble || verdict->code == EXIT_INPUT)
        junit_case(&suite, "the file", 0, JUNIT_ERROR, trouble ? trouble->text : verdict->sentence);
    for (int i = 0; !trouble && verdict->each && i < report->battery.count; i++) {
        const struct try_case *it = &report->battery.cases[i];
        char name[96];
        if (report->results[i].end == END_NOT_RUN || verdict->code == EXIT_INPUT)
            continue;
        snprintf(name, sizeof name, "%d: %s", i + 1, it->hidden ? "hidden" : it->name);
        junit_case(&suite, name, 0, verdict->each[i].right ? JUNIT_PASSED : JUNIT_FAILURE,
                   verdict->sentence);
    }
    return junit_end(&suite, junit, err);
}

int try_print(const struct try_report *report, const struct error *err, const char *path, bool json,
              const char *junit, struct error *trouble)
{
    if (!write_junit(report, path, junit, err, trouble))
        return trouble->code;
    if (err && json && report->file.path) {
        fputs("{\"file\":", stdout);
        json_put_bytes(stdout, path);
        json_print(stdout, ",'id':%s,'exit':%d,'sentence':%s}\n",
                   report->compiles ? "stopped" : "does-not-compile", (int)err->code, err->text);
    }
    if (err)
        return err->code;
    (json ? print_json : print_text)(stdout, report, path);
    if (fflush(stdout) != 0)
        return EXIT_INPUT;
    return report->verdict.code;
}
