/* The kernel table: a row refuses every kind of plan that it does not name. So a new kind starts
 * with no kernel and no CPU method, except those that state support. */
#include <string.h>

#include "cpu/method.h"
#include "kernel/kernel.h"
#include "tests/test.h"

#define MADE_UP ((enum plan_kind)7)

/* 3 x 3 cells, four of them 1, on 8 bits of gray. */
static struct plan plan_of(enum plan_kind kind, int64_t *weight)
{
    struct plan plan = {.kind = kind,
                        .masks = 2,
                        .border = BORDER_REPLICATE,
                        .max = 255,
                        .type = SAMPLE_U8,
                        .channels = 1,
                        .alpha = ALPHA_PLAIN,
                        .filtered = 1,
                        .repeat = 1};
    for (int k = 0; k < 9; k++)
        weight[k] = k % 2;
    for (int k = 0; k < 2; k++)
        plan.mask[k] = (struct plan_mask){.width = 3,
                                          .height = 3,
                                          .anchor_x = 1,
                                          .anchor_y = 1,
                                          .weight = weight,
                                          .divisor = 1,
                                          .sum = 4,
                                          .sum_abs = 4,
                                          .bound = 4 * 255 + 1};
    return plan;
}

static void unknown_kind(void)
{
    int64_t weight[9];
    struct plan plan = plan_of(MADE_UP, weight);
    const struct kernel *table;
    char why[256];
    int count;

    table = kernel_table(&count);
    for (int i = 0; i < count; i++) {
        if (table[i].dims != 2)
            continue;
        why[0] = '\0';
        CHECKF(!kernel_supports(&table[i], &plan, why, sizeof why) && why[0], "%s", table[i].name);
    }
    CHECK(!kernel_choose(DEVICE_CPU, &plan) && !kernel_choose(DEVICE_CUDA, &plan));
}

static void unknown_to_methods(void)
{
    int64_t weight[9];
    struct plan plan = plan_of(MADE_UP, weight), gradient = plan_of(PLAN_GRADIENT, weight);
    int count, knows = 0;
    const struct cpu_method *const *methods = cpu_methods(&count);

    for (int i = 0; i < count; i++) {
        CHECKF(cpu_method_refusal(methods[i], &plan, &cpu_ops_scalar) != NULL, "%s",
               methods[i]->name);
        knows += cpu_method_refusal(methods[i], &gradient, &cpu_ops_scalar) == NULL;
    }
    CHECK(!cpu_method_fastest(&plan, &cpu_ops_scalar, 100, 100, 0));
    CHECK(knows == 3);
}

/* Names are unique, and --method finds them. */
static void method_names(void)
{
    int count;
    const struct cpu_method *const *methods = cpu_methods(&count);

    for (int i = 0; i < count; i++)
        CHECK(cpu_method_find(methods[i]->name) == methods[i] && methods[i]->idea[0]);
    CHECK(count < 32 && !cpu_method_find("") && !cpu_method_find("auto"));
}

/* Every build knows CUDA's kernels; a build without CUDA says why they do not run. */
static void cuda_rows(void)
{
    const char *names[] = {"basic", "constant", "readonly", "cached", "tiled", "separable"};
    const struct kernel *signal = kernel_find_signal("tiled");
    int64_t weight[9];
    struct plan plan = plan_of(PLAN_LINEAR, weight);
    char why[256];

    for (int i = 0; i < 6; i++) {
        const struct kernel *kernel = kernel_find(names[i]);
        CHECKF(kernel && kernel->device == DEVICE_CUDA && kernel->kinds, "%s", names[i]);
        why[0] = '\0';
        CHECKF(kernel && (kernel_supports(kernel, &plan, why, sizeof why) ? kernel->run != NULL
                                                                          : why[0] != '\0'),
               "%s", names[i]);
    }
    CHECK(signal && signal->device == DEVICE_CUDA && !kernel_find_signal("readonly"));
}

int main(void)
{
    TEST(unknown_kind);
    TEST(unknown_to_methods);
    TEST(method_names);
    TEST(cuda_rows);
    return test_finish();
}
