# CUDA in bands of a few rows gives the CPU's bytes, over repeated passes, and with far ghost rows.
. "$CLI/lib"
need_cuda
seams_repeats "$gpu"
