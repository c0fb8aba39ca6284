/* `stencilcli FILTER FOLDER FOLDER`: filters every picture below a folder into the same tree below
 * another folder. `stencilcli FILTER FILES... FOLDER`: filters these files into a folder. Prints
 * failures and, with --json, every file, in the order of names; progress on a terminal, or every
 * ten seconds with -v; a summary at the end. */
#include <inttypes.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"
#include "base/text.h"
#include "cli/command.h"
#include "kernel/backend.h"

/* Seconds between progress lines: for lines that stay, and for a line that is overwritten. */
#define LINE_SECONDS 10.0
#define DRAW_SECONDS 0.1

struct printer {
    const struct options *options;
    bool terminal;
    bool drawn; /* a line of progress is on the terminal */
    double next_line;
    bool different;              /* --verify found something */
    const struct kernel *kernel; /* the last file's */
};

/* ---- while it runs ---- */

static void wipe(struct printer *printer)
{
    if (printer->drawn)
        command_draw("");
    printer->drawn = false;
}

static void counted(void *context, const struct batch_counts *counts)
{
    struct printer *printer = context;
    char line[BATCH_LINE_CHARS];
    struct winsize size;

    if (printer->options->quiet || !(printer->terminal || printer->options->verbose) ||
        counts->seconds < printer->next_line)
        return;
    batch_progress_line(line, counts);
    if (printer->terminal) {
        /* Cut the line to the terminal's width, which may change at any time: a line that wraps
         * could not be erased. */
        if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 &&
            size.ws_col <= BATCH_LINE_CHARS)
            line[size.ws_col - 1] = '\0';
        command_draw(line);
        printer->drawn = true;
    } else if (printer->next_line > 0) {
        command_say("%s", line);
    }
    printer->next_line = counts->seconds + (printer->terminal ? DRAW_SECONDS : LINE_SECONDS);
}

static void print_json(const struct options *options, const struct batch_result *result)
{
    static const char *const names[] = {[BATCH_DONE] = "done",
                                        [BATCH_SKIPPED] = "skipped",
                                        [BATCH_FAILED] = "failed",
                                        [BATCH_PLANNED] = "planned",
                                        [BATCH_PASSED] = "passed over"};

    json_print(stdout, "{'input':");
    json_put_bytes(stdout, result->input);
    if (result->status != BATCH_PASSED) {
        json_print(stdout, ",'output':");
        json_put_bytes(stdout, result->output);
    }
    json_print(stdout, ",'status':%s", names[result->status]);
    if (result->status == BATCH_FAILED)
        json_print(stdout, ",'error':%s", result->err.text);
    else if (result->status == BATCH_DONE || result->status == BATCH_SKIPPED)
        json_print(stdout, ",'input_bytes':%" PRIu64 ",'output_bytes':%" PRIu64,
                   result->input_bytes, result->output_bytes);
    if (result->status == BATCH_DONE) {
        fputc(',', stdout);
        command_filter_json(stdout, options, &result->report);
    }
    puts("}");
    fflush(stdout); /* so that readers see whole lines, and a kill loses none */
}

static void told(void *context, const struct batch_result *result)
{
    struct printer *printer = context;
    const struct options *options = printer->options;
    const struct picture_choice *choice = &result->report.choice;

    wipe(printer);
    if (result->status == BATCH_FAILED) {
        command_fail(&result->err);
        printer->different = printer->different || result->err.code == EXIT_DIFFERENT;
    } else if (result->status == BATCH_DONE && options->verbose) {
        command_notes(options, result->report.clipped, "");
        command_notes(options, result->report.warning, "");
        if (choice->kernel != printer->kernel)
            command_say("%s: kernel %s on %s", result->input, choice->kernel->name,
                        backend_find(choice->device)->name);
        printer->kernel = choice->kernel;
    } else if (result->status == BATCH_PASSED && options->verbose) {
        command_say("%s: passed over: its name has no extension of a format that is read",
                    result->input);
    }
    if (options->json) {
        print_json(options, result);
    } else if (result->status == BATCH_PLANNED) {
        clean_text_put(stdout, result->input);
        fputs(" -> ", stdout);
        clean_text_put(stdout, result->output);
        fputc('\n', stdout);
    }
}

