#include "soft_divide.h"

#include "sample_divide.cuh"

static struct image_job job_of(const struct soft_divide *by)
{
    struct image_job job = {};
    job.divisor = by->divisor;
    job.start = by->start;
    job.weight = by->weight;
    job.mask_width = 2;
    job.mask_height = 1;
    job.sample_bytes = by->sample_bytes;
    job.max = by->sample_bytes == 1 ? 255 : 65535;
    job.bound = by->bound;
    return job;
}

int soft_divide_float(const struct soft_divide *by, int sum)
{
    const struct image_job job = job_of(by);
    struct sample_divide divide = {};
    if (!sample_divide_float(&divide, &job))
        return -1;
    sum += divide.bias;
    const uint32_t word = divided_word<DIVIDE_FLOAT>(divide, sum, sum, sum, sum);
    return word == (word & 255) * 0x01010101 ? (int)(word & 255) : -2;
}

int soft_divide_double(const struct soft_divide *by, int sum)
{
    const struct image_job job = job_of(by);
    struct sample_divide divide = {};
    if (!sample_divide_double(&divide, &job))
        return -1;
    return min(
        max(divided_sum<DIVIDE_DOUBLE>(divide, (int)((uint32_t)sum + (uint32_t)divide.bias)), 0),
        (int)job.max);
}

int soft_divide_fine(const struct soft_divide *by, int sum)
{
    const struct image_job job = job_of(by);
    struct sample_divide divide = {};
    if (!sample_divide_fine(&divide, &job))
        return -1;
    sum = divided_sum<DIVIDE_FINE>(divide, (int)((uint32_t)sum + (uint32_t)divide.bias));
    const uint32_t word = pack_fine(sum, sum, sum, sum);
    return word == (word & 255) * 0x01010101 ? (int)(word & 255) : -2;
}
