/* The rows of the command table (cli/option_table.h), and how commands print messages. All filters
 * share one row; plan/filter.c has their names and what each of them does. */
#include "cli/command.h"

#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/option_table.h"

/* A row: name, operands, function, an example, text. */
/* clang-format off */
const struct command_spec command_table[COMMAND_COUNT] = {
    [COMMAND_FILTER] =
    {NULL, "INPUT OUTPUT", 2, INT_MAX, NULL, COMPLETE_FILE, command_filter, NULL,
     "filter an image, several images, or every image below a folder"},

    [COMMAND_CHAIN] =
    {"chain", "INPUT OUTPUT STEP...", 3, CHAIN_MOST + 2, NULL, COMPLETE_FILE, command_chain,
     "stencilcli chain photo.jpg out.jpg 'gauss --sigma 2' sharpen",
     "filter an image or a folder in several steps\n"
     "Each STEP is a filter with its options, as one word. The steps run one after the other on "
     "the decoded picture; each rounds its samples as if it were a run of its own. Options before "
     "and after the steps are for the whole run."},

    [COMMAND_MASK] =
    {"mask", "MASK | --sigma S", 0, 1, NULL, COMPLETE_MASK, command_mask,
     "stencilcli mask --sigma 1.4 > mymask.txt",
     "print a mask, to see, keep or change it\n"
     "The mask is printed as a mask file, so --mask can read it again. Comment lines after the "
     "rows give its sum, rank, symmetry and bounds."},

    [COMMAND_SIGNAL] =
    {"signal", "INPUT OUTPUT", 2, 2, NULL, COMPLETE_FILE, command_signal,
     "stencilcli signal in.txt out.txt --mask '1 2 1' --divisor 4",
     "filter samples: numbers in a text file, or audio\n"
     "The mask has one row or one column. Samples outside the signal are zero unless --border says "
     "otherwise. See SIGNALS."},

    [COMMAND_REUSE] =
    {"reuse", "[IMAGE]", 0, 1, NULL, COMPLETE_FILE, command_reuse,
     "stencilcli reuse --dims 2 --mask-width 5",
     "count how often tiled convolution loads each cell\n"
     "The command prints the analysis of the textbook's chapter as tables, for masks and output "
     "tiles of any width. The textbook is " TEXTBOOK ". The tables show loads with and without "
     "tiling, for internal and boundary tiles; uses of each cell of a tile; thread blocks and "
     "shared memory. With --size or an IMAGE there are also tables for the whole array or picture. "
     "Nothing is filtered."},

    [COMMAND_BENCH] =
    {"bench", "[IMAGE]", 0, 1, NULL, COMPLETE_FILE, command_bench,
     "stencilcli bench photo.png --mask gauss7",
     "time every kernel, on IMAGE or on a generated picture\n"
     "Every kernel is first compared with the reference. Then the kernel's own time is shown "
     "beside the time to copy as many bytes and beside the device's fastest multiply-adds. All "
     "three are measured in the same run. Unless --alpha is given, alpha is treated as one more "
     "channel. See BENCH."},

    [COMMAND_COMPARE] =
    {"compare", "A B", 2, 2, NULL, COMPLETE_FILE, command_compare,
     "stencilcli compare golden.png out.png --max-diff 1",
     "compare two pictures, or two folders of pictures\n"
     "Without limits the pictures must be equal. With limits, every given limit must hold. "
     "Pictures whose size, channels or depth differ are always different. The exit status is 0 if "
     "the pictures pass and 4 if they do not. See COMPARING."},

    [COMMAND_GOLDEN] =
    {"golden", "record|check SUITE", 2, 2, golden_word, COMPLETE_FILE, command_golden,
     "stencilcli golden check suite/ --html report.html",
     "test that programs still write the same pictures\n"
     "check runs the commands of a suite and compares their pictures with recorded checksums; "
     "record records the checksums. Any program can be tested. See GOLDEN."},

    [COMMAND_TRY] =
    {"try", "FILE.cu", 0, 1, NULL, COMPLETE_FILE, command_try,
     "stencilcli try my_kernel.cu",
     "try your own CUDA kernel: right or wrong, and why\n"
     "FILE.cu holds a __global__ kernel in the manner of the textbook's chapter. It runs on the "
     "software GPU, on many pictures and masks, and every output is compared with the formula. "
     "The exit status is 0 if it is right, 4 if it is wrong, 1 if it does not compile or "
     "misbehaves. See TRY."},

    [COMMAND_LIST] =
    {"list", "filters|kernels|methods|masks|formats|devices", 1, 1, list_word, COMPLETE_NOTHING,
     command_list, "stencilcli list filters",
     "list filters, kernels, methods, masks, formats or devices\n"
     "Each line begins with a name. For a kernel the line says whether this machine can run it; "
     "for a mask it gives the size and the first comment line of the file; for a format it says "
     "whether this build reads and writes it, and what a file can hold."},

    [COMMAND_HELP] =
    {"help", "[FILTER|COMMAND]", 0, 1, command_name, COMPLETE_NOTHING, command_help,
     "stencilcli help blur", "print all help, or the help of a filter or command"},

    [COMMAND_VERSION] =
    {"version", "", 0, 0, NULL, COMPLETE_NOTHING, command_version, "stencilcli version",
     "print the version and what is built in"},
};
/* clang-format on */

