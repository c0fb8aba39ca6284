/* `stencilcli try FILE.cu`: checks the options, and becomes the program stencilcli-try (src/try),
 * which does everything else. */
#include "cli/command.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PROGRAM "stencilcli-try"
#define WORDS   18

struct words {
    char *word[WORDS];
    int count;
    bool lacks_memory;
};

__attribute__((format(printf, 2, 3))) static void add(struct words *words, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    if (vasprintf(&words->word[words->count], format, args) < 0)
        words->lacks_memory = true;
    else
        words->count++;
    va_end(args);
}

static void add_text(struct words *words, const char *key, const char *value)
{
    if (value)
        add(words, "%s=%s", key, value);
}

static void add_sides(struct words *words, const char *key, const int side[2])
{
    if (side[0])
        add(words, "%s=%dx%d", key, side[0], side[1]);
}

static bool check(const struct options *options, struct error *err)
{
    if (!options->template_name && options->operands == 0)
        return error_set(err, EXIT_USAGE, "try needs FILE.cu; try 'stencilcli try --help'");
    if (options->template_name && options->operands > 0)
        return error_set(err, EXIT_USAGE, "--template prints a file: unexpected '%.80s'",
                         options->operand[0]);
    if (options->request.device == DEVICE_CPU && !options->request.device_auto)
        return error_set(err, EXIT_DEVICE,
                         "try runs a kernel on the software GPU (--device soft), or on a GPU, too "
                         "(--device cuda)");
    return true;
}

static bool is_cuda(const struct options *options)
{
    return options->request.device == DEVICE_CUDA && !options->soft;
}

bool command_try(const struct options *options, struct error *err)
{
    struct words words = {0};
    char path[4096], program[4096] = "";

    if (!check(options, err))
        return false;
    if (!other_program_find(path, sizeof path, PROGRAM))
        return error_set(err, EXIT_DEVICE, "this build has no %s", PROGRAM);
    add(&words, "%s", PROGRAM);
    add_text(&words, "template", options->template_name);
    add_text(&words, "file", options->operands ? options->operand[0] : NULL);
    add_text(&words, "mask", options->request.filter.mask);
    add_text(&words, "cases", options->cases);
    add_text(&words, "image", options->image);
    add_text(&words, "junit", options->junit);
    add_text(&words, "html", options->html);
    add_text(&words, "quick", options->quick ? "1" : NULL);
    if (is_cuda(options)) {
        add(&words, "gpu=%d", options->request.device_index);
        if (readlink("/proc/self/exe", program, sizeof program - 1) > 0)
            add(&words, "program=%s", program); /* for its bench */
    }
    add_text(&words, "json", options->json ? "1" : NULL);
    add_sides(&words, "block", options->block);
    add_sides(&words, "tile", options->output_tile);
    add(&words, "seed=%d", options->seed);
    if (words.lacks_memory)
        return error_set(err, EXIT_INPUT, "no memory for the words of %s", PROGRAM);
    execv(path, words.word);
    error_set(err, EXIT_DEVICE, "cannot start %s: %s", path, strerror(errno));
    for (int i = 0; i < words.count; i++)
        free(words.word[i]);
    return false;
}
