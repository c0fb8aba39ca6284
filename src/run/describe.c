/* Prints a plan as lines of words or as JSON: see run/describe.h. */
#include "run/describe.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "kernel/backend.h"

#define SHOWN_SIDE 15

/* Sets SHAPE; false for kernels without tiles. */
static bool shape_of(const struct plan *plan, const struct kernel *kernel,
                     const struct picture_choice *choice, struct kernel_shape *shape)
{
    struct kernel_job job = {.plan = plan, .threads = choice->threads, .tile = choice->tile};
    if (kernel->shape)
        kernel->shape(&job, shape);
    return kernel->shape != NULL;
}

/* ---- --plan in words: weights as the integers that run, if they fit on a page ---- */

static void print_factor(FILE *out, const char *name, const int64_t *values, int n)
{
    fprintf(out, "  %s ", name);
    for (int i = 0; i < n && i < SHOWN_SIDE; i++)
        fprintf(out, " %" PRId64, values[i]);
    fprintf(out, "%s\n", n > SHOWN_SIDE ? " ..." : "");
}

/* Prints the weights below each other, if they fit on a page. */
static void print_weights(FILE *out, const struct plan_mask *m)
{
    int cells = m->width * m->height, most = 0;
    if (m->width > SHOWN_SIDE || m->height > SHOWN_SIDE)
        return;
    for (int k = 0; k < cells; k++) {
        int chars = snprintf(NULL, 0, "%" PRId64, m->weight[k]);
        most = chars > most ? chars : most;
    }
    for (int k = 0; k < cells; k++)
        fprintf(out, "%s %*" PRId64 "%s", k % m->width == 0 ? "         " : "", most, m->weight[k],
                (k + 1) % m->width == 0 ? "\n" : "");
}

/* The offset as it is added after the division. */
static void print_offset(FILE *out, const struct plan_mask *m)
{
    if (m->offset % m->divisor == 0)
        fprintf(out, ", offset %" PRId64 "\n", m->offset / m->divisor);
    else
        fprintf(out, ", offset %" PRId64 "/%" PRId64 "\n", m->offset, m->divisor);
}

static void print_mask(FILE *out, const struct plan_mask *m)
{
    int rank = plan_mask_rank(m);

    fprintf(out, "mask      %d x %d weights, anchor %d,%d, divisor %" PRId64, m->width, m->height,
            m->anchor_x, m->anchor_y, m->divisor);
    print_offset(out, m);
    print_weights(out, m);
    fprintf(out,
            "sum       the weights add up to %" PRId64 "\n"
            "bound     no weighted sum exceeds %" PRId64 ": %s\n",
            m->sum, m->bound,
            m->accumulator == ACCUMULATOR_I64 ? "it needs 64 bits"
            : m->float_exact                  ? "32 bits, or a float, can hold it"
                                              : "32 bits can hold it");
    if (m->row && !m->centre)
        fprintf(out,
                "rank      1: the mask is a column times a row, so two short passes suffice\n");
    else if (rank > 1)
        fprintf(out, "rank      %d: the mask is a sum of %d products of a column and a row\n", rank,
                rank);
    else
        fprintf(out, "rank      %d\n", rank);
    if (m->row) {
        print_factor(out, "column", m->column, m->height);
        print_factor(out, "row   ", m->row, m->width);
    }
    if (m->centre)
        fprintf(out, "centre    %" PRId64 " more in the middle cell\n", m->centre);
    if (m->quantised_bits >= 0)
        fprintf(out,
                "rounded   the weights are rounded to 1/2^%d: a sample changes by at most %.3g\n",
                m->quantised_bits, m->quantised_error);
}

/* The window, its cells as 1. */
static void print_window(FILE *out, const struct plan_mask *m)
{
    fprintf(out, "window    %d x %d, %" PRId64 " cells, anchor %d,%d\n", m->width, m->height,
            m->sum, m->anchor_x, m->anchor_y);
    print_weights(out, m);
}

static void print_order(FILE *out, const struct plan *plan)
{
    static const char *const differences[] = {[MINUS_NOTHING] = "",
                                              [MINUS_PICTURE] = ", minus the picture",
                                              [MINUS_LAST] = ", minus the step before",
                                              [PICTURE_MINUS] = ", subtracted from the picture"};

    print_window(out, &plan->mask[0]);
    for (const struct plan *step = plan; step; step = step->then)
        fprintf(out, "step      cell %d of the sorted cells 0 to %" PRId64 "%s%s\n", step->order,
                step->mask[0].sum - 1, step->of_picture ? ", of the picture" : "",
                differences[step->minus]);
}