static void print_end(const struct options *options, const struct batch_counts *counts)
{
    char line[BATCH_LINE_CHARS], kinds[FOLDER_KINDS_BYTES];

    if (options->quiet)
        return;
    batch_summary_line(line, counts);
    command_say("%s", line);
    batch_work_line(line, counts);
    if (line[0])
        command_say("%s", line);
    if (options->request.verify && counts->done > 0)
        command_say("verified: every sample of %zu file%s equals the reference", counts->done,
                    counts->done == 1 ? "" : "s");
    if (counts->passed.files > 0)
        command_say("%s", folder_kinds_line(kinds, &counts->passed));
    if (counts->links_outside > 0)
        command_say("%zu symlink%s out of the folder not followed (--follow)",
                    counts->links_outside, counts->links_outside == 1 ? "" : "s");
    if (counts->loops > 0)
        command_say("%zu loop%s of symlinks not followed", counts->loops,
                    counts->loops == 1 ? "" : "s");
    if (counts->clipped > 0 && !options->verbose)
        command_say("%zu file%s with more than 1 %% of the samples clipped by the mask's sum "
                    "(-v names them); --normalize divides by the sum",
                    counts->clipped, counts->clipped == 1 ? "" : "s");
    if (counts->with_warnings > 0 && !options->verbose)
        command_say("%zu file%s with data that is not kept (-v names them)", counts->with_warnings,
                    counts->with_warnings == 1 ? "" : "s");
}

/* ---- before the run ---- */

/* --ext without a leading dot. */
static const char *extension(const struct options *options)
{
    return options->tree.extension ? options->tree.extension + (options->tree.extension[0] == '.')
                                   : NULL;
}

/* ---- what the operands ask for ---- */

