/* One check for the outputs of every command, before the command runs: an output replaces neither a
 * file that the command reads nor another output. Files are compared by device and inode, because a
 * file may have several paths (links, mounts). INPUT OUTPUT alone may be one file. The outputs of a
 * folder are checked in batch/list.c. An output on standard output is alone there. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/option_table.h"
#include "codec/output.h"
#include "plan/mask.h"

#define MOST_FILES (12 + 2 * CHAIN_MOST)

struct file {
    const char *option; /* "--junit ", or "" for an operand */
    const char *path;
    bool in_place; /* OUTPUT, which may be INPUT */
};

struct files {
    struct file file[MOST_FILES];
    int count;
};

static void add(struct files *files, const char *option, const char *path, bool in_place)
{
    if (path && files->count < MOST_FILES)
        files->file[files->count++] = (struct file){option, path, in_place};
}

/* The regular file that is read from or written to PATH; false if there is none. */
static bool find(const char *path, int standard, struct stat *status)
{
    int own = strcmp(path, "-") == 0 ? standard : output_own_descriptor(path);

    return (own >= 0 ? fstat(own, status) : stat(path, status)) == 0 && S_ISREG(status->st_mode);
}

static bool is_one_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Whether two outputs that do not exist yet have one path. */
static bool is_one_path(const char *a, const char *b)
{
    char *real_a = path_real(a), *real_b = path_real(b);
    bool same = real_a && real_b && strcmp(real_a, real_b) == 0 && access(real_a, F_OK) != 0;

    free(real_a);
    free(real_b);
    return same && strcmp(a, "-") != 0;
}

static bool refuse(const struct file *output, const char *other, const char *what,
                   struct error *err)
{
    return error_set(err, EXIT_USAGE, "%s%s: %s%s: choose another output", output->option,
                     strcmp(output->path, "-") == 0 ? "standard output" : output->path, other,
                     what);
}

static bool check(const struct file *output, const struct files *inputs, const struct files *before,
                  struct error *err)
{
    struct stat status, other;
    bool exists = find(output->path, STDOUT_FILENO, &status);
    /* Writing in place goes through a temporary file, which the standard output lacks. */
    bool direct = strcmp(output->path, "-") == 0 || output_own_descriptor(output->path) >= 0;

    for (int i = 0; exists && i < inputs->count; i++) {
        const struct file *input = &inputs->file[i];
        if (find(input->path, STDIN_FILENO, &other) && is_one_file(&status, &other) &&
            !(output->in_place && input->in_place && !direct))
            return refuse(output, "", "this command reads that file", err);
    }
    for (int i = 0; i < before->count; i++) {
        const struct file *first = &before->file[i];
        if (exists ? find(first->path, STDOUT_FILENO, &other) && is_one_file(&status, &other)
                   : is_one_path(output->path, first->path))
            return refuse(output, first->option, "writes that file, too", err);
    }
    return true;
}

bool command_check_outputs(const struct options *options, struct error *err)
{
    const enum command_id command = command_find(options->command);
    const bool filters =
        command == COMMAND_FILTER || command == COMMAND_CHAIN || command == COMMAND_SIGNAL;
    const struct filter_request *step = &options->request.filter;
    char *mask[CHAIN_MOST] = {NULL};
    int masks = 0;
    char suite[PATH_MAX] = "";
    struct files inputs = {0}, outputs = {0}, before = {0};
    bool ok = true;

    for (int i = 0; i < options->operands; i++) {
        bool last = i > 0 && i == options->operands - 1;
        add(filters && last ? &outputs : &inputs, "", options->operand[i], filters);
    }
    if (command == COMMAND_GOLDEN && options->operands > 1) { /* the suite may be a folder */
        snprintf(suite, sizeof suite, "%s/golden.txt", options->operand[1]);
        add(&inputs, "", suite, false);
    }
    for (; step; step = step->next) {
        if (step->mask && (mask[masks] = mask_path(step->mask)))
            add(&inputs, "--mask ", mask[masks++], false);
        add(&inputs, "--where ", step->where, false);
    }
    add(&inputs, "--files-from ", options->tree.files_from, false);
    add(&outputs, "--diff ", options->diff, false);
    add(&outputs, "--html ", options->html, false);
    add(&outputs, "--junit ", options->junit, false);
    add(&outputs, "--plot ", options->plot, false);
    for (int i = 0; ok && i < outputs.count; i++) {
        ok = check(&outputs.file[i], &inputs, &before, err);
        before.file[before.count++] = outputs.file[i];
        if (!options->plan) /* which writes no picture */
            output_text_aside(outputs.file[i].path);
    }
    for (int i = 0; ok && i < 3; i++) {
        const char *report[] = {options->html, options->junit, options->plot};
        ok = !report[i] || output_check_report(report[i], err);
    }
    while (masks > 0)
        free(mask[--masks]);
    return ok;
}
