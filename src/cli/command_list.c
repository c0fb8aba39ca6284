/* `stencilcli list filters|kernels|methods|masks|formats|devices`: one line each, the name first;
 * filters stand under titles. With --json, one object per line. For people, and for the shell
 * completions, which read the first word of each line of the masks. */
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/option_table.h"
#include "codec/codec.h"
#include "cpu/method.h"
#include "kernel/backend.h"

/* All lists have this first column; a longer name shifts the rest of its line. */
#define NAME_WIDTH 12

static enum exit_code list_filters(bool json)
{
    int count;
    const struct filter *filters = filter_table(&count);
    for (int i = 0; i < count; i++) {
        const char *mask = filters[i].default_mask;
        const char *group = filter_group_title(filters[i].group);
        if (json)
            json_print(stdout,
                       mask ? "{'name':%s,'group':%s,'idea':%s,'kind':%s,'default_mask':%s}\n"
                            : "{'name':%s,'group':%s,'idea':%s,'kind':%s}\n",
                       filters[i].name, group, filters[i].idea, filter_kind_name(filters[i].kind),
                       mask);
        else if (i == 0 || filters[i].group != filters[i - 1].group)
            printf("%s:\n", group);
        if (!json)
            printf("  %-*s %s%s%s%s\n", NAME_WIDTH, filters[i].name, filters[i].idea,
                   mask ? " (default: " : "", mask ? mask : "", mask ? ")" : "");
    }
    return EXIT_DONE;
}

/* Whether KERNEL can run FILTER on this machine; if not, WHY has the reason. The mask is a mean of
 * 3x3 cells (of 3 cells in 1D). The picture is 8-bit gray, with alpha for kernels that need it. */
static bool runs_filter(const struct kernel *kernel, const char *filter, struct error *why)
{
    const bool bilateral = strcmp(filter, "bilateral") == 0;
    struct filter_request request = {
        .filter = filter_find(filter),
        .mask = kernel->dims == 1 ? "1 1 1"
                : bilateral       ? NULL
                                  : "1 1 1; 1 1 1; 1 1 1",
        .radius = bilateral ? 1 : -1,
        .range = bilateral ? "10" : NULL,
        .overrides.divisor = kernel->only_weighted ? "9" : NULL,
        .alpha = kernel->only_weighted ? ALPHA_WEIGHTED : ALPHA_PLAIN,
        .repeat = 1,
    };
    struct plan plan;
    if (!filter_plan(&request, kernel->only_weighted ? 2 : 1, SAMPLE_U8, UINT8_MAX, &plan, why))
        return false;
    bool runs = kernel_supports(kernel, &plan, why->text, sizeof why->text);
    plan_free(&plan);
    return runs;
}

/* Whether KERNEL can run one filter of each kind that a kernel may be for. */
static bool runs_here(const struct kernel *kernel, struct error *why)
{
    static const char *const filters[] = {"convolve", "median", "erode", "bilateral"};
    bool runs = false;

    if (backend_find(kernel->device)->devices(why->text, sizeof why->text) == 0)
        return false;
    for (size_t i = 0; !runs && i < sizeof filters / sizeof *filters; i++)
        runs = (kernel->dims == 2 || i == 0) && runs_filter(kernel, filters[i], why);
    return runs;
}

static enum exit_code list_kernels(bool json)
{
    int count;
    const struct kernel *kernels = kernel_table(&count);
    for (int i = 0; i < count; i++) {
        const struct kernel *kernel = &kernels[i];
        const char *device = backend_find(kernel->device)->name;
        char about[128];
        struct error why;
        bool runs = runs_here(kernel, &why);
        if (!runs && kernel->device == DEVICE_CUDA && soft_program_is_there(about, sizeof about))
            text_append(why.text, sizeof why.text, "; --device soft runs it");
        if (json)
            json_print(stdout,
                       runs ? "{'name':%s,'device':%s,'dims':%d,'idea':%s,'runs':true}\n"
                            : "{'name':%s,'device':%s,'dims':%d,'idea':%s,'runs':false,'why':%s}\n",
                       kernel->name, device, kernel->dims, kernel->idea, why.text);
        else
            printf("%-*s %-4s  %dD  %s%s%s%s\n", NAME_WIDTH, kernel->name, device, kernel->dims,
                   kernel->idea, runs ? "" : " (not here: ", runs ? "" : why.text, runs ? "" : ")");
    }
    return EXIT_DONE;
}

static enum exit_code list_methods(bool json)
{
    int count;
    const struct cpu_method *const *methods = cpu_methods(&count);
    for (int i = 0; i < count; i++) {
        if (json)
            json_print(stdout, "{'name':%s,'idea':%s}\n", methods[i]->name, methods[i]->idea);
        else
            printf("%-*s %s\n", NAME_WIDTH, methods[i]->name, methods[i]->idea);
    }
    return EXIT_DONE;
}

struct mask_listing {
    bool json;
    enum exit_code code; /* EXIT_DONE, or the code of the first broken mask */
};

