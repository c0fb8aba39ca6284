// expect: stopped
// Macros that double: 2^40 words.

#define A(x) x x
#define B(x) A(A(A(A(A(A(A(A(x))))))))
#define C(x) B(B(B(B(B(x)))))
static const char text[] = C("text");

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
