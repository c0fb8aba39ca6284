/* The inner work of cpu/signal.c for one number type: included with CELL, the type
 * of a cell, and NAME(function), which makes the functions' names. */

/* Copies cells [first, end), all of which are ghost cells, into LINE. */
static void NAME(ghosts)(const struct signal_job *job, CELL *line, int first, int end)
{
    for (int i = first; i < end; i++) {
        int at = border_fold(job->border, i, job->n);
        *line++ = at == BORDER_OUTSIDE ? (CELL)job->ghost : ((const CELL *)job->in)[at];
    }
}

/* Copies COUNT cells of the signal, from cell FIRST on, into LINE, ghost cells included. */
static void NAME(fill)(const struct signal_job *job, CELL *line, int first, int count)
{
    int end = first + count;
    int inside = clamp(0, first, end), outside = clamp(job->n, first, end);

    NAME(ghosts)(job, line, first, inside);
    if (outside > inside)
        memcpy(line + (inside - first), (const CELL *)job->in + inside,
               (size_t)(outside - inside) * sizeof *line);
    NAME(ghosts)(job, line + (outside - first), outside, end);
}

/* Makes the outputs of the piece that begins at output FIRST. */
static void NAME(sum)(const struct signal_job *job, int first)
{
    int count = job->n - first < PIECE ? job->n - first : PIECE;
    CELL line[PIECE + GROUP - 1], sums[PIECE] = {0};

    for (int j = 0; j < job->mask_width; j += GROUP) {
        int weights = job->mask_width - j < GROUP ? job->mask_width - j : GROUP;
        const CELL *weight = (const CELL *)job->weight + j;
        NAME(fill)(job, line, first - job->anchor + j, count + weights - 1);
        for (int k = 0; k < weights; k++)
            for (int i = 0; i < count; i++)
                sums[i] += weight[k] * line[i + k];
    }
    memcpy((CELL *)job->out + first, sums, (size_t)count * sizeof *sums);
}

#undef CELL
#undef NAME
