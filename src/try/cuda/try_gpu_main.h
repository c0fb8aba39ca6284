/* Behind a student's file that nvcc compiles: runs the cases of a file on the GPU and writes what
 * came out to another (try_gpu_case.h). The timed runs come first, with other numbers in N; then P
 * is cleared and the kernel runs once more, for the result: a kernel cannot keep what it computed
 * before. */
#undef main
#include "try/cuda/try_gpu_case.h"

namespace stencil_try
{
const size_t GUARD = 1 << 16; /* bytes before and behind an array */

struct array {
    char *base = nullptr;
    size_t bytes;

    explicit array(size_t size) : bytes(size)
    {
        if (cudaMalloc((void **)&base, bytes + 2 * GUARD) != cudaSuccess)
            base = nullptr;
        else
            cudaMemset(base, TRY_GPU_FILL, bytes + 2 * GUARD);
    }
    ~array()
    {
        cudaFree(base);
    }
    char *begin() const
    {
        return base + GUARD;
    }
};

template <typename F> float median_ms(int runs, F run)
{
    std::vector<float> times;
    cudaEvent_t from, to;

    cudaEventCreate(&from);
    cudaEventCreate(&to);
    for (int i = -2; i < runs; i++) {
        float ms = 0;
        cudaEventRecord(from);
        run();
        cudaEventRecord(to);
        cudaEventSynchronize(to);
        cudaEventElapsedTime(&ms, from, to);
        if (i >= 0)
            times.push_back(ms);
    }
    cudaEventDestroy(from);
    cudaEventDestroy(to);
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

inline void set_mask(const array &m, const std::vector<char> &mask)
{
#ifdef TRY_MASK
    (void)m;
    cudaMemcpyToSymbol(TRY_MASK, mask.data(), std::min(mask.size(), sizeof TRY_MASK));
#else
    cudaMemcpy(m.begin(), mask.data(), mask.size(), cudaMemcpyHostToDevice);
#endif
}

inline void run(const try_gpu_case &it, const std::vector<char> &picture,
                const std::vector<char> &mask, try_gpu_result *result, std::vector<char> *out)
{
    array n(it.n_bytes), m(it.m_bytes), p(it.p_bytes);
    std::vector<char> all(it.p_bytes + 2 * GUARD);
    try_arguments a = {n.begin(),
                       p.begin(),
                       m.begin(),
                       it.mask_width,
                       it.width,
                       it.height,
                       it.pitch,
                       it.channels,
                       {it.grid[0], it.grid[1]},
                       {it.block[0], it.block[1]},
                       (size_t)it.shared};

    if (n.base && m.base && p.base) {
        set_mask(m, mask);
        if (it.runs > 0) {
            cudaMemset(n.begin(), 0, it.n_bytes);
            result->ms = median_ms(it.runs, [&] { try_call(&a); });
            result->copy_ms = median_ms(it.runs, [&] {
                cudaMemcpyAsync(p.begin(), n.begin(), std::min(it.n_bytes, it.p_bytes),
                                cudaMemcpyDeviceToDevice);
            });
        }
        cudaMemcpy(n.begin(), picture.data(), picture.size(), cudaMemcpyHostToDevice);
        cudaMemset(p.base, TRY_GPU_FILL, it.p_bytes + 2 * GUARD);
        cudaGetLastError();
        try_call(&a);
    }
    cudaError_t error = cudaGetLastError();
    if (error == cudaSuccess)
        error = cudaDeviceSynchronize();
    if (error == cudaSuccess)
        error = cudaMemcpy(all.data(), p.base, all.size(), cudaMemcpyDeviceToHost);
    result->error = (int)error;
    if (error != cudaSuccess)
        snprintf(result->sentence, sizeof result->sentence, "%s", cudaGetErrorString(error));
    for (size_t i = 0; i < GUARD; i++)
        result->past_end |= all[i] != TRY_GPU_FILL || all[all.size() - 1 - i] != TRY_GPU_FILL;
    out->assign(all.begin() + GUARD, all.end() - GUARD);
}
} // namespace stencil_try

int main(int argc, char **argv)
{
    FILE *in = argc == 4 ? fopen(argv[1], "rb") : NULL, *out = in ? fopen(argv[2], "wb") : NULL;
    try_gpu_device device = {};
    try_gpu_case it;
    cudaDeviceProp properties;
    bool good = out != NULL;

    if (!good)
        return 1;
    const int number = (int)strtol(argv[3], NULL, 10);
    device.error = (int)cudaSetDevice(number);
    if (!device.error)
        device.error = (int)cudaGetDeviceProperties(&properties, number);
    snprintf(device.name, sizeof device.name, "%s",
             device.error ? cudaGetErrorString((cudaError_t)device.error) : properties.name);
    good = fwrite(&device, sizeof device, 1, out) == 1 && !device.error;
    while (good && fread(&it, sizeof it, 1, in) == 1) {
        std::vector<char> n(it.n_bytes), m(it.m_bytes), p;
        try_gpu_result result = {};
        good = fread(n.data(), 1, n.size(), in) == n.size() &&
               fread(m.data(), 1, m.size(), in) == m.size();
        if (!good)
            break;
        stencil_try::run(it, n, m, &result, &p);
        good = fwrite(&result, sizeof result, 1, out) == 1 &&
               fwrite(p.data(), 1, p.size(), out) == p.size() && !result.error;
    }
    return fclose(out) == 0 ? 0 : 1;
}
