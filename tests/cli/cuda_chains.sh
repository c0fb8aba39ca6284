# CUDA filters a chain in bands of a few rows, and gives the bytes of its steps on the CPU.
. "$CLI/lib"
need_cuda
python3 "$CLI/chains.py" "$STENCILCLI" "$TESTDATA" 8 3 "$gpu"
