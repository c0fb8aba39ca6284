/* Prints the least time in microseconds of a call of stencil_apply, on one thread.
 *
 *   time_apply WIDTH HEIGHT CHANNELS FILTER... (each FILTER in one word) */
#include <stdio.h>
#include <stencil.h>
#include <stdlib.h>

#include "base/clock.h"

#define ROUNDS      9
#define ROUND_CALLS 100

int main(int argc, char **argv)
{
    const stencil_options options = {.threads = 1};
    stencil_context *context;
    stencil_image in = {.sample_bytes = 1}, out;

    if (argc < 5 || stencil_open(&context, &options) != STENCIL_OK)
        return 2;
    in.width = atoi(argv[1]);
    in.height = atoi(argv[2]);
    in.channels = atoi(argv[3]);
    in.pitch = (size_t)(in.width * in.channels);
    in.data = malloc(in.pitch * (size_t)in.height);
    out = in;
    out.data = malloc(in.pitch * (size_t)in.height);
    if (!in.data || !out.data)
        return 1;
    for (size_t i = 0; i < in.pitch * (size_t)in.height; i++)
        ((unsigned char *)in.data)[i] = (unsigned char)(i * i >> 3);
    for (int f = 4; f < argc; f++) {
        stencil_filter *filter = NULL;
        double least = 1e9;
        if (stencil_filter_add(context, &filter, argv[f]) != STENCIL_OK ||
            stencil_apply(context, filter, &in, &out) != STENCIL_OK) {
            fprintf(stderr, "%s\n", stencil_message(context));
            return 1;
        }
        for (int round = 0; round < ROUNDS; round++) {
            const double start = clock_ms();
            for (int i = 0; i < ROUND_CALLS; i++)
                stencil_apply(context, filter, &in, &out);
            const double us = (clock_ms() - start) * 1e3 / ROUND_CALLS;
            least = us < least ? us : least;
        }
        printf("%.2f\n", least);
        stencil_filter_free(filter);
    }
    free(in.data);
    free(out.data);
    stencil_close(context);
    return 0;
}
