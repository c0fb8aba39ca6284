# On the CPU, bands of a few rows give the bytes of the picture in one piece. For a GPU:
# cuda_bands_*.sh.
. "$CLI/lib"
seams_borders cpu
seams_kinds cpu
seams_repeats cpu
