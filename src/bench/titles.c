/* What stands above a bench's plots, how each kernel looks in all of them, and speeds as
 * people read them. */
#include <stdio.h>
#include <string.h>

#include "bench/titles.h"
#include "base/text.h"

#define TIMES "\u00d7"
#define DOT   " \u00b7 "

void bench_title(char text[BENCH_TITLE_CHARS], const struct bench_report *report, const char *what)
{
    int used = snprintf(text, BENCH_TITLE_CHARS, "%s", what);
    /* A GPU first: it is what most have come for. */
    for (int i = report->devices - 1; i >= 0; i--)
        used += snprintf(text + used, (size_t)(BENCH_TITLE_CHARS - used), "%s%s",
                         i == report->devices - 1 ? ": " : " and ", report->device[i].probe.name);
}

void bench_subtitle(char text[BENCH_TITLE_CHARS], const struct bench_report *report)
{
    char name[64], picture[128], mask[128];
    const char *from = report->input ? report->input : "generated";
    const char *slash = strrchr(from, '/');
    from = slash && slash[1] ? slash + 1 : from;
    clean_text_copy(name, sizeof name, from, strlen(from));
    snprintf(picture, sizeof picture, "%s, %d " TIMES " %d, %d channel%s of %d bits", name,
             report->width, report->height, report->channels, report->channels == 1 ? "" : "s",
             report->max > 255 ? 16 : 8);
    clean_text_copy(name, 40, report->mask, strlen(report->mask));
    if (report->sweep == SWEEP_MASK)
        snprintf(mask, sizeof mask, "masks positive and lopsided");
    else
        snprintf(mask, sizeof mask, "mask %s, %d " TIMES " %d", name, report->mask_width,
                 report->mask_height);
    snprintf(text, BENCH_TITLE_CHARS, "%s" DOT "%s" DOT "border %s%s", picture, mask,
             report->border, report->cold ? DOT "caches emptied" : "");
}

void bench_second_line(char text[BENCH_TITLE_CHARS], const struct bench_report *report)
{
    char date[32] = "";
    struct tm utc;
    int used;
    if (gmtime_r(&report->date, &utc))
        strftime(date, sizeof date, "%Y-%m-%d", &utc);
    used = snprintf(text, BENCH_TITLE_CHARS, "stencilcli %s" DOT "%s", STENCIL_VERSION, date);
    for (int i = 0; i < report->devices; i++)
        if (report->device[i].probe.driver[0])
            used += snprintf(text + used, (size_t)(BENCH_TITLE_CHARS - used), DOT "%s",
                             report->device[i].probe.driver);
}

void bench_giga_text(char *text, size_t bytes, double value)
{
    static const struct {
        double at;
        const char *prefix;
    } steps[] = {{1e3, "T"}, {1, "G"}, {1e-3, "M"}};
    int i = 0;
    while (i < 2 && value < steps[i].at * 0.9995)
        i++;
    value /= steps[i].at;
    snprintf(text, bytes, "%.*f %s",
             value >= 99.95   ? 0
             : value >= 9.995 ? 1
                              : 2,
             value, steps[i].prefix);
}

int bench_look(const struct kernel *kernel)
{
    int count;
    const struct kernel *table = kernel_table(&count);
    for (int i = 0; i < count; i++)
        if (table[i].dims == kernel->dims && strcmp(table[i].name, kernel->name) == 0)
            return i;
    return 0;
}
