/* The plots of the bench, made from made-up measurements. Only a person can judge their looks: if a
 * folder is given as argument, the program leaves the plots there. The tests check that the text is
 * one SVG element, every kernel and ceiling is named, nothing lies outside the paper, and no label
 * covers another. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/svg.h"
#include "bench/chart.h"
#include "tests/bench/bench_reports.h"
#include "tests/test.h"

static const char *folder;

/* Returns the plot as text (free it); keeps a copy in the folder. */
static char *plot_text(const struct made_up *made, const char *name)
{
    char path[512];
    struct output *output;
    struct error err = {0};
    char *text = NULL;
    size_t bytes = 0, room = 1 << 20;
    FILE *file;

    snprintf(path, sizeof path, "%s/%s.svg", folder ? folder : "/tmp", name);
    if (!folder)
        snprintf(path, sizeof path, "/tmp/stencil_plot_%ld.svg", (long)getpid());
    CHECKF(output_open(&output, path, &err), "%s", err.text);
    CHECKF(bench_plot(&made->report, output, &err), "%s", err.text);
    CHECKF(output_commit(output, &err), "%s", err.text);
    file = fopen(path, "re");
    text = calloc(1, room);
    if (file && text)
        bytes = fread(text, 1, room - 1, file);
    if (file)
        fclose(file);
    if (!folder)
        unlink(path);
    CHECK(bytes > 0);
    return text;
}

static int count_of(const char *text, const char *what)
{
    int count = 0;
    for (const char *at = text; (at = strstr(at, what)); at += strlen(what))
        count++;
    return count;
}

/* Checks that apply to every drawing. (An XML parser reads real drawings in
 * tests/cli/bench_plot.sh.) */
static void check_drawing(const char *text)
{
    CHECK(strncmp(text, "<svg xmlns=", 11) == 0);
    CHECK(strlen(text) > 8 && strcmp(text + strlen(text) - 7, "</svg>\n") == 0);
    CHECKF(!strstr(text, "nan") && !strstr(text, "inf\""), "a coordinate is no number");
    CHECK(count_of(text, "http:") == 1); /* the XML namespace; no font is loaded */
    for (const char *at = text; (at = strstr(at, " y=\"")); at += 4) {
        double y = strtod(at + 4, NULL);
        CHECKF(y >= 0 && y <= 680, "y = %g lies outside", y);
    }
    for (const char *at = text; (at = strstr(at, " x=\"")); at += 4) {
        double x = strtod(at + 4, NULL);
        CHECKF(x >= 0 && x <= 960, "x = %g lies outside", x);
    }
}

/* Each kernel's name is a label, drawn twice: in ink and as its halo. */
static void check_names(const char *text, const struct made_up *made)
{
    for (int i = 0; i < made->report.results; i++) {
        char label[64];
        snprintf(label, sizeof label, ">%s<", made->report.result[i].kernel->name);
        CHECKF(count_of(text, label) == 2, "%s: %d labels", label, count_of(text, label));
    }
}

static void test_roofline(void)
{
    static struct made_up made;
    made_up_both(&made);
    char *text = plot_text(&made, "roofline");
    check_drawing(text);
    check_names(text, &made);
    CHECK(strstr(text, "NVIDIA H200") && strstr(text, "8192 \u00d7 8192"));
    CHECK(strstr(text, "gauss5, 5 \u00d7 5") && strstr(text, "2026-11-21"));
    CHECK(strstr(text, "cuda:0: copy 4.19 TB/s") && strstr(text, "cuda:0: FFMA 61.8 TFLOP/s"));
    CHECK(strstr(text, ">6.24 TFLOP/s<"));           /* tiled */
    CHECK(strstr(text, ">194 MFLOP/s, off scale<")); /* the reference, at the lower edge */
    free(text);
}

static void test_roofline_without_gpu(void)
{
    static struct made_up made;
    made_up_cpu(&made);
    char *text = plot_text(&made, "roofline_cpu");
    check_drawing(text);
    check_names(text, &made);
    CHECK(strstr(text, ">copy 138 GB/s<") && !strstr(text, "cuda"));
    free(text);
}