enum command_id command_find(const char *name)
{
    int id = COMMAND_FILTER + 1;
    if (filter_find(name))
        return COMMAND_FILTER;
    while (id < COMMAND_COUNT && strcmp(command_table[id].name, name) != 0)
        id++;
    return (enum command_id)id;
}

const char *command_name(int index)
{
    int filters;
    const struct filter *filter = filter_table(&filters);
    if (index < filters)
        return filter[index].name;
    index += 1 - filters; /* the filters' row is the first */
    return index < COMMAND_COUNT ? command_table[index].name : NULL;
}

const char *command_doc(const char *name)
{
    const struct filter *filter = filter_find(name);
    return filter ? filter->idea : command_table[command_find(name)].doc;
}

void command_say(const char *format, ...)
{
    char text[sizeof((struct error *)0)->text];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fputs("stencilcli: ", stderr);
    clean_text_put(stderr, text);
    fputc('\n', stderr);
}

/* Past stderr's stream, which lets no escape sequences through to a terminal. */
void command_draw(const char *text)
{
    dprintf(STDERR_FILENO, "\r\033[K%s", text);
}

void command_notes(const struct options *options, const char *warning, const char *note)
{
    if (warning[0] && !options->quiet)
        command_say("%s", warning);
    if (note[0] && options->verbose)
        command_say("%s", note);
}

void command_say_times(double start_ms, double read_ms, const struct kernel_times *times,
                       double write_ms, double total_ms)
{
    const struct {
        const char *name;
        double ms;
        bool always; /* else only if it took time: on CUDA */
    } stages[] = {{"starting CUDA", start_ms, false},
                  {"reading", read_ms, true},
                  {"copying to the GPU", times->upload_ms, false},
                  {"filtering", times->kernel_ms, true},
                  {"copying back", times->download_ms, false},
                  {"writing", write_ms, true}};
    char text[512] = "";
    double sum = 0;
    for (size_t i = 0; i < sizeof stages / sizeof stages[0]; i++) {
        if (stages[i].always || stages[i].ms > 0)
            text_append(text, sizeof text, "%s %.2f ms, ", stages[i].name, stages[i].ms);
        sum += stages[i].ms;
    }
    command_say("%stotal %.2f ms%s", text, total_ms,
                sum > 1.01 * total_ms ? " (stages overlap)" : "");
}

/* Work reaches a device through queues that the driver makes when it starts: eight of each kind,
 * unless the environment says otherwise, even for a job that uses one of each. On an H200 a process
 * that makes a context and ends takes 285 ms with eight queues, 202 ms with one. */
void command_has_one_job(void)
{
    setenv("CUDA_DEVICE_MAX_CONNECTIONS", "1", 0); /* if this fails: eight queues */
}

enum exit_code command_fail(const struct error *err)
{
    command_say("%s", err->text);
    return err->code;
}

bool command_end(enum exit_code code, struct error *err)
{
    *err = (struct error){.code = code};
    return code == EXIT_DONE;
}
