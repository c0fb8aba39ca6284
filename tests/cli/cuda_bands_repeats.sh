# CUDA in bands of a few rows gives the CPU's bytes, over repeated passes, and rows that are far away.
. "$CLI/lib"
need_cuda
seams_repeats cuda