/* The ceiling of the matrix units is drawn only for kernels that come near it. */
static void test_ceilings(void)
{
    static struct made_up made;
    made_up_both(&made);
    char *text = plot_text(&made, "roofline");
    CHECK(strstr(text, "int8 mma.sync 1266 TFLOP/s") != NULL);
    free(text);
    made.report.results--; /* int8 */
    text = plot_text(&made, "roofline_textbook");
    CHECK(!strstr(text, "int8"));
    check_drawing(text);
    free(text);
}

static void test_sweeps(void)
{
    static struct made_up made;
    made_up_sweep(&made, SWEEP_TILE);
    char *text = plot_text(&made, "sweep_tile");
    check_drawing(text);
    check_names(text, &made);
    CHECK(strstr(text, "width of the output tile") && strstr(text, "stroke-dasharray"));
    CHECK(count_of(text, "<polyline") == 5); /* without int8, which has no tile */
    free(text);
    made_up_sweep(&made, SWEEP_MASK);
    text = plot_text(&made, "sweep_mask");
    check_drawing(text);
    check_names(text, &made);
    CHECK(strstr(text, "width of the mask") && strstr(text, ">31<"));
    CHECK(count_of(text, "<polyline") == 6);
    free(text);
}

/* Nothing timed, one kernel, no copy, no ceiling: each still gives a drawing. */
static void test_odd_reports(void)
{
    static struct made_up made;
    made_up_both(&made);
    made.report.results = 0;
    made.report.sweep = SWEEP_TILE;
    free(plot_text(&made, "odd"));
    made.report.sweep = SWEEP_NONE;
    char *text = plot_text(&made, "odd");
    check_drawing(text);
    free(text);
    made_up_cpu(&made);
    made.report.results = 1;
    made.report.device[0].copies = made.report.device[0].probe.ceilings = 0;
    made.report.input = "<a & \"b\">\x01.png";
    text = plot_text(&made, "odd");
    check_drawing(text);
    CHECK(strstr(text, "&lt;a &amp; &quot;b&quot;&gt; .png") != NULL);
    free(text);
}

/* ---- labels ---- */

static bool overlap(const struct chart_label *a, const struct chart_label *b)
{
    return a->text_x < b->text_x + b->width && b->text_x < a->text_x + a->width &&
           a->text_y < b->text_y + 14 && b->text_y < a->text_y + 14;
}

/* Puts COUNT marks within SPAN pixels of each other, in the middle or at an edge of the chart. */
static void check_crowd(int count, double x, double y, double span)
{
    struct chart chart = {.width = 960, .height = 680, .labels = count};
    struct chart_label *labels = chart.label;
    chart.x = (struct chart_axis){.begin = 104, .end = 926};
    chart.y = (struct chart_axis){.begin = 614, .end = 112};
    for (int i = 0; i < count; i++) {
        labels[i] = (struct chart_label){
            .color = CHART_INK, .x = x, .y = y + span * (double)(i * 7 % count) / (double)count};
        snprintf(labels[i].name, sizeof labels[i].name, "kernel%d", i);
        snprintf(labels[i].value, sizeof labels[i].value, "%d.00 TFLOP/s", i);
    }
    chart_place_labels(&chart);
    for (int i = 0; i < count; i++) {
        CHECKF(labels[i].text_x >= 104 && labels[i].text_x + labels[i].width <= 960 &&
                   labels[i].text_y >= 112 && labels[i].text_y <= 614,
               "label %d of %d leaves the chart: %g %g", i, count, labels[i].text_x,
               labels[i].text_y);
        for (int j = 0; j < i; j++)
            CHECKF(!overlap(&labels[i], &labels[j]),
                   "labels %d and %d of %d at %g, %g lie on "
                   "each other",
                   i, j, count, x, y);
    }
}

static void test_labels(void)
{
    for (int count = 1; count <= 12; count++) {
        check_crowd(count, 300, 400, 0);
        check_crowd(count, 300, 400, 40);
        check_crowd(count, 300, 125, 10);
        check_crowd(count, 300, 600, 10);
        check_crowd(count, 920, 400, 30);
    }
}

int main(int argc, char **argv)
{
    folder = argc > 1 ? argv[1] : NULL;
    TEST(test_roofline);
    TEST(test_roofline_without_gpu);
    TEST(test_ceilings);
    TEST(test_sweeps);
    TEST(test_odd_reports);
    TEST(test_labels);
    return test_finish();
}
