# Shards: each file belongs to one, their union is the whole, and `auto` reads schedulers'
# variables.
. "$CLI/lib"
mkdir in
for number in $(seq 100 139); do cp "$TESTDATA/textbook.pgm" in/$number.pgm; done
stencilcli blur in whole -q
for shard in 1 2 3; do
    stencilcli blur in out --shard $shard/3 --json 2>/dev/null >json$shard
    stencilcli blur in only$shard --shard $shard/3 -q
    ls only$shard
done | sort | uniq -d
[ "$(cat json1 json2 json3 | grep -c '"done"')" = 40 ]
(cd whole && ls) >expected
(cd out && ls) | cmp expected -
for file in whole/*; do cmp "$file" "out/${file#whole/}"; done
# A new file moves no other file to another shard; a run without shards reads all shards' manifests.
cp "$TESTDATA/textbook.pgm" in/000.pgm
for shard in 1 2 3; do
    stencilcli blur in only$shard --shard $shard/3 --json 2>/dev/null
done | grep -c '"done"'
stencilcli blur in out --json 2>/dev/null | grep -c '"done"'

auto() {
    echo "$*"
    env "$@" "$STENCILCLI" blur in auto --shard "${shard:-auto}" -v 2>messages >/dev/null || echo "exit $?"
    sed '1!d; s/;.*//' messages
}
array='SLURM_ARRAY_TASK_MIN=0 SLURM_ARRAY_TASK_MAX=3 SLURM_ARRAY_TASK_COUNT=4'
auto SLURM_ARRAY_TASK_ID=2 $array
auto SLURM_ARRAY_TASK_ID=5 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_MAX=7 SLURM_ARRAY_TASK_STEP=2 \
    SLURM_ARRAY_TASK_COUNT=4
auto SLURM_ARRAY_TASK_ID=3 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_MAX=7 SLURM_ARRAY_TASK_COUNT=3
auto SLURM_ARRAY_TASK_ID=x $array
auto SLURM_ARRAY_TASK_ID=2 $array SLURM_PROCID=1 SLURM_STEP_NUM_TASKS=3
auto SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=2
auto SLURM_PROCID=0 SLURM_NTASKS=2 # as in a batch script, which runs once
auto JOB_COMPLETION_INDEX=2
auto JOB_COMPLETION_INDEX=2 JOB_COMPLETIONS=5
shard=auto/4 auto JOB_COMPLETION_INDEX=2
shard=auto/2 auto JOB_COMPLETION_INDEX=2
# The choice of auto is printed even without -v; a given shard is not.
for options in '--shard auto' '--shard auto -q' '--shard 1/2'; do
    # shellcheck disable=SC2086
    PMI_RANK=0 PMI_SIZE=2 "$STENCILCLI" blur in auto $options 2>&1 | grep -c '^stencilcli: shard' || :
done
shard=auto/x auto JOB_COMPLETION_INDEX=2
auto AWS_BATCH_JOB_ARRAY_INDEX=0 AWS_BATCH_JOB_ARRAY_SIZE=10
auto OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=2
auto PMI_RANK=3 PMI_SIZE=4
auto PMI_RANK=4 PMI_SIZE=4
# Processes that mpirun starts within a Slurm job have the variables of both: the rank is Open
# MPI's, within the part of the array task.
for task in 0 1; do
    for rank in 0 1 2; do
        auto OMPI_COMM_WORLD_RANK=$rank OMPI_COMM_WORLD_SIZE=3 SLURM_PROCID=0 \
            SLURM_STEP_NUM_TASKS=2 SLURM_ARRAY_TASK_ID=$task SLURM_ARRAY_TASK_MIN=0 \
            SLURM_ARRAY_TASK_MAX=1 SLURM_ARRAY_TASK_COUNT=2
    done
done
auto PMI_RANK=1 PMI_SIZE=2 SLURM_PROCID=1 SLURM_STEP_NUM_TASKS=2
auto PMI_RANK=3 PMI_SIZE=4 SLURM_PROCID=1 SLURM_STEP_NUM_TASKS=2 # mpiexec on two nodes
auto OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=1 SLURM_PROCID=1 SLURM_STEP_NUM_TASKS=2
