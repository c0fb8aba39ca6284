# Bands of a few rows give the bytes of the picture in one piece: all of it on the CPU. The same on a
# GPU: cuda_bands_*.sh.
. "$CLI/lib"
seams_borders cpu
seams_kinds cpu
seams_repeats cpu
