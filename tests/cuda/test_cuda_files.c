/* Files of a batch side by side on made-up CUDA devices, and the pinned memory of their pictures.
 * Needs neither nvcc nor a GPU. */
#include "base/parallel.h"
#include "cuda/device.h"
#include "fake_cuda.h"
#include "kernel/backend.h"
#include "tests/run/pipeline_inputs.h"

#include <stdatomic.h>

#define THREADS 12

static const struct shape shapes[] = {
    {61, 40, 3, 255, FORMAT_PPM},   {33, 29, 1, 255, FORMAT_PGM}, {37, 23, 4, 255, FORMAT_PAM},
    {30, 22, 4, 65535, FORMAT_PAM}, {45, 19, 3, 255, FORMAT_PNG}, {50, 18, 3, 255, FORMAT_JPEG},
    {20, 90, 3, 255, FORMAT_BMP},
};
#define SHAPES ((int)(sizeof shapes / sizeof *shapes))

static atomic_int wrong;

#define FILES 48

static void one_file(void *context, int piece, int worker)
{
    const struct shape *s = &shapes[piece % SHAPES];
    struct picture_request request = request_of("blur", NULL);
    struct picture_report report;
    struct error err;
    char input[32], output[32];

    (void)context, (void)worker;
    request.device = DEVICE_CUDA;
    request.device_index = piece % 2;
    request.device_shared = true;
    request.threads = 1;
    request.sink.format = s->format;
    snprintf(input, sizeof input, "in%d", piece % SHAPES);
    snprintf(output, sizeof output, "out%d", piece);
    if (!picture_filter(&request, input, output, &report, &err)) {
        atomic_fetch_add(&wrong, 1);
        printf("# %s\n", err.text);
    }
}

static void files_beside_each_other(void)
{
    struct picture_request request = request_of("blur", NULL);
    struct picture_report report;
    struct error err;
    char input[32], output[32];
    uint8_t *bytes;
    size_t count;

    wrong = 0;
    for (int i = 0; i < SHAPES; i++) {
        snprintf(input, sizeof input, "in%d", i);
        write_input(input, &shapes[i], i % 2);
        snprintf(output, sizeof output, "cpu%d", i);
        request.sink.format = shapes[i].format;
        CHECKF(picture_filter(&request, input, output, &report, &err), "%s", err.text);
    }
    parallel_for(THREADS, FILES, one_file, NULL);
    CHECK(wrong == 0);
    for (int i = 0; i < FILES; i++) {
        snprintf(input, sizeof input, "cpu%d", i % SHAPES);
        snprintf(output, sizeof output, "out%d", i);
        count = read_file(input, &bytes);
        CHECKF(file_holds(output, bytes, count), "%s", output);
        free(bytes);
    }
    CHECK(fake_cuda_count().pinned > 0);
}

static void pinned_memory_is_bounded(void)
{
    void *piece[16] = {NULL}, *small;
    int pins;

    small = cuda_host_take(0, 100000);
    CHECK(small && cuda_host_give(small) && !cuda_host_give(&pins));
    CHECK(cuda_host_take(0, 99000) == small && cuda_host_give(small)); /* kept */
    CHECK(!cuda_host_take(0, CUDA_HOST_CHUNK_BYTES + 1));
    for (int i = 0; i < 4; i++)
        CHECK((piece[i] = cuda_host_take(0, CUDA_HOST_CHUNK_BYTES)) != NULL);
    CHECK(!cuda_host_take(0, 100000)); /* the small block was freed to make room */
    CHECK(cuda_host_give(piece[2]));
    CHECK(cuda_host_take(0, 100000) == piece[2]);
    for (int i = 0; i < 4; i++)
        CHECK(cuda_host_give(piece[i]));
    pins = fake_cuda_count().pinned;
    CHECKF(pins == 4, "%d", pins);
    cuda_host_release();
    CHECK(fake_cuda_count().pinned == 0);
}

int main(void)
{
    char folder[64];
    struct error err;

    if (!enter_test_folder(folder) || !backend_cuda.start(0, &err))
        return 1;
    TEST(files_beside_each_other);
    backend_cuda.release();
    TEST(pinned_memory_is_bounded);
    CHECK(fake_cuda_count().allocations == 0 && fake_cuda_count().pinned == 0);
    CHECK(leave_test_folder(folder));
    return test_finish();
}
