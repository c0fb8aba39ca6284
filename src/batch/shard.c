/* Chooses the shard from --shard or from the environment of a scheduler. */
#include "batch/shard.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

#define MAX_SHARDS 1000000

/* A whole number from LEAST to INT_MAX, followed by ENDS_WITH; false for anything else. */
static bool parse_number(const char *text, char ends_with, int least, int *number)
{
    char *end;
    long value;

    if (!text || !isdigit((unsigned char)*text))
        return false;
    errno = 0;
    value = strtol(text, &end, 10);
    if (errno != 0 || *end != ends_with || value < least || value > INT_MAX)
        return false;
    *number = (int)value;
    return true;
}

static bool number_of(const char *variable, int least, int *number)
{
    return parse_number(getenv(variable), '\0', least, number);
}

/* ---- the environment of schedulers ---- */

/* Variables with a rank that counts from 0 and with the number of ranks; `count` may be NULL. */
static const struct {
    const char *who, *index, *count;
} ranks[] = {
    {"AWS Batch", "AWS_BATCH_JOB_ARRAY_INDEX", "AWS_BATCH_JOB_ARRAY_SIZE"},
    {"Kubernetes", "JOB_COMPLETION_INDEX", "JOB_COMPLETIONS"},
    /* reached with auto/N, or by a single process: */
    {"Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
    {"PMI", "PMI_RANK", "PMI_SIZE"},
};

/* The tasks of an array may start at any index and go in steps, but must have no gaps: with
 * --array=1,3,7 no variable tells which of the three a task is. */
static bool from_slurm_array(struct shard *shard, struct error *err)
{
    int task, first = 0, last = 0, step = 1, count = 0;

    number_of("SLURM_ARRAY_TASK_STEP", 1, &step);
    if (!number_of("SLURM_ARRAY_TASK_ID", 0, &task) ||
        !number_of("SLURM_ARRAY_TASK_MIN", 0, &first) ||
        !number_of("SLURM_ARRAY_TASK_MAX", 0, &last) ||
        !number_of("SLURM_ARRAY_TASK_COUNT", 1, &count) || task < first || task > last ||
        (task - first) % step != 0 || (last - first) / step + 1 != count)
        return error_set(err, EXIT_USAGE,
                         "--shard auto: the Slurm array has gaps; use --shard I/N");
    shard->index = (task - first) / step;
    shard->count = count;
    snprintf(shard->why, sizeof shard->why, "Slurm array task %d of %d to %d", task, first, last);
    return true;
}

/* Divides the part of an array task among processes that were started together. False if the
 * variables are not set. */
static bool divide(struct shard *shard, const char *index, const char *count, const char *who)
{
    size_t used = strlen(shard->why);
    int rank, tasks;

    if (!number_of(index, 0, &rank) || !number_of(count, 1, &tasks) || rank >= tasks ||
        shard->count > MAX_SHARDS / tasks)
        return false;
    if (tasks == 1)
        return true;
    shard->index = shard->index * tasks + rank;
    shard->count *= tasks;
    snprintf(shard->why + used, sizeof shard->why - used, "%s%s %d of %d", used ? ", " : "", who,
             rank, tasks);
    return true;
}

/* In a job of Slurm, the processes of mpirun and mpiexec have both MPI's and Slurm's variables.
 * Slurm's describe the launcher's own step and are equal for many processes, so MPI's come first.
 * SLURM_NTASKS is of no use: a batch script has it too, and runs once. */
static void divide_among_processes(struct shard *shard)
{
    if (!divide(shard, "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "Open MPI's rank") &&
        !divide(shard, "PMI_RANK", "PMI_SIZE", "PMI's rank"))
        divide(shard, "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "Slurm step's task");
}

static bool from_ranks(struct shard *shard, bool need_count, struct error *err)
{
    for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++) {
        if (!number_of(ranks[i].index, 0, &shard->index))
            continue;
        if (!number_of(ranks[i].count, 1, &shard->count) && need_count)
            return error_set(err, EXIT_USAGE,
                             "--shard auto: %s is set, but not %s; use --shard auto/N",
                             ranks[i].index, ranks[i].count);
        snprintf(shard->why, sizeof shard->why, "%s, %s=%d", ranks[i].who, ranks[i].index,
                 shard->index);
        return true;
    }
    return error_set(err, EXIT_USAGE,
                     "--shard auto: no variables of Slurm, Kubernetes, AWS Batch, Open MPI or PMI "
                     "are set; use --shard I/N");
}

static bool choose_auto(struct shard *shard, const char *count, struct error *err)
{
    int given = 0;

    if (count && !parse_number(count, '\0', 1, &given))
        return error_set(err, EXIT_USAGE, "--shard auto/%s: expected auto/N, N at least 1", count);
    *shard = (struct shard){.count = 1};
    if (getenv("SLURM_ARRAY_TASK_ID") && !from_slurm_array(shard, err))
        return false;
    divide_among_processes(shard);
    if (!shard->why[0] && !from_ranks(shard, given == 0, err))
        return false;
    if (given > 0)
        shard->count = given;
    if (shard->index >= shard->count)
        return error_set(err, EXIT_USAGE, "--shard auto: number %d (%s) of %d, counted from 0",
                         shard->index, shard->why, shard->count);
    shard->index++;
    return true;
}

bool shard_choose(struct shard *shard, const char *text, struct error *err)
{
    const char *slash = text ? strchr(text, '/') : NULL;

    *shard = (struct shard){.index = 1, .count = 1};
    if (!text)
        return true;
    if (strncmp(text, "auto", 4) == 0 && (text[4] == '\0' || text[4] == '/'))
        return choose_auto(shard, slash ? slash + 1 : NULL, err);
    if (!slash || !parse_number(text, '/', 1, &shard->index) ||
        !parse_number(slash + 1, '\0', 1, &shard->count) || shard->index > shard->count ||
        shard->count > MAX_SHARDS)
        return error_set(err, EXIT_USAGE, "--shard %s: expected I/N with I from 1 to N, or auto",
                         text);
    return true;
}

bool shard_has(const struct shard *shard, const char *name)
{
    return shard->count == 1 ||
           hash_text(name) % (uint64_t)shard->count == (uint64_t)(shard->index - 1);
}

int shard_local_rank(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID",
                                        "PMI_LOCAL_RANK", "SLURM_LOCALID"};
    int rank = -1;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (number_of(names[i], 0, &rank))
            break;
    return rank;
}
