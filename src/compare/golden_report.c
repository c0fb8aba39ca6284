/* Writes the report of a check: one HTML file that contains its pictures, its style
 * (compare/golden_report.css) and its script (compare/golden_report.js). With scripts disabled it
 * is a plain list of pictures. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "codec/output.h"
#include "compare/diff.h"
#include "compare/golden.h"
#include "compare/golden_report.css.h"
#include "compare/golden_report.js.h"

/* ---- parts of a case ---- */

static void put_text(FILE *out, const char *before, const char *text, const char *after)
{
    fputs(before, out);
    markup_put(out, text);
    fputs(after, out);
}

static void put_picture(FILE *out, const char *kind, const char *title,
                        const struct golden_picture *picture)
{
    fprintf(out,
            "<figure class=\"%s\"><figcaption>%s</figcaption><div class=\"view\">"
            "<img alt=\"%s\" width=\"%d\" height=\"%d\" src=\"data:image/png;base64,%s\">"
            "</div></figure>\n",
            kind, title, title, picture->width, picture->height, picture->png);
}

/* The scale of the difference's colours: a gradient with numbers at its marks. */
static void put_scale(FILE *out, uint32_t max)
{
    uint8_t rgb[3];
    fputs("<div class=\"scale\"><span>1</span><i style=\"background:linear-gradient(90deg", out);
    for (int i = 0; i <= 16; i++) {
        uint32_t d = (uint32_t)lround(exp2(1 + i / 16.0 * (log2(1 + (double)max) - 1)) - 1);
        diff_color(d, max, rgb);
        fprintf(out, ",#%02x%02x%02x", rgb[0], rgb[1], rgb[2]);
    }
    fprintf(out, ")\"></i><span>%" PRIu32 "</span></div>\n", max);
}

static void put_numbers(FILE *out, const struct compare_result *numbers)
{
    const struct compare_sums *all = &numbers->all;
    double psnr = compare_psnr(all, numbers->a.max);

    fprintf(out, "<dl><div><dt>pixels that differ</dt><dd>%" PRIu64 " (%.3g%%)</dd></div>",
            numbers->differing_pixels, compare_percent(numbers->differing_pixels, numbers->pixels));
    if (all->max_diff > 0)
        fprintf(out,
                "<div><dt>largest difference</dt><dd>%" PRIu32 " at x %d, y %d, %s: %" PRIu32
                " and %" PRIu32 "</dd></div>",
                all->max_diff, all->x, all->y,
                compare_channel_name(numbers->a.channels, all->channel), all->a, all->b);
    fprintf(out, "<div><dt>mean, rms</dt><dd>%.4g, %.4g</dd></div>", compare_mean(all),
            compare_rms(all));
    if (isinf(psnr))
        fputs("<div><dt>PSNR</dt><dd>infinite</dd></div>", out);
    else
        fprintf(out, "<div><dt>PSNR</dt><dd>%.2f dB</dd></div>", psnr);
    fprintf(out, "<div><dt>SSIM</dt><dd>%.6f</dd></div></dl>\n", all->ssim);
}

static void put_views(FILE *out, const struct golden_result *result)
{
    if (!result->actual.png)
        return;
    fprintf(out, "<div class=\"views\">\n");
    if (result->expected.png)
        put_picture(out, "expected", "Expected", &result->expected);
    put_picture(out, "actual", result->state == GOLDEN_SAME ? "Expected and actual" : "Actual",
                &result->actual);
    if (result->difference.png)
        put_picture(out, "difference", "Difference", &result->difference);
    fprintf(out, "</div>\n");
    if (result->difference.png)
        put_scale(out, result->numbers.a.max);
    if (result->left || result->top)
        fprintf(out, "<p class=\"note\">Shown from x %d, y %d on.</p>\n", result->left,
                result->top);
    if (result->reduced > 1)
        fprintf(out, "<p class=\"note\">Shown reduced, %d pixels as one.</p>\n", result->reduced);
}

static void put_case(FILE *out, const struct golden_case *one, const struct golden_result *result)
{
    const char *state = golden_state_name(result->state);
    const char *title = strcmp(one->file, "-") == 0 ? "no picture" : one->file;

    fprintf(out, "<article class=\"case %s\" data-state=\"%s\" data-line=\"%d\">\n<h2>", state,
            state, one->line);
    fprintf(out, "<span class=\"state\">%s</span> ", state);
    markup_put(out, title);
    fprintf(out, " <small>line %d, %.2f s</small></h2>\n", one->line, result->seconds);
    if (one->command)
        put_text(out, "<pre>", one->command, "</pre>\n");
    if (result->why[0])
        put_text(out, "<p class=\"why\">", result->why, "</p>\n");
    if (result->compared && result->numbers.comparable)
        put_numbers(out, &result->numbers);
    put_views(out, result);
    fputs("</article>\n", out);
}

/* ---- the page ---- */

static void put_head(FILE *out, const struct golden_job *job)
{
    put_text(out,
             "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
             "<meta name=\"generator\" content=\"stencilcli\">\n"
             "<meta name=\"viewport\" content=\"width=device-width\">\n<title>Golden pictures: ",
             job->suite->path, "</title>\n<style>\n");
    fputs(golden_report_css, out);
    put_text(out,
             "</style>\n</head>\n<body>\n<header>\n<h1>Golden pictures</h1>\n<p class=\"suite\">",
             job->suite->path, "</p>\n<div class=\"filters\">\n");
    fprintf(out, "<button data-filter=\"\" aria-pressed=\"true\">all <b>%zu</b></button>\n",
            job->suite->count);
    for (int i = GOLDEN_STATES - 1; i >= 0; i--) {
        const char *name = golden_state_name((enum golden_state)i);
        int count = 0;
        for (size_t k = 0; k < job->suite->count; k++)
            count += (int)job->result[k].state == i;
        if (count > 0)
            fprintf(out,
                    "<button class=\"%s\" data-filter=\"%s\" aria-pressed=\"false\">%s <b>%d</b>"
                    "</button>\n",
                    name, name, name, count);
    }
    fputs("<input type=\"search\" placeholder=\"Filter by file or command\" "
          "aria-label=\"Filter by file or command\">\n</div>\n</header>\n<main>\n",
          out);
}

static void put_page(FILE *out, const void *context)
{
    const struct golden_job *job = context;
    put_head(out, job);
    for (int i = GOLDEN_STATES - 1; i >= 0; i--) {
        for (size_t k = 0; k < job->suite->count; k++) {
            if ((int)job->result[k].state == i)
                put_case(out, &job->suite->cases[k], &job->result[k]);
        }
    }
    fputs("</main>\n<p class=\"empty\" hidden>Nothing matches the filter.</p>\n"
          "<footer>stencilcli " STENCIL_VERSION "</footer>\n<script>\n",
          out);
    fputs(golden_report_js, out);
    fputs("</script>\n</body>\n</html>\n", out);
}

bool golden_report_write(const struct golden_job *job, const char *path, struct error *err)
{
    return output_page(path, put_page, job, err);
}