static bool is_folder(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* Whether OUTPUT is a folder, or is to be one. */
static bool names_folder(const char *output)
{
    size_t length = strlen(output);

    return is_folder(output) || (length > 1 && output[length - 1] == '/');
}

static bool check_folder(const struct options *options, struct error *err)
{
    const char *mask = options->request.filter.mask;

    if (options->operands < 2)
        return error_set(err, EXIT_USAGE, "%s: --plan for a folder needs OUTPUT too",
                         options->operand[0]);
    if (options->tree.null_ended && !options->tree.files_from)
        return error_set(err, EXIT_USAGE, "--null is for --files-from");
    if (options->tree.files_from && mask && strcmp(mask, "-") == 0 &&
        strcmp(options->tree.files_from, "-") == 0)
        return error_set(err, EXIT_USAGE,
                         "the mask and the names cannot both be read from standard input");
    return true;
}

/* The last word may be a folder that is to be made, of the name of a filter. */
static bool several_filters(const struct options *options, const char *filter, struct error *err)
{
    char folder[64] = "";

    if (filter == options->operand[options->operands - 1])
        snprintf(folder, sizeof folder, "; for a folder of this name write %s/", filter);
    return error_set(err, EXIT_USAGE,
                     "%s is a filter: for several filters write stencilcli chain INPUT OUTPUT %s "
                     "%s, and a filter with its options in quotes: 'gauss --sigma 2'%s",
                     filter, options->command, filter, folder);
}

/* Refuses options for folders where INPUT or OUTPUT is none. */
static bool check_files(const struct options *options, enum command_run run, struct error *err)
{
    const char *input = options->operand[0], *option = options->folder_option;
    if (options->tree.files_from)
        return error_set(err, EXIT_USAGE,
                         "--files-from: INPUT is the folder of the names; '%s' is none", input);
    for (int i = 0; run == RUN_FILES && i < options->operands; i++)
        if (filter_find(options->operand[i]) && access(options->operand[i], F_OK) != 0)
            return several_filters(options, options->operand[i], err);
    if (option)
        return error_set(err, EXIT_USAGE, "--%s is for folders, and '%s' is none", option, input);
    if (run == RUN_PICTURE && options->devices > 1)
        return error_set(err, EXIT_USAGE, "one picture runs on one device; a folder on several");
    if (run == RUN_PICTURE && options->into_option)
        return error_set(err, EXIT_USAGE, "--%s is for folders, and '%s' is none",
                         options->into_option, options->operands > 1 ? options->operand[1] : input);
    return true;
}

/* An output with an image's name is more likely a forgotten folder than a folder to be made. */
static bool check_output(const struct options *options, enum command_run run, struct error *err)
{
    const char *output = options->operand[options->operands - 1];
    const char *inputs = run == RUN_FOLDER ? "as INPUT is one" : "as there are several inputs";
    struct sink_options sink = options->request.sink;
    char known[FORMAT_KNOWN_BYTES];
    bool is_stdout = strcmp(output, "-") == 0;

    if (is_stdout || (access(output, F_OK) == 0 && !is_folder(output)))
        return error_set(err, EXIT_USAGE, "%s: expected a folder, %s",
                         is_stdout ? "standard output" : output, inputs);
    if (!names_folder(output) && format_of_path(output) != FORMAT_NONE)
        return error_set(err, EXIT_USAGE,
                         "%s: expected a folder, %s; to make a folder of this name, write %s/",
                         output, inputs, output);
    if (options->tree.extension)
        sink.format = format_of_name(extension(options));
    if (options->tree.extension && sink.format == FORMAT_NONE)
        return error_set(err, EXIT_USAGE, "--ext %s: unknown format (%s)", options->tree.extension,
                         format_known(known));
    return sink.format == FORMAT_NONE || sink_check_format(output, &sink, err);
}

bool command_find_run(const struct options *options, enum command_run *run, struct error *err)
{
    int count = options->operands;

    *run = count <= 2 && is_folder(options->operand[0])                     ? RUN_FOLDER
           : count > 2 || (count == 2 && names_folder(options->operand[1])) ? RUN_FILES
                                                                            : RUN_PICTURE;
    return (*run == RUN_FOLDER ? check_folder(options, err) : check_files(options, *run, err)) &&
           (*run == RUN_PICTURE || check_output(options, *run, err));
}

static struct batch_tree tree_of(const struct options *options)
{
    struct batch_tree tree = options->tree;

    tree.input = options->operand[0];
    tree.output = options->operand[options->operands - 1];
    tree.extension = extension(options);
    return tree;
}

char *command_output_in_folder(const struct options *options, bool *made, struct error *err)
{
    struct batch_tree tree = tree_of(options);
    struct batch_list list;
    char *path = NULL;

    *made = !options->plan && !is_folder(tree.output);
    tree.files = options->operand;
    tree.file_count = 1;
    if (!batch_list_make(&list, &tree, err) ||
        (!options->plan && !batch_folders_make(&list, 1, err)))
        *made = false;
    else if (list.item->trouble)
        error_file(err, options->operand[0], "%s", list.item->trouble);
    else if (!(path = batch_output_path(&tree, list.item)))
        error_file(err, tree.output, "no memory for the names of its files");
    batch_list_free(&list);
    return path;
}

/* ---- the run ---- */

/* The GPUs to use: those that were named. For `cuda` alone, all of the machine; but if a scheduler
 * has started several processes on the machine, the GPU with this process's rank. */
static int choose_devices(const struct options *options, int list[OPTION_DEVICES_MAX])
{
    char why[128];
    int count;

    if (options->request.device_auto || options->request.device != DEVICE_CUDA)
        return 0;
    memcpy(list, options->device_list, sizeof options->device_list);
    if (options->devices > 0)
        return options->devices;
    count = backend_find(DEVICE_CUDA)->devices(why, sizeof why);
    if (count > 0 && options->shard && shard_local_rank() >= 0) {
        list[0] = shard_local_rank() % count;
        return 1;
    }
    for (int i = 0; i < count && i < OPTION_DEVICES_MAX; i++)
        list[i] = i;
    return count < OPTION_DEVICES_MAX ? count : OPTION_DEVICES_MAX;
}

bool command_batch(const struct options *options, enum command_run run,
                   const struct picture_request *request, struct error *err)
{
    struct printer printer = {.options = options, .terminal = isatty(STDERR_FILENO) == 1};
    struct batch_job job = {.request = request,
                            .tree = tree_of(options),
                            .threads = request->threads,
                            .max_failures = options->fail_fast ? 1 : options->max_failures,
                            .force = options->force,
                            .plan = options->plan,
                            .told = told,
                            .counted = counted,
                            .context = &printer};
    struct batch_counts counts;
    int devices[OPTION_DEVICES_MAX];

    if (!shard_choose(&job.shard, options->shard, err))
        return false;
    if (options->shard && !options->quiet && (options->verbose || job.shard.why[0]))
        command_say("shard %d/%d%s%s", job.shard.index, job.shard.count,
                    job.shard.why[0] ? ": " : "", job.shard.why);
    if (run == RUN_FILES) {
        job.tree.files = options->operand;
        job.tree.file_count = options->operands - 1;
    }
    job.device = devices;
    job.devices = choose_devices(options, devices);
    bool good = batch_run(&job, &counts, err);
    wipe(&printer);
    if (!good && err->code != EXIT_DEVICE) /* the first failing file has reported it */
        command_fail(err);
    if (counts.files > 0)
        print_end(options, &counts);
    return command_end(!good               ? err->code
                       : printer.different ? EXIT_DIFFERENT
                       : counts.failed > 0 ? EXIT_INPUT
                                           : EXIT_DONE,
                       err);
}
