# The default number of threads: the scheduler's limit, but never more than the machine's cores.
. "$CLI/lib"
threads() {
    env -u OMP_NUM_THREADS -u SLURM_CPUS_PER_TASK "$@" "$STENCILCLI" list devices |
        sed -n 's/^cpu.* \([0-9]*\) threads.*/\1/p'
}
all=$(threads env)
[ "$all" -ge 1 ]
for variable in OMP_NUM_THREADS SLURM_CPUS_PER_TASK; do
    [ "$(threads $variable=1)" = 1 ]
    [ "$(threads $variable=1000000)" = "$all" ]
    for value in 0 -3 x ''; do
        [ "$(threads "$variable=$value")" = "$all" ]
    done
done
[ "$(threads OMP_NUM_THREADS=1,4)" = 1 ]
[ "$(threads OMP_NUM_THREADS=1 SLURM_CPUS_PER_TASK=2)" = 1 ]
[ "$(threads taskset -c "$(taskset -cp $$ | sed 's/.*: //; s/[,-].*//')")" = 1 ]