static void print_bilateral(FILE *out, const struct plan *plan)
{
    const struct plan_mask *m = &plan->mask[0];
    int half = 0;

    while (half < plan->range_last && 2 * plan->range[half] > plan->range[0])
        half++;
    fprintf(out, "mask      %d x %d weights, sum %" PRId64 "\n", m->width, m->height, m->sum);
    print_weights(out, m);
    print_factor(out, "column", m->column, m->height);
    print_factor(out, "row   ", m->row, m->width);
    fprintf(out, "range     times %d for the difference 0, %d for %d, %d for %d, 0 for more\n",
            plan->range[0], plan->range[half], half, plan->range[plan->range_last],
            plan->range_last);
}

static void print_kernel(FILE *out, const struct kernel *kernel, const char *method)
{
    fprintf(out, "kernel    %s: %s\n", kernel->name, kernel->idea);
    if (method)
        fprintf(out, "method    %s: %s\n", method,
                backend_find(kernel->device)->method_idea(method));
}

static void print_shape(FILE *out, const struct plan *plan, const struct kernel *kernel,
                        const struct picture_choice *choice)
{
    struct kernel_shape shape;

    if (shape_of(plan, kernel, choice, &shape))
        fprintf(out,
                "tile      %d x %d outputs, halo %d left %d right %d above %d below\n"
                "block     %d x %d threads, %zu bytes of shared memory, %d mask rows at a time\n"
                "loads     %.2f cells per output\n",
                shape.tile_width, shape.tile_height, shape.halo_left, shape.halo_right,
                shape.halo_above, shape.halo_below, shape.block_x, shape.block_y,
                shape.shared_bytes, shape.mask_rows, shape.loads_per_output);
}

static void print_device(FILE *out, const struct picture_choice *choice)
{
    fprintf(out, "device    %s\n", backend_find(choice->device)->name);
}

static void print_threads(FILE *out, const struct picture_choice *choice)
{
    if (choice->device == DEVICE_CPU)
        fprintf(out, "threads   %d\n", choice->threads);
}

static void print_estimate(FILE *out, const struct picture_cost *cost)
{
    fprintf(out,
            "estimate  %.1f ms on the CPU without writing the output: decoding %.1f ms,\n"
            "          filtering %.1f ms in all threads together\n",
            cost->cpu_ms, cost->decode_ms, cost->work_ms);
    if (!backend_find(DEVICE_CUDA)->in_build)
        return;
    if (!isfinite(cost->cuda_ms))
        fprintf(out, "          no CUDA kernel runs this\n");
    else if (backend_find(DEVICE_CUDA)->software)
        fprintf(out, "          about %.1f s on the software GPU\n", cost->cuda_ms * 1e-3);
    else
        fprintf(out,
                "          %.1f ms with CUDA: starting it %.1f ms (while decoding), loading\n"
                "          the kernel %.1f ms, copying %.1f ms (while the kernel runs %.1f ms),\n"
                "          ending it %.1f ms\n",
                cost->cuda_ms, cost->start_ms, cost->load_ms, cost->bus_ms, cost->kernel_ms,
                cost->end_ms);
}

static void print_around(FILE *out, const struct plan *plan, const struct filter_request *filter)
{
    const struct plan_region *region = &plan->region;

    if (plan->light)
        fprintf(out, "light     linear: %" PRIu32 " is white\n", plan->light->top);
    if (plan->has_nodata)
        fprintf(out, "nodata    %" PRIu32 "\n", plan->nodata);
    if (region->width > 0)
        fprintf(out, "region    %d x %d pixels at %d,%d\n", region->width, region->height,
                region->x, region->y);
    if (plan->where) {
        fprintf(out, "where     ");
        clean_text_put(out, filter->where);
        fputc('\n', out);
    }
}

/* Everything that decides the bytes. */
static void print_formula(FILE *out, const struct plan *plan, const struct filter_request *filter)
{
    if (filter_kind_formula(plan->kind))
        fprintf(out, "%-9s %s\n", filter_kind_name(plan->kind), filter_kind_formula(plan->kind));
    if (plan->kind == PLAN_ORDER)
        print_order(out, plan);
    else if (plan->kind == PLAN_BILATERAL)
        print_bilateral(out, plan);
    else
        for (int k = 0; k < plan->masks; k++)
            print_mask(out, &plan->mask[k]);
    fprintf(out, "border    %s", border_name(plan->border));
    if (plan->border == BORDER_CONSTANT)
        fprintf(out, ":%" PRIu32, plan->border_value);
    fprintf(out, "\nalpha     %s\n", plan_alpha_text(plan));
    print_around(out, plan, filter);
    fprintf(out, "passes    %d\n", plan->repeat);
}

