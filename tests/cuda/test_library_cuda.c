/* The library's pictures on a made-up CUDA device (include/stencil.h): the bytes of each kernel, of
 * chains, in place, of any alignment; the caller's stream; bad pictures; what is left behind. Needs
 * neither nvcc nor a GPU. */
#include <stencil.h>
#include <stdlib.h>
#include <string.h>

#include "fake_cuda.h"
#include "kernel/backend.h"
#include "kernel/kernel.h"
#include "tests/random.h"
#include "tests/test.h"

#define GUARD 0x5a

static uint64_t random_state = 11;

static int any_below(int below)
{
    return (int)(random_next(&random_state) % (uint64_t)below);
}

static stencil_context *open_context(const char *device, const char *kernel)
{
    const stencil_options options = {.threads = 1, .device = device, .kernel = kernel};
    stencil_context *context;

    CHECKF(stencil_open(&context, &options) == STENCIL_OK, "%s", stencil_message(context));
    return context;
}

/* ---- pictures on the host and on the device ---- */

struct placed {
    stencil_image host, device; /* of one shape and pitch */
    size_t bytes;
    char *memory; /* of the device: the picture begins some bytes on */
};

static size_t row_bytes(const stencil_image *image)
{
    return (size_t)(image->width * image->channels * image->sample_bytes);
}

/* A picture whose rows have `gap` samples behind them, `shift` samples from an aligned address. */
static struct placed place(const stencil_image *shape, int gap, int shift)
{
    struct placed made = {.host = *shape};
    void *host = NULL, *device = NULL;

    made.host.pitch = row_bytes(shape) + (size_t)(gap * shape->sample_bytes);
    made.bytes = made.host.pitch * (size_t)shape->height;
    CHECK(cudaHostAlloc(&host, made.bytes, cudaHostAllocPortable) == cudaSuccess);
    CHECK(cudaMalloc(&device, made.bytes + (size_t)(shift * shape->sample_bytes)) == cudaSuccess);
    memset(host, GUARD, made.bytes);
    made.memory = device;
    made.host.data = host;
    made.device = made.host;
    made.device.data = made.memory + shift * shape->sample_bytes;
    made.device.memory = STENCIL_CUDA;
    return made;
}

static void unplace(struct placed *placed)
{
    CHECK(cudaFreeHost(placed->host.data) == cudaSuccess);
    CHECK(cudaFree(placed->memory) == cudaSuccess);
}

static void fill(const stencil_image *image)
{
    for (int y = 0; y < image->height; y++)
        for (size_t i = 0; i < row_bytes(image); i++)
            ((unsigned char *)image->data)[(size_t)y * image->pitch + i] =
                (unsigned char)random_next(&random_state);
}

static void upload(const struct placed *placed, cudaStream_t stream)
{
    CHECK(cudaMemcpyAsync(placed->device.data, placed->host.data, placed->bytes,
                          cudaMemcpyHostToDevice, stream) == cudaSuccess);
}

static void download(const struct placed *placed, cudaStream_t stream)
{
    CHECK(cudaMemcpyAsync(placed->host.data, placed->device.data, placed->bytes,
                          cudaMemcpyDeviceToHost, stream) == cudaSuccess &&
          cudaStreamSynchronize(stream) == cudaSuccess);
}

/* ---- bytes ---- */

struct contexts {
    stencil_context *cpu, *cuda;
    const char *kernel; /* of `cuda`; NULL: the fastest */
    cudaStream_t stream;
};

/* Filters a picture on the device and on the CPU. The input comes by the caller's stream, which
 * nobody waits for. False: the kernel cannot run the filter. */
