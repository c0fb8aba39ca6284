/* The process that runs a student's kernel: it shuts itself in, loads the compiled file, and runs
 * one case after the other. See child.h. */
#include "try/child.h"

#include <dlfcn.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "soft/threads.h"
#include "try/probe.h"
#include "try/sandbox.h"

/* As in cuda/try_words.h. */
struct try_arguments {
    void *n, *p, *m;
    int mask_width, width, height, pitch, channels;
    unsigned grid[2], block[2];
    size_t shared;
};

#define N_MOST ((size_t)24 << 20)
#define M_MOST ((size_t)1 << 19)

static struct child_shared *told;
static struct child_result *now;
static void (*call)(const struct try_arguments *arguments);

/* ---- faults ---- */

static void end_process(enum try_end end, const char *sentence)
{
    if (now) {
        snprintf(now->sentence, sizeof now->sentence, "%s", sentence);
        now->end = end;
    } else {
        snprintf(told->sentence, sizeof told->sentence, "%s", sentence);
        told->load_end = end;
    }
    _exit(1);
}

static const char *signal_name(int number)
{
    return number == SIGFPE    ? "divides by zero"
           : number == SIGILL  ? "reaches code that must not be reached"
           : number == SIGABRT ? "calls abort, or an assertion fails"
                               : "reads or writes memory that is not there";
}

/* A thread of a kernel ends, and with it the case; other code ends the process. */
static void handle(int number, siginfo_t *info, void *context)
{
    const uintptr_t at = (uintptr_t)info->si_addr;
    const uintptr_t stack = soft_in_thread() ? (uintptr_t)soft_thread_stack() : 0;

    (void)context;
    if (number == SIGSYS)
        end_process(END_REFUSED, sandbox_wish(info->si_syscall));
    if (number == SIGSEGV && stack && at < stack && at >= stack - 8192) {
        grid_stop(END_REFUSED, "needs more stack than a thread has: a function that calls itself "
                               "without end, or large local arrays");
    }
    if (number == SIGSEGV && soft_in_thread() && array_at(at)) {
        const struct try_array *array = array_at(at);
        grid_stop(END_STOPPED, "reads or writes far outside %s", array->name);
    }
    if (number == SIGABRT || !soft_in_thread())
        end_process(END_REFUSED, signal_name(number));
    grid_stop(END_STOPPED, "%s: block (%u,%u), thread (%u,%u)", signal_name(number),
              soft_block_index.x, soft_block_index.y, soft_thread_index.x, soft_thread_index.y);
}

static void install_handlers(void)
{
    static const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS};
    static char stack[1 << 16];
    const stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction action = {.sa_sigaction = handle,
                               .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};

    sigaltstack(&other, NULL);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        sigaction(numbers[i], &action, NULL);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    signal(SIGHUP, SIG_DFL);
}

/* ---- a case ---- */

static void fill_arrays(const struct try_setup *setup, const struct try_case *it)
{
    const struct try_file *file = setup->file;
    const long long samples = (long long)it->width * it->channels;
    const long long rows = it->height;
    const int mask_row = probe.mask_row > 0 && it->mask_rows > 1 ? probe.mask_row : it->mask_width;

    array_resize(probe.n, (size_t)(rows * it->pitch) * (size_t)probe.n->element);
    array_resize(probe.p, (size_t)(rows * it->pitch) * (size_t)probe.p->element);
    array_fill(probe.n, 0x4B);
    array_fill(probe.p, 0x43);
    if (probe.mask_row < 0)
        array_resize(probe.m,
                     (size_t)it->mask_width * (size_t)it->mask_rows * (size_t)probe.m->element);
    array_fill(probe.m, 0x4B);
    for (long long y = 0; y < rows; y++)
        for (long long x = 0; x < samples; x++)
            try_element_put(probe.n->begin, file->type[ROLE_N], y * it->pitch + x,
                            it->n[y * samples + x]);
    for (int y = 0; y < it->mask_rows; y++)
        for (int x = 0; x < it->mask_width; x++)
            try_element_put(probe.m->begin, file->type[ROLE_M], (long long)y * mask_row + x,
                            it->m[y * it->mask_width + x]);
}