static void print_halo(FILE *out, const struct plan *step, const struct picture_report *report)
{
    int above, below;

    if (picture_reach(step, report, &above, &below))
        fprintf(out, "halo      %d rows above and %d below, for each pass\n", above, below);
    else
        fprintf(out, "halo      all rows\n");
}

static bool print_steps(FILE *out, const struct picture_request *request, const struct plan *plan,
                        const struct picture_report *report, struct error *err)
{
    const struct filter_request *filter = &request->filter;

    for (int i = 1; plan; plan = plan->next, filter = filter->next) {
        const struct kernel *kernel = picture_kernel(request, &report->choice, plan);
        const char *method;
        if (!picture_method(request, report, plan, &method, err))
            return false;
        fprintf(out, "\nstep %-4d %s: %s\n", i++, filter->filter->name, filter->filter->idea);
        print_formula(out, plan, filter);
        print_halo(out, plan, report);
        print_kernel(out, kernel, method);
        print_shape(out, plan, kernel, &report->choice);
    }
    fprintf(out, "\n");
    return true;
}

bool describe_text(FILE *out, const char *input, const struct picture_request *request,
                   const struct plan *plan, const struct picture_report *report, struct error *err)
{
    const struct picture_choice *choice = &report->choice;
    const struct image_info *info = &report->info;

    fprintf(out, "picture   ");
    clean_text_put(out, !input ? "in memory" : strcmp(input, "-") == 0 ? "standard input" : input);
    if (input)
        fprintf(out, ": %s", format_name(info->format));
    fprintf(out, "%s %d x %d pixels, %d channel%s, samples 0..%" PRIu32 "\n", input ? "," : ":",
            info->width, info->height, info->channels, info->channels == 1 ? "" : "s", info->max);
    if (plan->next) {
        if (!print_steps(out, request, plan, report, err))
            return false;
        fprintf(out, "memory    %.1f MB hold the picture's rows\n", (double)report->bytes * 1e-6);
        print_device(out, choice);
        print_threads(out, choice);
    } else {
        print_formula(out, plan, &request->filter);
        print_device(out, choice);
        print_kernel(out, choice->kernel, report->method);
        print_threads(out, choice);
        print_shape(out, plan, choice->kernel, choice);
    }
    if (input)
        print_estimate(out, &choice->cost);
    return true;
}

/* ---- JSON ---- */

static void json_mask(FILE *out, const struct plan_mask *m)
{
    json_print(out,
               "{'width':%d,'height':%d,'anchor_x':%d,'anchor_y':%d,'divisor':%" PRId64
               ",'offset':%" PRId64 ",'sum':%" PRId64 ",'bound':%" PRId64
               ",'accumulator_bits':%d,'float_exact':%i,'rank':%d,'weights':",
               m->width, m->height, m->anchor_x, m->anchor_y, m->divisor, m->offset, m->sum,
               m->bound, m->accumulator == ACCUMULATOR_I32 ? 32 : 64, m->float_exact,
               plan_mask_rank(m));
    json_print_integers(out, m->weight, m->weight ? m->width * m->height : 0);
    if (m->row) {
        json_print(out, ",'column':");
        json_print_integers(out, m->column, m->height);
        json_print(out, ",'row':");
        json_print_integers(out, m->row, m->width);
    }
    if (m->centre)
        json_print(out, ",'centre':%" PRId64, m->centre);
    if (m->quantised_bits >= 0)
        json_print(out, ",'quantised_bits':%d,'quantised_error':%.17g", m->quantised_bits,
                   m->quantised_error);
    fputc('}', out);
}

static void json_around(FILE *out, const struct plan *plan, const struct filter_request *filter)
{
    const struct plan_region *region = &plan->region;

    if (plan->light)
        json_print(out, ",'light':%s", "linear");
    if (plan->has_nodata)
        json_print(out, ",'nodata':%u", plan->nodata);
    if (region->width > 0)
        json_print(out, ",'region':[%d,%d,%d,%d]", region->x, region->y, region->width,
                   region->height);
    if (plan->where)
        json_print(out, ",'where':%s", filter->where);
}