/* Lists a broken mask file too, since a bare name finds it. The error goes to stderr and into the
 * exit status. */
static void list_mask(const char *name, const char *path, void *context)
{
    struct mask_listing *listing = context;
    struct mask mask = {0};
    struct error err;
    char size[32] = "-";
    bool good = mask_load(&mask, path, &err);
    const char *title = good && mask.title ? mask.title : "";
    if (good) {
        snprintf(size, sizeof size, "%dx%d", mask.width, mask.height);
    } else {
        command_fail(&err);
        listing->code = listing->code ? listing->code : err.code;
    }
    if (listing->json) {
        json_print(stdout,
                   good ? "{'name':%s,'path':%s,'width':%d,'height':%d,'title':%s}\n"
                        : "{'name':%s,'path':%s}\n",
                   name, path, mask.width, mask.height, title);
    } else {
        printf("%-*s %-7s  ", NAME_WIDTH, name, size);
        clean_text_put(stdout, good ? title : path);
        printf("\n");
    }
    if (good)
        mask_free(&mask);
}

static enum exit_code list_masks(bool json)
{
    struct mask_listing listing = {.json = json, .code = EXIT_DONE};
    mask_list(list_mask, &listing);
    return listing.code;
}

/* Prints a format as "png  reads, writes  8, 16 bits  gray, colour, alpha". */
static void print_format(const struct format_about *about)
{
    const char *of = about->max_side || about->gray_as ? "  " : "";
    char held[64] = "";

    text_append(held, sizeof held, "%s%s%s", about->gray ? "gray" : "",
                about->gray && about->colour ? ", " : "", about->colour ? "colour" : "");
    text_append(held, sizeof held, "%s", about->alpha ? ", alpha" : "");
    printf("%-*s %-13s  %-10s  %-*s%s", NAME_WIDTH, about->name,
           !about->writes  ? "reads"
           : !about->reads ? "writes"
                           : "reads, writes",
           about->bits > 8 ? "8, 16 bits" : "8 bits", *of ? 19 : 0, held, of);
    if (about->gray_as)
        printf("%s for gray, %s for colour", about->gray_as, about->colour_as);
    else if (about->max_side)
        printf("%sat most %d pixels a side", about->video ? "a video, " : "", about->max_side);
    printf("\n");
}

static enum exit_code list_formats(bool json)
{
    for (enum format format = FORMAT_NONE + 1; format < FORMATS; format++) {
        const struct format_about about = format_describe(format);
        if (json)
            json_print(stdout,
                       "{'name':%s,'reads':%i,'writes':%i,'bits':%d,'gray':%i,'colour':%i,"
                       "'alpha':%i,'max_side':%d,'video':%i,'install':%s}\n",
                       about.name, about.reads, about.writes, about.bits, about.gray, about.colour,
                       about.alpha, about.max_side, about.video, about.package);
        else if (about.package)
            printf("%-*s not in this build: install %s and build again\n", NAME_WIDTH, about.name,
                   about.package);
        else
            print_format(&about);
    }
    return EXIT_DONE;
}

static void list_backend(const struct backend *backend, bool json)
{
    char about[256] = "";
    int devices = backend->devices(about, sizeof about);
    if (devices == 0 && json)
        json_print(stdout, "{'name':%s,'there':false,'about':%s}\n", backend->name, about);
    else if (devices == 0)
        printf("%-*s none: %s\n", NAME_WIDTH, backend->name, about);
    for (int i = 0; i < devices; i++) {
        char name[32];
        /* The CPU is one device; other devices have the numbers that --device takes. */
        snprintf(name, sizeof name, backend->device == DEVICE_CPU ? "%s" : "%s:%d", backend->name,
                 i);
        backend->describe(i, about, sizeof about);
        if (json)
            json_print(stdout, "{'name':%s,'there':true,'about':%s}\n", name, about);
        else
            printf("%-*s %s\n", NAME_WIDTH, name, about);
    }
}

static void list_soft(bool json)
{
    char about[128];
    bool there = soft_program_is_there(about, sizeof about);
    if (json)
        json_print(stdout, "{'name':'soft','there':%i,'about':%s}\n", there, about);
    else
        printf("%-*s %s%s\n", NAME_WIDTH, "soft", there ? "" : "none: ", about);
}

static enum exit_code list_devices(bool json)
{
    list_backend(backend_find(DEVICE_CPU), json);
    list_backend(backend_find(DEVICE_CUDA), json);
    if (!backend_find(DEVICE_CUDA)->software)
        list_soft(json);
    return EXIT_DONE;
}

bool command_list(const struct options *options, struct error *err)
{
    /* in the order of list_word */
    static enum exit_code (*const lists[])(bool json) = {list_filters, list_kernels, list_methods,
                                                         list_masks,   list_formats, list_devices};
    int index = word_find(options->operand[0], list_word); /* the parser has checked the word */
    return command_end(lists[index](options->json), err);
}
