# CUDA in bands of a few rows gives the CPU's bytes, over formats, alpha modes and gradients.
. "$CLI/lib"
need_cuda
seams_kinds "$gpu"
