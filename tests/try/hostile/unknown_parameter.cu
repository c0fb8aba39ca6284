// expect: stopped
// A kernel with a parameter that has no meaning here.

__global__ void strange(const float *N, const float *M, float *P, int Mask_Width, int Width,
                        int phase_of_the_moon)
{
    P[0] = N[0] * M[0] * phase_of_the_moon;
}