static bool compare(const struct contexts *c, const char *words, const stencil_image *shape,
                    int alignment)
{
    const int odd = alignment & 1, apart = alignment >> 1 & 1;
    const bool in_place = alignment == 4;
    struct placed in = place(shape, 3 * odd, odd), out = place(shape, 5 * apart, apart);
    stencil_image expected = in.host;
    stencil_filter *filter = NULL;
    struct placed *made = in_place ? &in : &out;
    stencil_status status;

    fill(&in.host);
    expected.data = calloc(1, in.bytes);
    CHECKF(stencil_filter_add(c->cpu, &filter, words) == STENCIL_OK &&
               stencil_apply(c->cpu, filter, &in.host, &expected) == STENCIL_OK,
           "%s: %s", words, stencil_message(c->cpu));
    upload(&out, c->stream);
    upload(&in, c->stream);
    in.device.stream = c->stream;
    status = stencil_apply(c->cuda, filter, &in.device, &made->device);
    CHECKF(status == STENCIL_OK || (c->kernel && status == STENCIL_ARGUMENT), "%s: %s", words,
           stencil_message(c->cuda));
    CHECK(cudaStreamSynchronize(c->stream) == cudaSuccess);
    if (status == STENCIL_OK) {
        bool gaps = true, rows = true;
        download(made, c->stream);
        for (int y = 0; y < shape->height; y++) {
            const unsigned char *row =
                (unsigned char *)made->host.data + (size_t)y * made->host.pitch;
            rows = rows && memcmp(row, (char *)expected.data + (size_t)y * expected.pitch,
                                  row_bytes(shape)) == 0;
            for (size_t i = row_bytes(shape); i < made->host.pitch; i++)
                gaps = gaps && row[i] == GUARD;
        }
        CHECKF(rows, "%s with %s, %dx%dx%d of %d bytes, alignment %d", words,
               c->kernel ? c->kernel : "the fastest kernel", shape->width, shape->height,
               shape->channels, shape->sample_bytes, alignment);
        CHECKF(gaps, "%s with %s writes between the rows", words, c->kernel ? c->kernel : "any");
    }
    stencil_filter_free(filter);
    free(expected.data);
    unplace(&in);
    unplace(&out);
    return status == STENCIL_OK;
}

static const char *const filters[] = {
    "blur",
    "gauss --sigma 0.6 --border wrap",
    "gauss --sigma 3 --border mirror",
    "gauss --sigma 9",
    "box --radius 1 --border zero",
    "box --radius 6",
    "sobel",
    "unsharp --amount 0.8 --border constant:7",
    "convolve --mask '1 2 3 4 5; 5 4 3 2 1; 1 0 -1 0 1' --divisor 9 --offset 3",
    "convolve --mask '100001 -3 77777' --divisor 177775",
    "convolve --mask '3 1 4; 1 -5 9; 2 6 -5' --divisor 7 --repeat 3",
    "median --radius 1",
    "median --radius 2 --border wrap",
    "erode --radius 4",
    "open --radius 2",
    "outline",
    "bilateral --sigma 1.5",
};
#define FILTERS ((int)(sizeof filters / sizeof *filters))

/* Row bytes of the first widths are multiples of 16. */
static stencil_image shape_of(int turn)
{
    static const int widths[] = {64, 208, 16, 33, 1, 170};

    return (stencil_image){.width = widths[turn % 6],
                           .height = 1 + any_below(70),
                           .channels = 1 + any_below(4),
                           .sample_bytes = 1 + any_below(2)};
}

static void bytes_of_each_kernel(void)
{
    int count;
    const struct kernel *table = kernel_table(&count);
    struct contexts c = {.cpu = open_context("cpu", NULL)};

    CHECK(cudaStreamCreateWithFlags(&c.stream, cudaStreamNonBlocking) == cudaSuccess);
    for (int k = 0; k < count; k++) {
        int ran = 0;
        if (table[k].dims != 2 || table[k].device != DEVICE_CUDA)
            continue;
        c.kernel = table[k].name;
        c.cuda = open_context("cuda", c.kernel);
        for (int f = 0; f < FILTERS; f++)
            for (int alignment = 0; alignment < 5; alignment++) {
                stencil_image shape = shape_of(any_below(3));
                ran += compare(&c, filters[f], &shape, alignment);
            }
        CHECKF(ran > 0, "%s runs none of the filters", c.kernel);
        stencil_close(c.cuda);
    }
    CHECK(cudaStreamDestroy(c.stream) == cudaSuccess);
    stencil_close(c.cpu);
}

static void bytes_of_the_fastest(void)
{
    struct contexts c = {.cpu = open_context("cpu", NULL), .cuda = open_context("auto", NULL)};

    CHECK(cudaStreamCreateWithFlags(&c.stream, cudaStreamNonBlocking) == cudaSuccess);
    for (int turn = 0; turn < 12; turn++)
        for (int f = 0; f < FILTERS; f++) {
            stencil_image shape = shape_of(turn);
            compare(&c, filters[f], &shape, any_below(5));
        }
    CHECK(cudaStreamDestroy(c.stream) == cudaSuccess);
    stencil_close(c.cpu);
    stencil_close(c.cuda);
}

