# The version on the first line, then the parts that were built in.
"$STENCILCLI" --version >out
head -n 1 out
grep -Eqx 'CUDA: (yes|no)' out
grep -Eqx 'audio: (libsndfile|no)' out
[ "$(wc -l <out)" -eq 3 ]
