// expect: right
// The barrier is inside of the condition. No GPU waits for threads that have ended, so the outputs
// are right; there is a note.
// says: ends without the __syncthreads() in line 16

#define TILE_SIZE      64
#define MAX_MASK_WIDTH 15
__constant__ float M[MAX_MASK_WIDTH];

__global__ void barrier_in_if(const float *N, float *P, int Mask_Width, int Width)
{
    __shared__ float N_ds[TILE_SIZE];
    const int i = blockIdx.x * TILE_SIZE + threadIdx.x;
    if (i < Width) {
        N_ds[threadIdx.x] = N[i];
        __syncthreads();
        float sum = 0;
        for (int j = 0; j < Mask_Width; j++) {
            const int at = i - Mask_Width / 2 + j;
            if (at >= 0 && at < Width)
                sum += M[j] * (at / TILE_SIZE == blockIdx.x ? N_ds[at % TILE_SIZE] : N[at]);
        }
        P[i] = sum;
    }
}
