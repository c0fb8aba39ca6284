// NVIDIA's NPP for comparison, for scripts/bench_gpu_peers, which compiles this file.
//
//     bench_npp PICTURE.ppm K...
//     bench_npp PICTURE.ppm order K...
//
// For each K: times the four NPP calls that filter RGB with a K x K mask and border replicate,
// on the pixels of an 8-bit P6 file; after the word `order`, its erosion and median with a K x K
// window instead. Prints one JSON line for each call with the median time of the call on the
// device and of a device copy of the same bytes, timed beside it with CUDA events. Only the status
// is checked, not the result. This file has no kernels of its own.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime_api.h>
#include <functional>
#include <nppi_filtering_functions.h>
#include <nppi_morphological_operations.h>
#include <vector>

static void fail(const char *what, const char *why)
{
    std::fprintf(stderr, "bench_npp: %s: %s\n", what, why);
    std::exit(1);
}

static void check(cudaError_t status, const char *what)
{
    if (status != cudaSuccess)
        fail(what, cudaGetErrorString(status));
}

// Median of at least 5 and at most 30 calls within about two seconds, after a warm-up.
static double median_ms(const std::function<NppStatus()> &call, NppStatus *status)
{
    cudaEvent_t mark[2];
    std::vector<float> times;
    float spent = 0;
    check(cudaEventCreate(&mark[0]), "event");
    check(cudaEventCreate(&mark[1]), "event");
    for (int i = 0; i < 33 && (i < 8 || spent < 2000); i++) {
        float ms = 0;
        check(cudaEventRecord(mark[0]), "event");
        if ((*status = call()) != NPP_SUCCESS)
            return 0;
        check(cudaEventRecord(mark[1]), "event");
        check(cudaEventSynchronize(mark[1]), "the call");
        check(cudaEventElapsedTime(&ms, mark[0], mark[1]), "event");
        spent += ms;
        if (i >= 3)
            times.push_back(ms);
    }
    check(cudaEventDestroy(mark[0]), "event");
    check(cudaEventDestroy(mark[1]), "event");
    std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
    return times[times.size() / 2];
}

static void report(const char *name, int k, size_t bytes, void *in, void *out,
                   const std::function<NppStatus()> &call)
{
    NppStatus status = NPP_SUCCESS;
    double copy_ms = median_ms(
        [&] {
            check(cudaMemcpyAsync(out, in, bytes, cudaMemcpyDeviceToDevice, 0), "copy");
            return NPP_SUCCESS;
        },
        &status);
    double ms = median_ms(call, &status);
    if (status != NPP_SUCCESS)
        std::fprintf(stderr, "bench_npp: %s: k = %d: NPP status %d\n", name, k, (int)status);
    else
        std::printf("{\"peer\":\"%s\",\"k\":%d,\"ms\":%.6f,\"copy_ms\":%.6f}\n", name, k, ms,
                    copy_ms);
    std::fflush(stdout);
}

static NppStreamContext context()
{
    NppStreamContext c = {};
    cudaDeviceProp properties;
    check(cudaGetDeviceProperties(&properties, 0), "device");
    c.nMultiProcessorCount = properties.multiProcessorCount;
    c.nMaxThreadsPerMultiProcessor = properties.maxThreadsPerMultiProcessor;
    c.nMaxThreadsPerBlock = properties.maxThreadsPerBlock;
    c.nSharedMemPerBlock = properties.sharedMemPerBlock;
    c.nCudaDevAttrComputeCapabilityMajor = properties.major;
    c.nCudaDevAttrComputeCapabilityMinor = properties.minor;
    return c; // the default stream of device 0
}

static std::vector<unsigned char> read_ppm(const char *path, int *width, int *height)
{
    std::FILE *file = std::fopen(path, "rb");
    if (!file || std::fscanf(file, "P6 %d %d 255", width, height) != 2 || std::fgetc(file) != '\n')
        fail(path, "cannot be read as an 8-bit P6 file");
    std::vector<unsigned char> pixels((size_t)*width * *height * 3);
    if (std::fread(pixels.data(), 1, pixels.size(), file) != pixels.size())
        fail(path, "is short");
    std::fclose(file);
    return pixels;
}

static NppiMaskSize gauss_size(int k)
{
    switch (k) {
    case 3: return NPP_MASK_SIZE_3_X_3;
    case 5: return NPP_MASK_SIZE_5_X_5;
    case 7: return NPP_MASK_SIZE_7_X_7;
    case 9: return NPP_MASK_SIZE_9_X_9;
    default: return NPP_MASK_SIZE_15_X_15;
    }
}

// The weights of `lopsided` in scripts/bench_common.py, as integers and as floats, on the device.
static int put_weights(int k, Npp32s *integers, Npp32f *floats)
{
    std::vector<Npp32s> w;
    std::vector<Npp32f> f;
    int sum = 0;
    for (int i = 0; i < k; i++)
        for (int j = 0; j < k; j++) {
            w.push_back(1 + j + (3 * i * i + 2 * i) % 7);
            sum += w.back();
        }
    for (Npp32s v : w)
        f.push_back((float)v / (float)sum);
    check(cudaMemcpy(integers, w.data(), w.size() * 4, cudaMemcpyHostToDevice), "mask");
    check(cudaMemcpy(floats, f.data(), f.size() * 4, cudaMemcpyHostToDevice), "mask");
    return sum;
}