/* Three steps, and their pictures between; the input may be the output. */
static void chains(void)
{
    stencil_context *cpu = open_context("cpu", NULL), *cuda = open_context("cuda", NULL);
    const stencil_image shape = {.width = 48, .height = 21, .channels = 3, .sample_bytes = 1};
    cudaStream_t stream;

    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
    for (int turn = 0; turn < 20; turn++) {
        struct placed in = place(&shape, 0, 0);
        stencil_image expected = in.host;
        stencil_filter *filter = NULL;
        fill(&in.host);
        expected.data = malloc(in.bytes);
        for (int i = 0; i < 3; i++)
            CHECK(stencil_filter_add(cpu, &filter, filters[any_below(FILTERS)]) == STENCIL_OK);
        CHECK(stencil_apply(cpu, filter, &in.host, &expected) == STENCIL_OK);
        upload(&in, stream);
        in.device.stream = stream;
        CHECKF(stencil_apply(cuda, filter, &in.device, &in.device) == STENCIL_OK, "%s",
               stencil_message(cuda));
        download(&in, stream);
        CHECK(memcmp(in.host.data, expected.data, in.bytes) == 0);
        stencil_filter_free(filter);
        free(expected.data);
        unplace(&in);
    }
    CHECK(cudaStreamDestroy(stream) == cudaSuccess);
    stencil_close(cpu);
    stencil_close(cuda);
}

/* The copies of a call: one brings the mask, others only pictures that do not lie well. */
static int copies_of(stencil_context *context, int width, bool in_place)
{
    const stencil_image shape = {.width = width, .height = 40, .channels = 3, .sample_bytes = 1};
    struct placed in = place(&shape, 0, 0), out = place(&shape, 0, 0);
    stencil_filter *filter = NULL;
    int before;

    CHECK(stencil_filter_add(context, &filter, "blur") == STENCIL_OK);
    before = fake_cuda_count().copies;
    CHECK(stencil_apply(context, filter, &in.device, in_place ? &in.device : &out.device) ==
          STENCIL_OK);
    before = fake_cuda_count().copies - before;
    stencil_filter_free(filter);
    unplace(&in);
    unplace(&out);
    return before;
}

static void copies(void)
{
    stencil_context *context = open_context("cuda", NULL);

    CHECK(copies_of(context, 64, false) == 1);
    CHECK(copies_of(context, 64, true) == 2);
    CHECK(copies_of(context, 65, false) == 3);
    stencil_close(context);
}

/* ---- bad use ---- */

static void refused(stencil_context *context, const char *words, const stencil_image *in,
                    const stencil_image *out, stencil_status status, const char *sentence)
{
    stencil_filter *filter = NULL;

    CHECK(stencil_filter_add(context, &filter, words) == STENCIL_OK);
    CHECK(stencil_apply(context, filter, in, out) == status);
    CHECKF(strcmp(stencil_message(context), sentence) == 0, "%s", stencil_message(context));
    stencil_filter_free(filter);
}

static void bad_pictures(void)
{
    stencil_context *cuda = open_context("cuda", NULL), *cpu = open_context("cpu", NULL);
    const stencil_image shape = {.width = 16, .height = 4, .channels = 1, .sample_bytes = 1};
    struct placed in = place(&shape, 0, 0), out = place(&shape, 0, 0), far;
    stencil_image bad = in.device;

    refused(cpu, "blur", &in.device, &out.device, STENCIL_ARGUMENT,
            "in: it lies on a CUDA device, but the context's device is cpu");
    refused(cuda, "blur", &in.device, &out.host, STENCIL_ARGUMENT,
            "out: it lies on the host, but in on the device");
    bad.data = in.host.data;
    refused(cuda, "blur", &bad, &out.device, STENCIL_ARGUMENT,
            "in: data does not point into the memory of cuda:0");
    CHECK(cudaSetDevice(1) == cudaSuccess);
    far = place(&shape, 0, 0);
    refused(cuda, "blur", &far.device, &out.device, STENCIL_ARGUMENT,
            "in: data does not point into the memory of cuda:0");
    bad = in.device;
    bad.max = 100;
    refused(cuda, "blur", &bad, &bad, STENCIL_ARGUMENT,
            "in: max is 100, but on a CUDA device it must be 255");
    bad = in.device;
    bad.memory = 7;
    refused(cuda, "blur", &bad, &out.device, STENCIL_ARGUMENT,
            "in: memory is 7, expected STENCIL_HOST or STENCIL_CUDA");
    bad = in.device;
    bad.data = (char *)bad.data + 1;
    bad.height--;
    refused(cuda, "blur", &bad, &in.device, STENCIL_ARGUMENT,
            "out: its shape differs from that of in: 16 x 4 pixels, 1 channels, 1 bytes a sample, "
            "max 255, not 16 x 3, 1, 1, 255");
    refused(cuda, "blur --light linear", &in.device, &out.device, STENCIL_DEVICE,
            "in: --light, --region and --where need a picture in host memory");
    CHECK(stencil_write(cuda, "x.png", &in.device, 0) == STENCIL_ARGUMENT);
    CHECK(strcmp(stencil_message(cuda),
                 "image: it lies on a CUDA device, expected a picture in host memory") == 0);
    unplace(&far);
    CHECK(cudaSetDevice(0) == cudaSuccess);
    unplace(&in);
    unplace(&out);
    stencil_close(cuda);
    stencil_close(cpu);
}