/* Everything that decides the bytes. */
static void json_formula(FILE *out, const struct plan *plan, const struct filter_request *filter)
{
    json_print(out, "'kind':%s,'masks':[", filter_kind_name(plan->kind));
    for (int k = 0; k < plan->masks; k++) {
        fputs(k ? "," : "", out);
        json_mask(out, &plan->mask[k]);
    }
    if (plan->kind == PLAN_ORDER)
        json_print(out, "],'order':[%d", plan->order);
    if (plan->kind == PLAN_BILATERAL)
        json_print(out, "],'range':[%d", plan->range[0]);
    for (int d = 1; d <= plan->range_last; d++)
        json_print(out, ",%d", plan->range[d]);
    for (const struct plan *step = plan->then; step; step = step->then)
        json_print(out, ",%d", step->order);
    json_print(out, "],'border':%s,'border_value':%u,'alpha':%s,'passes':%d",
               border_name(plan->border), plan->border_value, plan_alpha_text(plan), plan->repeat);
    json_around(out, plan, filter);
}

static void json_kernel(FILE *out, const struct plan *plan, const struct kernel *kernel,
                        const char *method, const struct picture_choice *choice)
{
    struct kernel_shape shape;

    json_print(out, ",'kernel':%s,'threads':%d", kernel->name, choice->threads);
    if (method)
        json_print(out, ",'method':%s", method);
    if (shape_of(plan, kernel, choice, &shape))
        json_print(out,
                   ",'tile':%d,'halo':{'left':%d,'right':%d,'above':%d,'below':%d},"
                   "'block':[%d,%d],'shared_bytes':%zu,'mask_rows':%d,'loads_per_output':%.6g",
                   shape.tile_width, shape.halo_left, shape.halo_right, shape.halo_above,
                   shape.halo_below, shape.block_x, shape.block_y, shape.shared_bytes,
                   shape.mask_rows, shape.loads_per_output);
}

static bool json_steps(FILE *out, const struct picture_request *request, const struct plan *plan,
                       const struct picture_report *report, struct error *err)
{
    const struct filter_request *filter = &request->filter;

    for (int i = 0; plan; plan = plan->next, filter = filter->next) {
        const char *method;
        int above, below;
        if (!picture_method(request, report, plan, &method, err))
            return false;
        json_print(out, i++ ? ",{'filter':%s," : "'steps':[{'filter':%s,", filter->filter->name);
        json_formula(out, plan, filter);
        if (picture_reach(plan, report, &above, &below))
            json_print(out, ",'above':%d,'below':%d", above, below);
        json_kernel(out, plan, picture_kernel(request, &report->choice, plan), method,
                    &report->choice);
        fputc('}', out);
    }
    json_print(out, "],'bytes':%" PRIu64, report->bytes);
    return true;
}

static void json_cost(FILE *out, const struct picture_cost *cost)
{
    json_print(out, ",'cpu_ms':%.3f,'decode_ms':%.3f,'cpu_work_ms':%.3f", cost->cpu_ms,
               cost->decode_ms, cost->work_ms);
    if (backend_find(DEVICE_CUDA)->in_build)
        json_print(out,
                   ",'cuda_ms':%.3f,'cuda_start_ms':%.3f,'cuda_load_ms':%.3f,'cuda_bus_ms':%.3f,"
                   "'cuda_kernel_ms':%.3f,'cuda_end_ms':%.3f",
                   cost->cuda_ms, cost->start_ms, cost->load_ms, cost->bus_ms, cost->kernel_ms,
                   cost->end_ms);
}

bool describe_json(FILE *out, const char *input, const struct picture_request *request,
                   const struct plan *plan, const struct picture_report *report, struct error *err)
{
    const struct image_info *info = &report->info;
    const struct picture_choice *choice = &report->choice;

    fputc('{', out);
    if (input)
        json_print(out, "'input':%s,'format':%s,", input, format_name(info->format));
    json_print(out, "'width':%d,'height':%d,'channels':%d,'max':%u,", info->width, info->height,
               info->channels, info->max);
    if (!plan->next)
        json_formula(out, plan, &request->filter);
    else if (!json_steps(out, request, plan, report, err))
        return false;
    json_print(out, ",'device':%s", backend_find(choice->device)->name);
    if (!plan->next)
        json_kernel(out, plan, choice->kernel, report->method, choice);
    if (input)
        json_cost(out, &choice->cost);
    fputs("}\n", out);
    return true;
}
