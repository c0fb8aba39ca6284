/* Prints the numbers of a comparison, for people and for programs. */
#include "cli/print_compare.h"

#include <inttypes.h>
#include <math.h>

#include "base/json.h"
#include "cli/command.h"

static void psnr_text(char text[32], const struct compare_sums *sums, uint32_t max)
{
    double psnr = compare_psnr(sums, max);
    if (isinf(psnr))
        snprintf(text, 32, "inf");
    else
        snprintf(text, 32, "%.4f", psnr);
}

/* ---- for people ---- */

static void print_line(FILE *out, const char *name, const struct compare_sums *sums, uint32_t max)
{
    char psnr[32];
    psnr_text(psnr, sums, max);
    fprintf(out, "%-8s %6" PRIu32 " %11.6g %11.6g %9s %10.8f %12" PRIu64 " %9.4g%%\n", name,
            sums->max_diff, compare_mean(sums), compare_rms(sums), psnr, sums->ssim,
            sums->differing, compare_percent(sums->differing, sums->samples));
}

void compare_print_table(FILE *out, const struct compare_result *result)
{
    int channels = result->a.channels;
    const struct compare_sums *all = &result->all;

    if (!result->comparable)
        return;
    if (all->max_diff > 0)
        fprintf(out,
                "largest difference: %" PRIu32 " at x %d, y %d, %s: %" PRIu32 " and %" PRIu32 "\n",
                all->max_diff, all->x, all->y, compare_channel_name(channels, all->channel), all->a,
                all->b);
    fprintf(out, "%-8s %6s %11s %11s %9s %10s %12s %10s\n", "channel", "max", "mean", "rms",
            "PSNR dB", "SSIM", "differing", "of samples");
    for (int c = 0; c < channels; c++)
        print_line(out, compare_channel_name(channels, c), &result->channel[c], result->a.max);
    if (channels > 1)
        print_line(out, "all", all, result->a.max);
    fprintf(out, "pixels that differ: %" PRIu64 " of %" PRIu64 " (%.4g%%)\n",
            result->differing_pixels, result->pixels,
            compare_percent(result->differing_pixels, result->pixels));
}

/* ---- for programs ---- */

static void print_info(FILE *out, const char *key, const struct image_info *info)
{
    fprintf(out, ",\"%s\":{\"width\":%d,\"height\":%d,\"channels\":%d,\"bits\":%d,\"max\":%u}", key,
            info->width, info->height, info->channels, 8 * (int)info->type, info->max);
}

static void print_sums(FILE *out, const struct compare_sums *sums, const struct image_info *info)
{
    double psnr = compare_psnr(sums, info->max);
    fprintf(out, "\"max_diff\":%" PRIu32, sums->max_diff);
    if (sums->max_diff > 0)
        fprintf(out,
                ",\"at\":{\"x\":%d,\"y\":%d,\"channel\":\"%s\",\"a\":%" PRIu32 ",\"b\":%" PRIu32
                "}",
                sums->x, sums->y, compare_channel_name(info->channels, sums->channel), sums->a,
                sums->b);
    fprintf(out, ",\"mean\":%.9g,\"rms\":%.9g,", compare_mean(sums), compare_rms(sums));
    if (isinf(psnr))
        fprintf(out, "\"psnr\":\"inf\"");
    else
        fprintf(out, "\"psnr\":%.9g", psnr);
    fprintf(out,
            ",\"ssim\":%.9g,\"samples\":%" PRIu64 ",\"differing\":%" PRIu64 ",\"percent\":%.9g",
            sums->ssim, sums->samples, sums->differing,
            compare_percent(sums->differing, sums->samples));
}

void compare_print_json(FILE *out, const struct compare_result *result)
{
    const struct image_info *info = &result->a;

    fprintf(out, "\"result\":\"%s\",\"why\":",
            !result->passed                 ? "different"
            : result->differing_pixels == 0 ? "equal"
                                            : "within");
    json_print_text(out, result->why);
    print_info(out, "a_info", &result->a);
    print_info(out, "b_info", &result->b);
    if (!result->comparable)
        return;
    fprintf(out, ",\"pixels\":%" PRIu64 ",\"differing_pixels\":%" PRIu64 ",\"pixel_percent\":%.9g",
            result->pixels, result->differing_pixels,
            compare_percent(result->differing_pixels, result->pixels));
    fprintf(out, ",\"all\":{");
    print_sums(out, &result->all, info);
    fprintf(out, "},\"channels\":[");
    for (int c = 0; c < info->channels; c++) {
        fprintf(out, "%s{\"channel\":\"%s\",", c > 0 ? "," : "",
                compare_channel_name(info->channels, c));
        print_sums(out, &result->channel[c], info);
        fputc('}', out);
    }
    fputc(']', out);
}
