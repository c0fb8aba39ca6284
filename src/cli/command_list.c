/* `stencilcli list filters|kernels|methods|masks|devices`: one line each, the name first, or with
 * --json one object per line. For people who look for a name, and for the shell completions, which
 * read the first word of each line. */
#include <string.h>

#include "base/json.h"
#include "cli/command.h"
#include "cpu/method.h"
#include "kernel/backend.h"
#include "plan/filter.h"

/* The first column is the same in all lists; a longer name moves the rest of its line. */
#define NAME_WIDTH 12

/* ---- filters ---- */

static int list_filters(bool json)
{
    int count;
    const struct filter *filters = filter_table(&count);
    for (int i = 0; i < count; i++) {
        const char *mask = filters[i].default_mask;
        if (json) {
            json_print(stdout, "{'name':%s,'idea':%s", filters[i].name, filters[i].idea);
            if (mask)
                json_print(stdout, ",'default_mask':%s", mask);
            printf("}\n");
        } else {
            printf("%-*s %s%s%s%s\n", NAME_WIDTH, filters[i].name, filters[i].idea,
                   mask ? " (default mask: " : "", mask ? mask : "", mask ? ")" : "");
        }
    }
    return EXIT_DONE;
}

/* ---- kernels ---- */

/* Can KERNEL run on this machine? It is asked with a plan that every kernel can run: a mean of 3x3
 * cells (of 3 cells in 1D) on 8-bit gray, with alpha for kernels that do nothing else. If it
 * cannot, the reason is in WHY. */
static bool runs_here(const struct kernel *kernel, char *why, size_t why_bytes)
{
    struct mask mask;
    struct plan plan = {.kind = PLAN_LINEAR,
                        .masks = 1,
                        .border = BORDER_REPLICATE,
                        .max = 255,
                        .type = SAMPLE_U8,
                        .channels = kernel->only_weighted ? 2 : 1,
                        .alpha = kernel->only_weighted ? ALPHA_WEIGHTED : ALPHA_PLAIN,
                        .filtered = kernel->only_weighted ? 3 : 1,
                        .repeat = 1};
    struct error err;
    mask_init(&mask, 3, kernel->dims == 1 ? 1 : 3);
    for (int i = 0; i < mask.width * mask.height; i++)
        mpq_set_si(mask.weight[i], 1, 1);
    if (kernel->only_weighted)
        mpq_set_ui(mask.divisor, 9, 1);
    bool made = plan_mask_make(&plan.mask[0], &mask, plan.max, &err);
    if (!made)
        snprintf(why, why_bytes, "%s", err.text);
    bool runs = made && kernel_supports(kernel, &plan, why, why_bytes);
    if (made)
        plan_free(&plan);
    mask_free(&mask);
    return runs;
}

static int list_kernels(bool json)
{
    int count;
    const struct kernel *kernels = kernel_table(&count);
    for (int i = 0; i < count; i++) {
        const struct kernel *kernel = &kernels[i];
        const char *device = backend_find(kernel->device)->name;
        char why[sizeof((struct error *)0)->text] = "";
        bool runs = runs_here(kernel, why, sizeof why);
        if (json) {
            json_print(stdout, "{'name':%s,'device':%s,'dims':%d,'idea':%s,'runs':%i", kernel->name,
                       device, kernel->dims, kernel->idea, runs);
            if (!runs)
                json_print(stdout, ",'why':%s", why);
            printf("}\n");
        } else {
            printf("%-*s %-4s  %dD  %s%s%s%s\n", NAME_WIDTH, kernel->name, device, kernel->dims,
                   kernel->idea, runs ? "" : " (not here: ", runs ? "" : why, runs ? "" : ")");
        }
    }
    return EXIT_DONE;
}

/* ---- methods of the CPU ---- */

static int list_methods(bool json)
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

/* ---- masks ---- */

struct mask_listing {
    bool json;
    int code; /* of the first mask that is broken */
};

/* A broken mask file keeps its line, since a bare name finds it. The error goes to stderr and into
 * the exit status. */
static void list_mask(const char *name, const char *path, void *context)
{
    struct mask_listing *listing = context;
    struct mask mask;
    struct error err;
    char size[32] = "";
    bool good = mask_load(&mask, path, &err);
    if (!good) {
        int code = command_fail(&err);
        if (listing->code == EXIT_DONE)
            listing->code = code;
    }
    if (good)
        snprintf(size, sizeof size, "%dx%d", mask.width, mask.height);
    const char *title = good && mask.title ? mask.title : "";
    if (listing->json) {
        json_print(stdout, "{'name':%s,'path':%s", name, path);
        if (good)
            json_print(stdout, ",'width':%d,'height':%d,'title':%s", mask.width, mask.height,
                       title);
        printf("}\n");
    } else {
        printf("%-*s %-7s  ", NAME_WIDTH, name, good ? size : "-");
        command_print_clean(stdout, good ? title : path);
        printf("\n");
    }
    if (good)
        mask_free(&mask);
}

static int list_masks(bool json)
{
    struct mask_listing listing = {.json = json, .code = EXIT_DONE};
    mask_list(list_mask, &listing);
    return listing.code;
}

/* ---- devices ---- */

static void list_backend(const struct backend *backend, bool json)
{
    char about[256] = "";
    int devices = backend->devices(about, sizeof about);
    if (devices == 0 && json) {
        json_print(stdout, "{'name':%s,'there':false,'about':%s}\n", backend->name, about);
    } else if (devices == 0) {
        printf("%-*s none: %s\n", NAME_WIDTH, backend->name, about);
    }
    for (int i = 0; i < devices; i++) {
        char name[32];
        /* The CPU is one device; the others have the numbers that --device takes. */
        if (backend->device == DEVICE_CPU)
            snprintf(name, sizeof name, "%s", backend->name);
        else
            snprintf(name, sizeof name, "%s:%d", backend->name, i);
        backend->describe(i, about, sizeof about);
        if (json)
            json_print(stdout, "{'name':%s,'there':true,'about':%s}\n", name, about);
        else
            printf("%-*s %s\n", NAME_WIDTH, name, about);
    }
}

static int list_devices(bool json)
{
    list_backend(backend_find(DEVICE_CPU), json);
    list_backend(backend_find(DEVICE_CUDA), json);
    return EXIT_DONE;
}

int command_list(const struct options *options)
{
    static const struct {
        const char *what;
        int (*list)(bool json);
    } lists[] = {{"filters", list_filters},
                 {"kernels", list_kernels},
                 {"methods", list_methods},
                 {"masks", list_masks},
                 {"devices", list_devices}};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        if (strcmp(options->operand[0], lists[i].what) == 0)
            return lists[i].list(options->json);
    }
    struct error err;
    error_set(&err, EXIT_USAGE, "there is no list of %s", options->operand[0]);
    return command_fail(&err);
}