static void run_case(const struct try_setup *setup, const struct try_case *it)
{
    const struct try_file *file = setup->file;
    double *p = (double *)((char *)told + now->p_at);
    struct try_writer *writer = (struct try_writer *)((char *)told + now->writer_at);
    const long long cells = (long long)it->height * it->pitch;
    struct try_arguments arguments = {
        .n = probe.n->begin,
        .p = probe.p->begin,
        .m = probe.m->begin,
        .mask_width = it->mask_width,
        .width = it->width,
        .height = it->height,
        .pitch = it->pitch,
        .channels = it->channels,
        .block = {(unsigned)file->block[0], (unsigned)file->block[1]},
        .grid = {(unsigned)((it->width + file->tile[0] - 1) / file->tile[0]),
                 (unsigned)((it->height + file->tile[1] - 1) / file->tile[1])},
        .shared = (size_t)file->shared,
    };

    fill_arrays(setup, it);
    for (long long i = 0; i < cells; i++)
        writer[i].block = -1;
    grid_begin(it->order, it->seed);
    probe_begin(it, now->found, it->count ? &now->counts : NULL, writer);
    call(&arguments);
    fflush(stdout);
    arrays_end_case();
    now->counts.outputs = (long long)it->height * it->width * it->channels;
    for (long long i = 0; i < cells; i++)
        p[i] = try_element_get(probe.p->begin, file->type[ROLE_P], i);
    snprintf(now->sentence, sizeof now->sentence, "%s", grid_sentence);
    now->end = grid_end;
}

/* ---- the process ---- */

static bool make_arrays(const struct try_file *file)
{
    if (!arrays_make())
        return false;
    probe.n = array_add(ARRAY_N, "N", N_MOST, try_type_bytes(file->type[ROLE_N]));
    probe.p = array_add(ARRAY_P, "P", N_MOST, try_type_bytes(file->type[ROLE_P]));
    probe.mask_row = -1;
    if (!file->mask_constant[0])
        probe.m = array_add(ARRAY_M, "M", M_MOST, try_type_bytes(file->type[ROLE_M]));
    return probe.n && probe.p && (file->mask_constant[0] || probe.m);
}

static void load(const struct try_setup *setup, const char *library)
{
    void *handle = dlopen(library, RTLD_NOW | RTLD_GLOBAL);

    if (handle)
        *(void **)&call = dlsym(handle, "try_call"); /* as POSIX writes it */
    if (!call) {
        const char *why = dlerror(), *symbol = why ? strstr(why, "undefined symbol: ") : NULL;
        char sentence[160];
        snprintf(sentence, sizeof sentence, "uses %.60s, which the software GPU does not have",
                 symbol ? symbol + 18 : "something");
        end_process(END_REFUSED, sentence);
    }
    if (grid_end != END_DONE)
        end_process(END_REFUSED, grid_sentence);
    if (setup->file->mask_constant[0]) {
        probe.m = array_named(setup->file->mask_constant);
        probe.mask_row = setup->file->mask_row;
    }
    if (!probe.m)
        end_process(END_REFUSED, "has a mask in constant memory that was not found");
    told->loaded = true;
}

void child_main(const struct try_setup *setup, const char *library, const struct try_case *cases,
                int first, int count, struct child_shared *shared)
{
    struct sandbox_limits limits = {.memory = (size_t)4 << 30, .file_size = 0};
    double seconds = 60;

    for (int i = first; i < count; i++)
        seconds += try_case_products(&cases[i]) * TRY_PRODUCT_SECONDS;
    limits.seconds = (int)seconds;
    told = shared;
    if (!make_arrays(setup->file) || !sandbox_limit(&limits))
        end_process(END_REFUSED, "cannot be run: there is too little memory");
    sandbox_files(setup->scratch, NULL);
    install_handlers();
    if (!sandbox_calls())
        end_process(END_REFUSED, "cannot be run safely: this system has no seccomp");
    grid_begin(ORDER_FORWARD, 1);
    load(setup, library);
    for (int i = first; i < count; i++) {
        now = &told->result[i];
        told->at = i;
        run_case(setup, &cases[i]);
    }
    now = NULL;
    told->at = count;
    fflush(stdout);
    _exit(0);
}
