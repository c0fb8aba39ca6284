/* Fuzzes the library's functions: the input is a little program of calls, one byte a choice. A call
 * may fail, with a sentence; it must not crash, and it must not write behind a picture's last
 * sample. */
#include <math.h>
#include <stencil.h>
#include <stdlib.h>
#include <string.h>

struct input {
    const unsigned char *at, *end;
};

static int next(struct input *input, int choices)
{
    return input->at < input->end ? *input->at++ % choices : 0;
}

static const char *const words[] = {
    "blur",
    "gauss --sigma 2",
    "median --radius 2",
    "erode --radius 9 --border wrap",
    "sobel",
    "bilateral",
    "box --radius 4 --border constant:9",
    "unsharp --amount 2",
    "open --shape disc",
    "convolve --mask '1 2; 3 4' --divisor 10",
    "blur --region 1,1,3,3",
    "blur --nodata 7",
    "gauss --light linear",
    "blur --channels r",
    "rank --rank 30%",
    "blur --repeat 2",
    NULL,
};

/* Words of the table, or text of the input. */
static stencil_status add_words(struct input *input, stencil_context *context,
                                stencil_filter **filter)
{
    char text[64];
    int length;

    if (next(input, 2) == 0)
        return stencil_filter_add(context, filter,
                                  words[next(input, sizeof words / sizeof *words)]);
    length = next(input, 63);
    for (int i = 0; i < length; i++)
        text[i] = (char)next(input, 256);
    text[length] = '\0';
    return stencil_filter_add(context, filter, text);
}

static stencil_status add_weights(struct input *input, stencil_context *context,
                                  stencil_filter **filter)
{
    static const double odd[] = {0, 1, -1, 0.1, 1e-300, 1e300, INFINITY, NAN, 1.0 / 3, -0.0};
    double weights[49];
    const int width = next(input, 9) - 1, height = next(input, 9) - 1;

    for (int i = 0; i < 49; i++)
        weights[i] = next(input, 3) ? next(input, 100) - 50 : odd[next(input, 10)];
    return stencil_filter_add_weights(context, filter, next(input, 30) ? weights : NULL,
                                      width > 7 ? 300 : width, height,
                                      next(input, 2) ? "--normalize" : NULL);
}

/* Bytes behind the last sample, which nobody may change. */
#define TAIL      64
#define TAIL_BYTE 0xa5

static size_t bytes_of(const stencil_image *image)
{
    return image->pitch * (size_t)(image->height - 1) +
           (size_t)(image->width * image->channels * image->sample_bytes);
}

static void check_tail(const stencil_image *image, const void *data)
{
    for (int i = 0; i < TAIL; i++)
        if (((const unsigned char *)data)[bytes_of(image) + (size_t)i] != TAIL_BYTE)
            abort();
}

/* A picture whose memory suits it. */
static stencil_image make_image(struct input *input, const stencil_image *like)
{
    stencil_image image = {.width = 1 + next(input, 40),
                           .height = 1 + next(input, 20),
                           .channels = 1 + next(input, 4),
                           .sample_bytes = 1 + next(input, 2)};
    size_t row;

    if (like && next(input, 8) != 0)
        image = *like;
    row = (size_t)(image.width * image.channels * image.sample_bytes);
    image.pitch = row + (size_t)(next(input, 4) * image.sample_bytes);
    image.data = calloc(1, bytes_of(&image) + TAIL);
    if (!image.data)
        abort();
    memset((char *)image.data + bytes_of(&image), TAIL_BYTE, TAIL);
    for (size_t i = 0; i < row; i++)
        ((unsigned char *)image.data)[i] = (unsigned char)next(input, 256);
    return image;
}

/* Makes a member wrong, with a part of the inputs. */
static void damage(struct input *input, stencil_image *image)
{
    switch (next(input, 40)) {
    case 1:
        image->width = -image->width;
        break;
    case 2:
        image->height = 0;
        break;
    case 3:
        image->channels = 5;
        break;
    case 4:
        image->sample_bytes = 4;
        break;
    case 5:
        image->pitch = 0;
        break;
    case 6:
        image->max = 100;
        break;
    case 7:
        image->max = 1 << 20;
        break;
    case 8:
        image->pitch = SIZE_MAX / 2;
        break;
    default:
        break;
    }
}

static void use(struct input *input, stencil_context *context, const stencil_filter *filter)
{
    stencil_image in = make_image(input, NULL), out = make_image(input, &in);
    const stencil_image in_as_made = in, out_as_made = out;
    stencil_difference difference;
    const char *text;

    damage(input, next(input, 2) ? &in : &out);
    switch (next(input, 5)) {
    case 0:
        stencil_compare(context, &in, &out, &difference);
        break;
    case 1:
        stencil_plan(context, filter, &in, next(input, 2), &text);
        break;
    case 2:
        stencil_apply(context, filter, &in, &in);
        break;
    case 3:
        stencil_apply(context, filter, &in, NULL);
        break;
    default:
        stencil_apply(context, filter, &in, &out);
        break;
    }
    check_tail(&in_as_made, in.data);
    check_tail(&out_as_made, out.data);
    free(in.data);
    free(out.data);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    static const char *const kernels[] = {NULL, NULL, "scalar", "reference", "avx2", "none"};
    struct input input = {data, data + size};
    stencil_options options = {.threads = next(&input, 4) - 1, .kernel = kernels[next(&input, 6)]};
    stencil_context *context;
    stencil_filter *filter = NULL;

    if (stencil_open(&context, &options) != STENCIL_OK && *stencil_message(context) == '\0')
        abort();
    while (input.at < input.end) {
        stencil_status status = STENCIL_OK;
        switch (next(&input, 5)) {
        case 0:
            status = add_words(&input, context, &filter);
            break;
        case 1:
            status = add_weights(&input, context, &filter);
            break;
        case 2:
            stencil_filter_free(filter);
            filter = NULL;
            break;
        default:
            use(&input, context, filter);
            break;
        }
        if (status != STENCIL_OK && *stencil_message(context) == '\0')
            abort();
    }
    stencil_filter_free(filter);
    stencil_close(context);
    return 0;
}
