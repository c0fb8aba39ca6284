/* Host side of kernels/bilateral.cu: the weights as it reads them. */
#include "image_job.h"

#include <string.h>

size_t bilateral_fragment_bytes(const struct bilateral_weights *weights)
{
    return sizeof(struct bilateral_head) + ((size_t)weights->range_last + 2) * sizeof(uint16_t);
}

void bilateral_pack(const struct bilateral_weights *weights, void *fragments)
{
    struct bilateral_head *head = fragments;
    uint16_t *range = (uint16_t *)(head + 1);

    memset(head, 0, sizeof *head);
    head->range_last = weights->range_last;
    for (int c = 0; c < 4; c++)
        if (weights->compared >> c & 1)
            head->compared |= ((UINT64_C(1) << 8 * weights->sample_bytes) - 1)
                              << 8 * weights->sample_bytes * c;
    for (int i = 0; i < weights->width; i++)
        head->row[i] = (uint32_t)weights->row[i];
    for (int i = 0; i < weights->height; i++)
        head->column[i] = (uint32_t)weights->column[i];
    memcpy(range, weights->range, ((size_t)weights->range_last + 1) * sizeof *range);
    range[weights->range_last + 1] = 0;
}