/* A context leaves the caller's device current, and no memory behind. */
static void nothing_left(void)
{
    const stencil_options options = {.device = "cuda", .device_index = 1};
    const stencil_image shape = {.width = 32, .height = 9, .channels = 1, .sample_bytes = 1};
    stencil_context *context;
    stencil_filter *filter = NULL;
    struct placed in, out;
    int before, device = -1;

    backend_find(DEVICE_CUDA)->release();
    before = fake_cuda_count().allocations;
    CHECK(stencil_open(&context, &options) == STENCIL_OK);
    CHECK(stencil_filter_add(context, &filter, "blur") == STENCIL_OK &&
          stencil_filter_add(context, &filter, "median --radius 1") == STENCIL_OK);
    CHECK(cudaSetDevice(1) == cudaSuccess);
    in = place(&shape, 0, 0);
    out = place(&shape, 0, 0);
    CHECK(cudaSetDevice(0) == cudaSuccess);
    CHECKF(stencil_apply(context, filter, &in.device, &out.device) == STENCIL_OK, "%s",
           stencil_message(context));
    CHECK(cudaGetDevice(&device) == cudaSuccess && device == 0);
    stencil_filter_free(filter);
    stencil_close(context);
    unplace(&in);
    unplace(&out);
    backend_find(DEVICE_CUDA)->release();
    CHECK(fake_cuda_count().allocations == before);
}

/* Any call of CUDA's may fail: then the filter does without it, or ends with a sentence, and the
 * next call works. */
static void failures(void)
{
    stencil_context *context = open_context("cuda", NULL);
    const stencil_image shape = {.width = 32, .height = 9, .channels = 3, .sample_bytes = 1};
    stencil_filter *filter = NULL;
    struct placed in, out;
    int nth = 0, failed = 0;

    CHECK(cudaSetDevice(0) == cudaSuccess);
    in = place(&shape, 0, 0);
    out = place(&shape, 0, 0);
    CHECK(stencil_filter_add(context, &filter, "blur") == STENCIL_OK &&
          stencil_filter_add(context, &filter, "gauss --sigma 2") == STENCIL_OK);
    do {
        stencil_status status;
        fake_cuda_fail(NULL, ++nth, cudaErrorIllegalAddress);
        status = stencil_apply(context, filter, &in.device, &out.device);
        CHECKF(status == STENCIL_OK || *stencil_message(context), "call %d", nth);
        failed += status != STENCIL_OK;
        if (!fake_cuda_failed())
            break;
        fake_cuda_fail(NULL, 0, cudaSuccess);
    } while (nth < 200);
    fake_cuda_fail(NULL, 0, cudaSuccess);
    CHECKF(nth > 10 && nth < 200 && failed >= nth - 4, "%d of %d calls", failed, nth);
    CHECKF(stencil_apply(context, filter, &in.device, &out.device) == STENCIL_OK, "%s",
           stencil_message(context));
    stencil_filter_free(filter);
    stencil_close(context);
    unplace(&in);
    unplace(&out);
}

int main(void)
{
    TEST(bad_pictures);
    TEST(bytes_of_each_kernel);
    TEST(bytes_of_the_fastest);
    TEST(chains);
    TEST(copies);
    TEST(nothing_left);
    TEST(failures);
    return test_finish();
}
