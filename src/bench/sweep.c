/* A sweep for people: the same kernels over tile widths or over mask widths, as
 * tables with a column for each width: the time, the share of a device copy, and the
 * speed-up over basic with the predicted one below it. */
#include "bench/parts.h"

int bench_sweep_place(const struct bench_report *report, const struct bench_result *result)
{
    return report->sweep == SWEEP_TILE ? result->tile : result->mask_width;
}

int bench_sweep_places(const struct bench_report *report, int at[BENCH_KERNELS])
{
    int count = 0;
    for (int i = 0; i < report->results; i++) {
        int here = bench_sweep_place(report, &report->result[i]), j = 0;
        while (j < count && at[j] < here)
            j++;
        if ((j < count && at[j] == here) || count == BENCH_KERNELS)
            continue;
        for (int k = count++; k > j; k--)
            at[k] = at[k - 1];
        at[j] = here;
    }
    return count;
}

int bench_sweep_kernels(const struct bench_report *report,
                        const struct kernel *kernel[BENCH_KERNELS])
{
    int count = 0;
    for (int i = 0; i < report->results; i++) {
        int j = 0;
        while (j < count && kernel[j] != report->result[i].kernel)
            j++;
        if (j == count && count < BENCH_KERNELS)
            kernel[count++] = report->result[i].kernel;
    }
    return count;
}

const struct bench_result *bench_sweep_find(const struct bench_report *report,
                                            const struct kernel *kernel, int at)
{
    for (int i = 0; i < report->results; i++) {
        const struct bench_result *result = &report->result[i];
        if (result->kernel == kernel && result->state == BENCH_TIMED &&
            bench_sweep_place(report, result) == at)
            return result;
    }
    return NULL;
}

/* ---- tables ---- */

/* One kind of cell. */
struct sweep_table {
    const char *title;
    int decimals; /* -1: milliseconds */
    double (*value)(const struct bench_result *result, const struct bench_rates *rates);
};

static double value_ms(const struct bench_result *result, const struct bench_rates *rates)
{
    (void)rates;
    return result->stats.median_ms;
}

static double value_share(const struct bench_result *result, const struct bench_rates *rates)
{
    (void)result;
    return rates->share;
}

static double value_speedup(const struct bench_result *result, const struct bench_rates *rates)
{
    (void)result;
    return rates->speedup;
}

static double value_predicted(const struct bench_result *result, const struct bench_rates *rates)
{
    (void)rates;
    return result->predicted;
}

static const struct sweep_table TABLES[] = {
    {"median, ms", -1, value_ms},
    {"of the device copy", 2, value_share},
    {"times basic", 2, value_speedup},
    {"predicted by reuse", 1, value_predicted},
};

static double cell_value(const struct bench_report *report, const struct sweep_table *table,
                         const struct kernel *kernel, int at)
{
    const struct bench_result *result = bench_sweep_find(report, kernel, at);
    struct bench_rates rates;
    if (!result)
        return 0;
    bench_rates_make(&rates, report, result);
    return table->value(result, &rates);
}

static void print_table(FILE *out, const struct bench_report *report,
                        const struct sweep_table *table)
{
    const struct kernel *kernel[BENCH_KERNELS];
    int at[BENCH_KERNELS], kernels = bench_sweep_kernels(report, kernel);
    int places = bench_sweep_places(report, at);
    bool any = false;

    for (int i = 0; i < kernels; i++)
        for (int j = 0; j < places; j++)
            any = any || cell_value(report, table, kernel[i], at[j]) > 0;
    if (!any)
        return;
    fprintf(out, "%s\n%-*s", table->title, BENCH_NAME_CHARS,
            report->sweep == SWEEP_TILE ? "  tile" : "  mask");
    for (int j = 0; j < places; j++)
        fprintf(out, "%9d", at[j]);
    for (int i = 0; i < kernels; i++) {
        fprintf(out, "\n  %-*s", BENCH_NAME_CHARS - 2, kernel[i]->name);
        for (int j = 0; j < places; j++) {
            double value = cell_value(report, table, kernel[i], at[j]);
            if (table->decimals < 0 && value > 0)
                bench_print_ms(out, 9, value);
            else
                bench_print_fixed(out, 9, table->decimals < 0 ? 0 : table->decimals, value);
        }
    }
    fprintf(out, "\n\n");
}

/* Which cells are missing, and why; once for each kernel. */
static void print_missing(FILE *out, const struct bench_report *report)
{
    for (int i = 0; i < report->results; i++) {
        const struct bench_result *result = &report->result[i];
        if (result->state != BENCH_TIMED)
            fprintf(out, "%s, %s %d: %s\n", result->kernel->name,
                    report->sweep == SWEEP_TILE ? "tile" : "mask",
                    bench_sweep_place(report, result), result->why);
    }
}

void bench_print_sweep(FILE *out, const struct bench_report *report)
{
    bench_print_head(out, report);
    for (size_t i = 0; i < sizeof TABLES / sizeof TABLES[0]; i++)
        print_table(out, report, &TABLES[i]);
    print_missing(out, report);
    if (report->sweep == SWEEP_TILE)
        fprintf(out, "The tile is the width of the output tile; for kernels that stage none it is "
                     "that of their blocks.\n");
    bench_print_advice(out, report);
}
