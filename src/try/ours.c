/* Runs `stencilcli bench --json` and reads its rows: see ours.h. */
#include "try/ours.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
#include "try/process.h"

#define SECONDS 60

static const char *const names[OURS_MOST] = {"basic", "constant", "tiled", "banded"};

struct bench {
    const char *program, *device;
    const struct try_case *it;
};

static void start(void *context)
{
    const struct bench *bench = context;
    char size[32], mask[4096] = "";

    snprintf(size, sizeof size, "%dx%d", bench->it->width, bench->it->height);
    for (int i = 0; i < bench->it->mask_width * bench->it->mask_rows; i++)
        text_append(mask, sizeof mask, "%s%d",
                    i == 0                          ? ""
                    : i % bench->it->mask_width > 0 ? " "
                                                    : "; ",
                    (int)bench->it->m[i]);
    execl(bench->program, bench->program, "bench", "--device", bench->device, "--kernel",
          "basic,constant,tiled,banded", "--size", size, "--channels", "1", "--border", "zero",
          "--json", "--mask", mask, (char *)NULL);
    _exit(127);
}

static bool too_long(void *context, double seconds)
{
    (void)context;
    return seconds > SECONDS;
}

/* The number behind the key in the row of JSON [ROW, END); -1: none. */
static double number_of(const char *row, const char *end, const char *key)
{
    const char *at = strstr(row, key);

    return at && at < end ? strtod(at + strlen(key), NULL) : -1;
}

static void read_row(const char *text, const char *name, struct try_ours *ours)
{
    char head[64];
    const char *row, *end;

    snprintf(head, sizeof head, "{\"kernel\":\"%s\",", name);
    if (!(row = strstr(text, head)))
        return;
    end = strstr(row + 1, "{\"kernel\":");
    end = end ? end : row + strlen(row);
    const double ms = number_of(row, end, "\"median_ms\":");
    const double share = number_of(row, end, "\"share_of_copy\":");
    if (ms <= 0 || share <= 0)
        return;
    snprintf(ours->row[ours->count].name, sizeof ours->row[0].name, "%s", name);
    ours->row[ours->count].ms = ms;
    ours->row[ours->count].copies = 1 / share;
    ours->count++;
}

void try_ours_time(const char *program, const char *device, const struct try_case *it,
                   struct try_ours *ours)
{
    struct bench bench = {program, device, it};
    char *text = NULL;
    size_t bytes;
    FILE *printed = open_memstream(&text, &bytes);
    struct process process = {start, &bench, too_long, printed, 1 << 16, 0};

    *ours = (struct try_ours){0};
    if (!printed)
        return;
    const enum process_end end = process_run(&process);
    fclose(printed);
    for (int i = 0; i < OURS_MOST && text; i++)
        read_row(text, names[i], ours);
    if (ours->count == 0 && end == PROCESS_TOO_LONG)
        snprintf(ours->why, sizeof ours->why, "bench takes more than %d s", SECONDS);
    else if (ours->count == 0 && text)
        clean_text_copy(ours->why, sizeof ours->why, text, strcspn(text, "\n"));
    free(text);
}
