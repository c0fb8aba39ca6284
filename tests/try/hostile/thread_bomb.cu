// expect: stopped
// Threads without end.
// says: starts another process or thread

extern "C" int pause();
extern "C" int pthread_create(unsigned long *, const void *, void *(*)(void *), void *);

static void *sleeps(void *)
{
    for (;;)
        pause();
}

__global__ void basic(const float *N, const float *M, float *P, int Mask_Width, int Width)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= Width)
        return;
    float sum = 0;
    for (int j = 0; j < Mask_Width; j++) {
        const int at = i - Mask_Width / 2 + j;
        if (at >= 0 && at < Width)
            sum += N[at] * M[j];
    }
    P[i] = sum;
}

void launch(const float *N, const float *M, float *P, int Mask_Width, int Width)
{
    unsigned long thread;
    for (;;)
        pthread_create(&thread, nullptr, sleeps, nullptr);
    basic<<<(Width + 63) / 64, 64>>>(N, M, P, Mask_Width, Width);
}
