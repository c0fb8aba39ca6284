/* The kernel table: see kernel/kernel.h. Within a device the rows go from slow to fast,
 * and the last one that supports a plan is chosen. */
#include "kernel/kernel.h"

#include <string.h>

#include "kernel/reference.h"
#include "kernel/rows.h"

#define MAX_KERNELS 32

const struct kernel *kernel_table(int *count)
{
    static struct kernel table[MAX_KERNELS];
    static int rows;

    if (rows == 0) {
        table[rows++] = kernel_reference;
        table[rows++] = kernel_scalar;
#ifdef HAVE_NEON
        table[rows++] = kernel_neon;
#endif
#ifdef HAVE_NEON_DOT
        table[rows++] = kernel_neon_dot;
#endif
#ifdef HAVE_AVX2
        table[rows++] = kernel_avx2;
#endif
#ifdef HAVE_AVX512
        table[rows++] = kernel_avx512;
#endif
#ifdef HAVE_CUDA
        int cuda_count;
        const struct kernel *cuda = cuda_kernels(&cuda_count);
        for (int i = 0; i < cuda_count; i++)
            table[rows++] = cuda[i];
#endif
        table[rows++] = kernel_signal_reference;
        table[rows++] = kernel_signal_scalar;
#ifdef HAVE_CUDA
        cuda = cuda_signal_kernels(&cuda_count);
        for (int i = 0; i < cuda_count; i++)
            table[rows++] = cuda[i];
#endif
    }
    *count = rows;
    return table;
}

static const struct kernel *find(const char *name, int dims)
{
    int count;
    const struct kernel *table = kernel_table(&count);
    for (int i = 0; i < count; i++)
        if (table[i].dims == dims && strcmp(table[i].name, name) == 0)
            return &table[i];
    return NULL;
}

const struct kernel *kernel_find(const char *name)
{
    return find(name, 2);
}

const struct kernel *kernel_find_signal(const char *name)
{
    return find(name, 1);
}

static const struct kernel *choose(enum device device, const struct plan *plan, int dims)
{
    int count;
    const struct kernel *table = kernel_table(&count), *best = NULL;
    char why[256];
    for (int i = 0; i < count; i++)
        if (table[i].dims == dims && table[i].device == device &&
            table[i].supports(plan, why, sizeof why) && (!table[i].pays || table[i].pays(plan)))
            best = &table[i];
    return best;
}

const struct kernel *kernel_choose(enum device device, const struct plan *plan)
{
    return choose(device, plan, 2);
}

const struct kernel *kernel_choose_signal(enum device device)
{
    return choose(device, NULL, 1);
}

struct kernel_job kernel_job_whole(const struct plan *plan, const struct image *in,
                                   struct image *out)
{
    return (struct kernel_job){
        .plan = plan, .in = in, .out = out, .picture_height = in->height, .threads = 1};
}
