/* Blurs a picture that lies in memory, and prints its middle row. Build and run:
 *
 *   cc in_memory.c $(pkg-config --cflags --libs stencil) && ./a.out */
#include <stdio.h>
#include <stencil.h>

enum { WIDTH = 9, HEIGHT = 5 };

int main(void)
{
    static unsigned char pixels[HEIGHT][WIDTH], blurred[HEIGHT][WIDTH];
    stencil_context *context;
    stencil_filter *filter = NULL;
    stencil_image in = {.width = WIDTH,
                        .height = HEIGHT,
                        .channels = 1,
                        .sample_bytes = 1,
                        .pitch = WIDTH,
                        .data = pixels};
    stencil_image out = in;
    int status = 1;

    out.data = blurred;
    pixels[HEIGHT / 2][WIDTH / 2] = 255;
    if (stencil_open(&context, NULL) == STENCIL_OK &&
        stencil_filter_add(context, &filter, "gauss --sigma 1 --border mirror") == STENCIL_OK &&
        stencil_apply(context, filter, &in, &out) == STENCIL_OK) {
        for (int x = 0; x < WIDTH; x++)
            printf("%d%c", blurred[HEIGHT / 2][x], x + 1 < WIDTH ? ' ' : '\n');
        status = 0;
    } else {
        fprintf(stderr, "%s\n", stencil_message(context));
    }
    stencil_filter_free(filter);
    stencil_close(context);
    return status;
}
