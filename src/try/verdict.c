/* Compares every output with the reference: see judge.h. diagnose.c looks for reasons. */
#include <stdlib.h>
#include <string.h>

#include "try/judge.h"

bool try_case_has(const struct try_trial *trial, int i, enum try_fault fault)
{
    return trial->results[i].found[fault].count > 0;
}

static void judge_case(const struct try_trial *trial, int i, struct try_case_verdict *verdict)
{
    const struct try_case *it = &trial->battery->cases[i];
    const struct try_result *result = &trial->results[i];
    const struct try_variant plain = {.border = trial->file->border};

    *verdict = (struct try_case_verdict){0};
    for (int y = 0; y < it->height; y++) {
        for (int x = 0; x < it->width * it->channels; x++) {
            const double got = result->p[(long long)y * it->pitch + x];
            const double want = try_reference(it, &plain, x / it->channels, y, x % it->channels);
            if (got == want && result->writer[(long long)y * it->pitch + x].block >= 0)
                continue;
            if (verdict->wrong++ == 0)
                *verdict = (struct try_case_verdict){.wrong = 1,
                                                     .x = x / it->channels,
                                                     .y = y,
                                                     .channel = x % it->channels,
                                                     .got = got,
                                                     .want = want};
        }
    }
    verdict->right = result->end == END_DONE && verdict->wrong == 0;
    for (int fault = 0; fault < FAULT_COUNT; fault++)
        if (fault != FAULT_PADDING && fault != FAULT_UNSET && fault != FAULT_OLD_P &&
            fault != FAULT_INDEX && fault != FAULT_LEFT &&
            try_case_has(trial, i, (enum try_fault)fault))
            verdict->right = false;
}

static void say_not_taken(const struct try_trial *trial, struct try_verdict *verdict)
{
    const int not_taken = trial->battery->not_taken;
    char taken[64];

    try_masks_name(trial->file, taken);
    snprintf(verdict->id, sizeof verdict->id, "mask-not-taken");
    snprintf(verdict->sentence, sizeof verdict->sentence,
             "takes %s, and %d hidden case%s another mask", taken, not_taken,
             not_taken == 1 ? " has" : "s have");
    snprintf(verdict->advice, sizeof verdict->advice,
             "All other cases are right. What masks a kernel takes is read from its constants "
             "(MAX_MASK_WIDTH, the size of M, BLOCK_WIDTH - O_TILE_WIDTH + 1) and from lines "
             "'// stencil: mask=...'.");
}

/* Notes a barrier that ended threads do not reach: a GPU allows it, but it is a bad habit. */
static void say_note(const struct try_trial *trial, struct try_verdict *verdict)
{
    int i = 0;

    while (i < trial->battery->count && !try_case_has(trial, i, FAULT_LEFT))
        i++;
    if (i == trial->battery->count)
        return;
    const struct try_place *place = &trial->results[i].found[FAULT_LEFT].first;
    snprintf(verdict->note, sizeof verdict->note,
             "thread (%d,%d) of block (%d,%d) ends without the __syncthreads() in line %d. A GPU "
             "does not wait for threads that have ended, but put a barrier outside of if, loop and "
             "early return, so that all threads of a block reach it",
             place->other[0], place->other[1], place->block[0], place->block[1], place->line);
}

bool try_judge(const struct try_trial *trial, struct try_verdict *verdict, struct error *err)
{
    const int count = trial->battery->count;

    *verdict = (struct try_verdict){.shown = -1};
    verdict->each = calloc((size_t)count, sizeof *verdict->each);
    if (!verdict->each)
        return error_set(err, EXIT_INPUT, "no memory for the verdict");
    for (int i = 0; i < count; i++) {
        const struct try_result *result = &trial->results[i];
        if (result->end == END_REFUSED) {
            verdict->code = EXIT_INPUT;
            verdict->shown = i;
            snprintf(verdict->id, sizeof verdict->id, "stopped");
            snprintf(verdict->sentence, sizeof verdict->sentence, "%s", result->sentence);
            return true;
        }
        if (result->end == END_NOT_RUN)
            continue;
        judge_case(trial, i, &verdict->each[i]);
        verdict->cases++;
        verdict->failed += !verdict->each[i].right;
    }
    const bool found = verdict->failed > 0;
    verdict->cases += trial->battery->not_taken;
    verdict->failed += trial->battery->not_taken;
    snprintf(verdict->id, sizeof verdict->id, "right");
    if (verdict->failed == 0) {
        say_note(trial, verdict);
        return true;
    }
    verdict->code = EXIT_DIFFERENT;
    if (found)
        try_diagnose(trial, verdict);
    else
        say_not_taken(trial, verdict);
    return true;
}

void try_verdict_free(struct try_verdict *verdict)
{
    free(verdict->each);
    verdict->each = NULL;
}
