# CUDA in bands of a few rows gives the CPU's bytes, over all borders.
. "$CLI/lib"
need_cuda
seams_borders "$gpu"