// Erosion and median of RGB with K x K windows, border replicate.
static void report_order(int k, int width, int height, Npp8u *in, Npp8u *out,
                         const NppStreamContext &ctx)
{
    const NppiSize size = {width, height}, ksize = {k, k};
    const NppiPoint corner = {0, 0}, anchor = {k / 2, k / 2};
    const int step = 3 * width;
    const size_t bytes = (size_t)step * height;
    Npp32u scratch_bytes = 0;
    Npp8u *window, *scratch = nullptr;
    check(cudaMalloc(&window, (size_t)k * k), "memory");
    check(cudaMemset(window, 1, (size_t)k * k), "window");
    report("NPP ErodeBorder_8u_C3R", k, bytes, in, out, [&] {
        return nppiErodeBorder_8u_C3R_Ctx(in, step, size, corner, out, step, size, window, ksize,
                                          anchor, NPP_BORDER_REPLICATE, ctx);
    });
    if (k == 3)
        report("NPP Erode3x3Border_8u_C3R", k, bytes, in, out, [&] {
            return nppiErode3x3Border_8u_C3R_Ctx(in, step, size, corner, out, step, size,
                                                 NPP_BORDER_REPLICATE, ctx);
        });
    if (nppiFilterMedianBorderGetBufferSize_8u_C3R_Ctx(size, ksize, &scratch_bytes,
                                                       NPP_BORDER_REPLICATE, ctx) == NPP_SUCCESS &&
        k <= 15) {
        check(cudaMalloc(&scratch, scratch_bytes + 1), "memory");
        report("NPP FilterMedianBorder_8u_C3R", k, bytes, in, out, [&] {
            return nppiFilterMedianBorder_8u_C3R_Ctx(in, step, size, corner, out, step, size,
                                                     ksize, anchor, scratch, NPP_BORDER_REPLICATE,
                                                     ctx);
        });
        check(cudaFree(scratch), "memory");
    }
    check(cudaFree(window), "memory");
}

int main(int argc, char **argv)
{
    const bool order = argc > 2 && std::strcmp(argv[2], "order") == 0;
    int width = 0, height = 0;
    if (argc < 3)
        fail("usage", "bench_npp PICTURE.ppm K...");
    std::vector<unsigned char> pixels = read_ppm(argv[1], &width, &height);
    const size_t bytes = pixels.size(), plane = (size_t)width * height * sizeof(float);
    Npp8u *in, *out;
    Npp32f *fin, *fout, *floats;
    Npp32s *integers;
    check(cudaMalloc(&in, bytes), "memory");
    check(cudaMalloc(&out, bytes), "memory");
    check(cudaMalloc(&fin, 3 * plane), "memory");
    check(cudaMalloc(&fout, 3 * plane), "memory");
    check(cudaMalloc(&integers, 255 * 255 * 4), "memory");
    check(cudaMalloc(&floats, 255 * 255 * 4), "memory");
    check(cudaMemcpy(in, pixels.data(), bytes, cudaMemcpyHostToDevice), "upload");
    for (int c = 0; c < 3; c++) {
        std::vector<float> values((size_t)width * height);
        for (size_t i = 0; i < values.size(); i++)
            values[i] = pixels[3 * i + c];
        check(cudaMemcpy(fin + c * values.size(), values.data(), plane, cudaMemcpyHostToDevice),
              "upload");
    }
    const NppStreamContext ctx = context();
    const NppiSize size = {width, height};
    const NppiPoint corner = {0, 0};
    const int step = 3 * width, fstep = 4 * width;
    for (int i = order ? 3 : 2; i < argc; i++) {
        char *end = nullptr;
        const int k = (int)std::strtol(argv[i], &end, 10);
        if (*end != '\0' || k < 1 || k > 255)
            fail(argv[i], "a mask has a width from 1 to 255");
        if (order) {
            report_order(k, width, height, in, out, ctx);
            continue;
        }
        const int sum = put_weights(k, integers, floats);
        const NppiSize ksize = {k, k};
        const NppiPoint anchor = {k / 2, k / 2};
        report("NPP FilterBorder_8u_C3R", k, bytes, in, out, [&] {
            return nppiFilterBorder_8u_C3R_Ctx(in, step, size, corner, out, step, size, integers,
                                               ksize, anchor, sum, NPP_BORDER_REPLICATE, ctx);
        });
        report("NPP FilterBorder32f_8u_C3R", k, bytes, in, out, [&] {
            return nppiFilterBorder32f_8u_C3R_Ctx(in, step, size, corner, out, step, size, floats,
                                                  ksize, anchor, NPP_BORDER_REPLICATE, ctx);
        });
        if (k == 3 || k == 5 || k == 7 || k == 9 || k == 15)
            report("NPP FilterGaussBorder_8u_C3R", k, bytes, in, out, [&] {
                return nppiFilterGaussBorder_8u_C3R_Ctx(in, step, size, corner, out, step, size,
                                                        gauss_size(k), NPP_BORDER_REPLICATE, ctx);
            });
        report("NPP FilterBorder_32f_C1R, 3 planes", k, 3 * plane, fin, fout, [&] {
            NppStatus status = NPP_SUCCESS;
            for (int c = 0; c < 3 && status == NPP_SUCCESS; c++)
                status = nppiFilterBorder_32f_C1R_Ctx(
                    fin + c * (size_t)width * height, fstep, size, corner,
                    fout + c * (size_t)width * height, fstep, size, floats, ksize, anchor,
                    NPP_BORDER_REPLICATE, ctx);
            return status;
        });
    }
    return 0; // the end of the process frees device memory
}
