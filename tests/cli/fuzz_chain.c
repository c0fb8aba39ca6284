/* Fuzz target: any lines as the words behind `stencilcli chain IN OUT`. Words that parse must make
 * a plan for each kind of picture, or be refused by one sentence with the usage code. Run by
 * scripts/fuzz; a violation is a trap, which the fuzzer reports with the input. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"

#define MAX_BYTES 1024
#define MAX_WORDS 16

/* The most cells of a mask for which plans are made: large ones would make runs slow. */
#define MAX_CELLS 1024

static void require(bool condition)
{
    if (!condition)
        __builtin_trap();
}

/* EXIT_INPUT: a mask file that is not there. */
static void check_refusal(const struct error *err)
{
    require(err->code == EXIT_USAGE || err->code == EXIT_INPUT);
    require(err->text[0] != '\0' && !strchr(err->text, '\n'));
}

static bool is_small(const struct filter_request *request)
{
    for (; request; request = request->next)
        for (int k = 0; k < request->mask_count; k++)
            if (request->masks[k].width * request->masks[k].height > MAX_CELLS)
                return false;
    return true;
}

static void check_plans(const struct filter_request *request, int steps)
{
    struct error err;
    struct plan plan;

    for (int channels = 1; channels <= 4; channels++) {
        const bool bytes = channels % 2;
        if (!filter_plan(request, channels, bytes ? SAMPLE_U8 : SAMPLE_U16, bytes ? 255 : 65535,
                         &plan, &err)) {
            check_refusal(&err);
            continue;
        }
        int found = 0;
        for (const struct plan *step = &plan; step; step = step->next, found++)
            require(step->channels == channels && step->filtered >> channels == 0 &&
                    step->repeat >= 1);
        require(found == steps);
        plan_free(&plan);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct options options;
    char text[MAX_BYTES + 1], *argv[MAX_WORDS + 5] = {"stencilcli", "chain", "in.png", "out.png"};
    struct error err = {0};
    int argc = 4;

    /* A named file may be a pipe that nobody writes. */
    if (size > MAX_BYTES || memchr(data, '\0', size) || memchr(data, '/', size))
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    for (char *line = strtok(text, "\n"); line && argc < MAX_WORDS + 4; line = strtok(NULL, "\n"))
        argv[argc++] = line;
    if (!options_parse(&options, argc, argv, &err)) {
        check_refusal(&err);
        return 0;
    }
    if (options.steps == 0) /* --help */
        return 0;
    if (!filter_load(&options.request.filter, &err)) {
        check_refusal(&err);
        return 0;
    }
    if (is_small(&options.request.filter))
        check_plans(&options.request.filter, options.steps);
    filter_unload(&options.request.filter);
    return 0;
}
