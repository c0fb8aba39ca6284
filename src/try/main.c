/* The program behind `stencilcli try`, which starts it: its words are KEY=VALUE, made by
 * cli/command_try.c, so that this program knows no options. Prints the verdict. */
#include <gmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "codec/output.h"
#include "try/print.h"
#include "try/process.h"
#include "try/templates.h"

struct words {
    const char *file, *junit, *html, *template_name, *program;
    struct try_wishes wishes;
    struct try_shape shape;
    bool json, gpu;
    int gpu_number;
};

static bool read_words(struct words *words, int argc, char **argv)
{
    *words = (struct words){.wishes.seed = 1};
    for (int i = 1; i < argc; i++) {
        char *value = strchr(argv[i], '=');
        if (!value)
            return false;
        const size_t length = (size_t)(value++ - argv[i]);
#define IS(key) (length == sizeof key - 1 && memcmp(argv[i], key, length) == 0)
        if (IS("file"))
            words->file = value;
        else if (IS("junit"))
            words->junit = value;
        else if (IS("html"))
            words->html = value;
        else if (IS("program"))
            words->program = value;
        else if (IS("template"))
            words->template_name = value;
        else if (IS("cases"))
            words->wishes.hidden = value;
        else if (IS("mask"))
            words->wishes.mask = value;
        else if (IS("image"))
            words->wishes.image = value;
        else if (IS("seed"))
            words->wishes.seed = (unsigned)strtoul(value, NULL, 10);
        else if (IS("quick"))
            words->wishes.quick = true;
        else if (IS("gpu")) {
            words->gpu = true;
            words->gpu_number = (int)strtol(value, NULL, 10);
        } else if (IS("json"))
            words->json = true;
        else if (IS("block"))
            try_sides_read(value, words->shape.block);
        else if (IS("tile"))
            try_sides_read(value, words->shape.tile);
        else
            return false;
#undef IS
    }
    return words->file || words->template_name;
}

static int print_template(const char *name)
{
    for (size_t i = 0; i < sizeof try_templates / sizeof try_templates[0]; i++)
        if (strcmp(try_templates[i].name, name) == 0)
            return fputs(try_templates[i].text, stdout) >= 0 && fflush(stdout) == 0 ? EXIT_DONE
                                                                                    : EXIT_INPUT;
    return EXIT_USAGE;
}

/* A kernel that is right in software only is wrong. */
static bool run_on_gpu(struct try_report *report, struct error *err)
{
    const struct try_gpu *gpu = &report->gpu;
    struct try_verdict *verdict = &report->verdict;

    if (!try_gpu_run(&report->trial.setup, report->trial.battery, &report->gpu, err))
        return false;
    if (gpu->right)
        return true;
    verdict->code = EXIT_DIFFERENT;
    snprintf(verdict->id, sizeof verdict->id, "wrong-on-gpu");
    snprintf(verdict->sentence, sizeof verdict->sentence, "%s", gpu->sentence);
    return true;
}

/* Compiles, runs and judges; the verdict's own errors are `stopped`. */
static bool try_file(const struct words *words, struct try_report *report, struct error *err)
{
    struct try_trial *trial = &report->trial;
    void *made;
    bool good;

    trial->setup.limits.seconds = words->wishes.quick ? 2 : 5;
    if (!try_soft_compile(&trial->setup, &made, err)) {
        if (err->code == EXIT_INPUT && strstr(err->text, "compile"))
            report->compiles = false;
        return false;
    }
    const double start = clock_ms();
    FILE *printed = open_memstream(&report->printed, &report->printed_bytes);
    good = try_soft_run(made, trial->battery->cases, trial->battery->count, report->results,
                        printed, err);
    if (printed)
        fclose(printed);
    report->seconds = (clock_ms() - start) / 1e3;
    good = good && try_judge(trial, &report->verdict, err);
    if (good && words->gpu && report->verdict.code == EXIT_DONE)
        good = run_on_gpu(report, err);
    try_soft_free(made);
    return good;
}

static bool run(const struct words *words, struct try_report *report, const char *scratch,
                struct error *err)
{
    struct try_trial *trial = &report->trial;

    report->compiles = true;
    if (!try_file_read(&report->file, words->file, &words->shape, err) ||
        !try_battery_make(&report->battery, &report->file, &words->wishes, err) ||
        !try_battery_add_count(&report->battery, &report->file, 5, err))
        return false;
    report->results = calloc((size_t)report->battery.count, sizeof *report->results);
    if (!report->results)
        return error_set(err, EXIT_INPUT, "no memory for the results");
    trial->file = &report->file;
    trial->battery = &report->battery;
    trial->results = report->results;
    trial->setup = (struct try_setup){.file = &report->file,
                                      .scratch = scratch,
                                      .gpu = words->gpu_number,
                                      .program = words->program};
    return try_file(words, report, err);
}

static void say_trouble(const struct error *err)
{
    if (!err->text[0])
        return;
    fputs("stencilcli: ", stderr);
    clean_text_put(stderr, err->text);
    fputc('\n', stderr);
}

int main(int argc, char **argv)
{
    struct try_report report = {0};
    struct words words;
    struct error err = {0}, trouble = {0};
    char scratch[512];
    int code;

    if (!read_words(&words, argc, argv)) {
        fprintf(stderr, "stencilcli-try: started by `stencilcli try`\n");
        return EXIT_USAGE;
    }
    if (words.template_name)
        return print_template(words.template_name);
    output_text_aside(words.junit);
    output_text_aside(words.html);
    process_install();
    if (!process_folder_make(scratch, sizeof scratch, &err)) {
        fprintf(stderr, "stencilcli: %s\n", err.text);
        return EXIT_INPUT;
    }
    const bool good = run(&words, &report, scratch, &err);
    process_folder_remove(scratch);
    if (process_signal()) {
        signal(process_signal(), SIG_DFL);
        raise(process_signal());
    }
    report.path = words.file;
    report.error = good ? NULL : &err;
    code = try_print(&report, words.json, words.junit, words.html, &trouble);
    say_trouble(good ? &trouble : &err);
    for (int i = 0; report.results && i < report.battery.count; i++)
        try_result_free(&report.results[i]);
    free(report.results);
    free(report.printed);
    try_verdict_free(&report.verdict);
    try_battery_free(&report.battery);
    try_file_free(&report.file);
    return code;
}
