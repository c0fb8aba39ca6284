/* Why a kernel is wrong, by experiment: what the probes saw, which cases are right and which are
 * not, and whose formula gives the wrong outputs. The order of the steps is the order of trust. See
 * judge.h. */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "try/judge.h"

/* ---- sentences ---- */

static bool say(struct try_verdict *verdict, int shown, const char *id, const char *advice,
                const char *format, ...) __attribute__((format(printf, 5, 6)));

/* The verdict; returns true. SHOWN: the case that it is about. */
static bool say(struct try_verdict *verdict, int shown, const char *id, const char *advice,
                const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(verdict->sentence, sizeof verdict->sentence, format, args);
    va_end(args);
    snprintf(verdict->id, sizeof verdict->id, "%s", id);
    snprintf(verdict->advice, sizeof verdict->advice, "%s", advice);
    verdict->shown = shown;
    return true;
}

/* "block (2,0), thread (0,5)" */
static const char *where(char text[96], const struct try_place *place)
{
    snprintf(text, 96, "block (%d,%d), thread (%d,%d)", place->block[0], place->block[1],
             place->thread[0], place->thread[1]);
    return text;
}

/* The ending of "cells", "times". */
static const char *plural(long long n)
{
    return n == 1 ? "" : "s";
}

/* The cell of N or P as row and column. */
static const char *cell_text(char text[128], const struct try_trial *trial, int shown,
                             long long cell)
{
    const struct try_case *it = &trial->battery->cases[shown];
    const long long pitch = it->pitch,
                    row = cell >= 0 ? cell / pitch : -((-cell + pitch - 1) / pitch);
    const long long all = (long long)it->height * pitch;

    if (trial->file->dims == 1 && cell < 0)
        snprintf(text, 128, "cell %lld, which is before the start", cell);
    else if (trial->file->dims == 1)
        snprintf(text, 128, "cell %lld of %lld", cell, all);
    else if (cell < 0)
        snprintf(text, 128, "%lld cell%s before the start", -cell, plural(-cell));
    else if (cell >= all)
        snprintf(text, 128, "%lld cell%s behind the end", cell - all + 1, plural(cell - all + 1));
    else
        snprintf(text, 128, "row %lld, column %lld", row, cell - row * pitch);
    return text;
}

/* ---- cases ---- */

/* The first judged case that is wrong and has the fault; -1: none. */
static int first_with(const struct try_trial *trial, const struct try_verdict *verdict,
                      enum try_fault fault, bool only_wrong)
{
    for (int i = 0; i < trial->battery->count; i++)
        if (try_case_has(trial, i, fault) && (!only_wrong || verdict->each[i].wrong > 0))
            return i;
    return -1;
}

static bool is_judged(const struct try_trial *trial, int i)
{
    return trial->results[i].end != END_NOT_RUN;
}

static int first_wrong(const struct try_trial *trial, const struct try_verdict *verdict)
{
    int best = -1;

    for (int i = 0; i < trial->battery->count; i++)
        if (is_judged(trial, i) && !verdict->each[i].right &&
            (best < 0 || verdict->each[i].wrong > 0) &&
            (best < 0 || verdict->each[best].wrong == 0))
            best = i;
    return best;
}

typedef bool case_test(const struct try_trial *trial, const struct try_case *it, int number);

static bool is_square(const struct try_trial *trial, const struct try_case *it, int number)
{
    (void)trial, (void)number;
    return it->width == it->height;
}

static bool has_own_pitch(const struct try_trial *trial, const struct try_case *it, int number)
{
    (void)trial, (void)number;
    return it->pitch == it->width * it->channels;
}

static bool has_odd_mask(const struct try_trial *trial, const struct try_case *it, int number)
{
    (void)trial, (void)number;
    return it->mask_width % 2 == 1;
}

static bool has_mask_to(const struct try_trial *trial, const struct try_case *it, int number)
{
    (void)trial;
    return it->mask_width <= number;
}

static bool has_one_channel(const struct try_trial *trial, const struct try_case *it, int number)
{
    (void)trial, (void)number;
    return it->channels == 1;
}

/* NUMBER: 1: along x, 2: along y, 3: both. */
static bool has_whole_tiles(const struct try_trial *trial, const struct try_case *it, int number)
{
    const int *tile = trial->file->tile;
    return (!(number & 1) || it->width % tile[0] == 0) &&
           (!(number & 2) || it->height % tile[1] == 0);
}

/* Whether exactly the cases that pass TEST are right; *shown: a wrong one. */
static bool splits(const struct try_trial *trial, const struct try_verdict *verdict,
                   case_test *test, int number, int least_right, int *shown)
{
    const bool lenient = test == has_own_pitch; /* small pictures need no second row, no halo */
    int right = 0, wrong = 0, lucky = 0;

    for (int i = 0; i < trial->battery->count; i++) {
        const bool passes = test(trial, &trial->battery->cases[i], number);
        if (!is_judged(trial, i))
            continue;
        if (passes && !verdict->each[i].right)
            return false;
        lucky += !passes && verdict->each[i].right;
        /* Tiny cases may be right by chance. */
        if (!passes && verdict->each[i].right && !lenient &&
            trial->battery->cases[i].width * trial->battery->cases[i].height > 8)
            return false;
        right += passes && verdict->each[i].right;
        if (!passes && !verdict->each[i].right && wrong++ == 0)
            *shown = i;
    }
    return right >= least_right && wrong >= (lenient ? 1 + lucky / 2 : 1);
}

/* The sum after a conversion to another type. */
static double as_type(double value, int kind)
{
    const long long n = (long long)value;

    switch (kind) {
    case 0:
        return (double)(uint8_t)n;
    case 1:
        return (double)(int8_t)n;
    case 2:
        return (double)(uint16_t)n;
    case 3:
        return (double)(int16_t)n;
    case 4:
        return n < 0 ? 0 : n > 255 ? 255 : (double)n;
    case 5:
        return n < 0 ? 0 : (double)n;
    default:
        return value;
    }
}

/* Whether the wrong cases have the outputs of this formula; *told: in how many cases it differs
 * from the true one. */
static bool is_formula(const struct try_trial *trial, const struct try_verdict *verdict,
                       const struct try_variant *variant, int kind)
{
    int told = 0;

    for (int i = 0; i < trial->battery->count; i++) {
        const struct try_case *it = &trial->battery->cases[i];
        if (!is_judged(trial, i) || verdict->each[i].wrong == 0)
            continue;
        for (int y = 0; y < it->height; y++)
            for (int x = 0; x < it->width * it->channels; x++) {
                const double value = as_type(
                    try_reference(it, variant, x / it->channels, y, x % it->channels), kind);
                if (trial->results[i].p[(long long)y * it->pitch + x] != value)
                    return false;
            }
        told++;
    }
    return told > 0;
}

/* The true sums in a type that is too small. */
static bool find_overflow(const struct try_trial *trial, struct try_verdict *verdict)
{
    static const char *const types[] = {"modulo 256",          "in 8 bits with a sign",
                                        "modulo 65536",        "in 16 bits with a sign",
                                        "clamped to 0 to 255", "with 0 for what is below 0"};
    const int i = first_wrong(trial, verdict);

    for (int kind = 0; kind < 6; kind++)
        if (is_formula(trial, verdict, &(struct try_variant){.border = trial->file->border}, kind))
            return say(verdict, i, "overflow",
                       "Sum in a type that holds the largest sum: int or float, not the type of "
                       "the samples.",
                       "the result is the true one %s: a type is too small for the sum",
                       types[kind]);
    return false;
}

/* ---- where the wrong cells are ---- */

/* Whether all wrong cells of all cases lie beside the picture's edges, or beside those of tiles. */
static void places_of_wrong(const struct try_trial *trial, const struct try_verdict *verdict,
                            bool *edges, bool *tiles)
{
    const struct try_variant plain = {.border = trial->file->border};
    const int *tile = trial->file->tile;
    int inner = 0, any = 0;

    *edges = *tiles = true;
    for (int i = 0; i < trial->battery->count; i++) {
        const struct try_case *it = &trial->battery->cases[i];
        const int halo = it->mask_width / 2 + 1;
        const bool flat = trial->file->dims == 1;
        if (!is_judged(trial, i) || verdict->each[i].wrong == 0)
            continue;
        for (int y = 0; y < it->height; y++)
            for (int x = 0; x < it->width; x++) {
                const bool at_edge = x < halo || x >= it->width - halo ||
                                     (!flat && (y < halo || y >= it->height - halo));
                const int in_x = x % tile[0], in_y = y % tile[1];
                const bool at_tile = in_x < halo || in_x >= tile[0] - halo ||
                                     (!flat && (in_y < halo || in_y >= tile[1] - halo));
                const bool wrong =
                    trial->results[i].p[(long long)y * it->pitch + x * it->channels] !=
                    try_reference(it, &plain, x, y, 0);
                inner += !at_edge;
                any++;
                *edges = *edges && (!wrong || at_edge);
                *tiles = *tiles && (!wrong || at_tile);
            }
    }
    *edges = *edges && (inner > 0 || any == 0);
}

/* ---- the steps ---- */

/* Whether the array of the fault is the mask in constant memory, by its size and its line. */
static bool is_mask_index(const struct try_file *file, const struct try_place *place)
{
    const char *bracket = strchr(place->array, '[');
    int size = 0;
    const char *end;

    if (!file->mask_constant[0] || !bracket || !word_int(bracket + 1, &end, &size) ||
        size != (file->mask_row ? file->mask_row : file->mask_cells))
        return false;
    for (int i = 0; i < file->tokens; i++)
        if (file->token[i].line == place->line &&
            try_token_is(&file->token[i], file->mask_constant))
            return true;
    return false;
}

/* An index past its dimension, which is still inside of the array, lands in the next row. */
static bool find_index(const struct try_trial *trial, struct try_verdict *verdict)
{
    char place[96];
    const int i = first_with(trial, verdict, FAULT_INDEX, false);
    const bool oblong = trial->file->dims == 2 && trial->file->block[0] != trial->file->block[1];

    if (i < 0 || verdict->each[i].right || first_with(trial, verdict, FAULT_SHARED, false) >= 0 ||
        first_with(trial, verdict, FAULT_MASK, false) >= 0)
        return false;
    const struct try_finding *found = &trial->results[i].found[FAULT_INDEX];
    if (is_mask_index(trial->file, &found->first))
        return say(
            verdict, i, "mask-past-end",
            "The mask has Mask_Width cells along an axis, and its array must have room for "
            "them.",
            "index %lld is past the end of the mask's array in line %d, first at %s (%lld in "
            "all)",
            found->first.cell, found->first.line, where(place, &found->first), found->count);
    return say(verdict, i, oblong ? "tile-swapped" : "shared-past-end",
               "An array that is declared [rows][columns] takes the row's index first: along y, "
               "then along x. Compare the array's two dimensions with the block's.",
               "index %lld is past the end of an array %s in line %d, first at %s (%lld in "
               "all)%s",
               found->first.cell, found->first.array, found->first.line,
               where(place, &found->first), found->count,
               oblong ? ": the tile's dimensions are swapped" : "");
}

static bool find_threads(const struct try_trial *trial, struct try_verdict *verdict)
{
    char place[96];
    int i = first_with(trial, verdict, FAULT_DIVERGES, false);

    if (i >= 0) {
        const struct try_place *first = &trial->results[i].found[FAULT_DIVERGES].first;
        char other[64] = "has already returned";
        if (first->other_line)
            snprintf(other, sizeof other, "waits at the one in line %d", first->other_line);
        return say(verdict, i, "barrier-diverges",
                   "All threads of a block must reach the same __syncthreads(): put it outside of "
                   "if, loop and early return, and let the condition guard only the work.",
                   "not all threads of a block reach the same barrier: %s waits at the "
                   "__syncthreads() in line %d, and thread (%d,%d) %s",
                   where(place, first), first->line, first->other[0], first->other[1], other);
    }
    i = first_with(trial, verdict, FAULT_RACE, false);
    if (i < 0 || first_with(trial, verdict, FAULT_SHARED, false) >= 0 ||
        first_with(trial, verdict, FAULT_INDEX, false) >= 0)
        return false;
    const struct try_finding *race = &trial->results[i].found[FAULT_RACE];
    const struct try_place *first = &race->first;
    return say(verdict, i, "missing-barrier",
               "The result can differ from run to run. A __syncthreads() is missing between the "
               "stores into the shared array and the loads of other threads' cells, or between "
               "the loads and the next stores.",
               "%s cell %lld of %s at %s, which another thread, (%d,%d), uses with no barrier "
               "between (%lld in all)",
               first->store ? "writes" : "reads", first->cell, first->array, where(place, first),
               first->other[0], first->other[1], race->count);
}

/* Without a barrier there are also loads beside stores: those are named first. */
static bool find_overlap(const struct try_trial *trial, struct try_verdict *verdict)
{
    char place[96];
    const int i = first_with(trial, verdict, FAULT_OVERLAP, false);

    if (i < 0 || first_with(trial, verdict, FAULT_SHARED, false) >= 0)
        return false;
    const struct try_finding *overlap = &trial->results[i].found[FAULT_OVERLAP];
    const struct try_place *first = &overlap->first;
    return say(
        verdict, i, "shared-overlap",
        "Between two barriers one thread should store into a shared cell. Look at where each "
        "part of the tile begins: left halo, own cells, right halo.",
        "stores into cell %lld of %s at %s, where thread (%d,%d) has stored another number "
        "(%lld in all)",
        first->cell, first->array, where(place, first), first->other[0], first->other[1],
        overlap->count);
}

/* Which property splits right from wrong cases. */
static bool find_split(const struct try_trial *trial, struct try_verdict *verdict)
{
    bool edges, tiles;
    int i = -1;

    if (trial->file->has[ROLE_CHANNELS] && splits(trial, verdict, has_one_channel, 0, 3, &i))
        return say(verdict, i, "channels",
                   "The sample of channel c lies at (row * width + column) * channels + c.",
                   "right with one channel only: the channels are mixed up");
    places_of_wrong(trial, verdict, &edges, &tiles);
    if (trial->file->has[ROLE_PITCH] && !edges && splits(trial, verdict, has_own_pitch, 0, 3, &i))
        return say(verdict, i, "pitch-width",
                   "From one row to the next it is pitch elements: row * pitch + column, for N "
                   "and for P. The number of columns is width.",
                   "right when pitch is width, else wrong: rows are counted with width where the "
                   "pitch is meant, or the reverse");
    if (trial->file->dims == 2 && splits(trial, verdict, is_square, 0, 2, &i))
        return say(verdict, i, "width-height",
                   "Columns are compared with width and rows with height; a row of the picture "
                   "has width cells.",
                   "right for square pictures only: width and height are swapped somewhere");
    if (splits(trial, verdict, has_odd_mask, 0, 3, &i))
        return say(verdict, i, "even-mask",
                   "The first cell that an output needs is its own place less Mask_Width / 2, and "
                   "then Mask_Width cells follow. A radius on both sides is 2 * radius + 1 cells.",
                   "right for odd masks only: with a mask of %d cells along an axis it is wrong",
                   trial->battery->cases[i].mask_width);
    if (find_overflow(trial, verdict))
        return true;
    for (int most = trial->file->most_mask - 1; most >= 3; most--)
        if (splits(trial, verdict, has_mask_to, most, 3, &i))
            return say(
                verdict, i, "wide-mask",
                "The halo has Mask_Width / 2 cells on a side: when it is wider than what the "
                "threads load, some cells are never loaded.",
                "right for masks up to %d cells along an axis, wrong for wider ones", most);
    return false;
}

static bool find_accesses(const struct try_trial *trial, struct try_verdict *verdict)
{
    char place[96], cell[128];
    const struct try_finding *found;
    int i = first_with(trial, verdict, FAULT_SHARED, false);

    if (i >= 0) {
        found = &trial->results[i].found[FAULT_SHARED];
        return say(verdict, i, "shared-past-end",
                   "The shared array must hold the tile and its halo: tile width + Mask_Width - 1 "
                   "cells along each axis, and each index must stay below that.",
                   "%s outside of the shared array %s %lld time%s, first at %s: cell %lld",
                   found->first.store ? "writes" : "reads", found->first.array, found->count,
                   plural(found->count), where(place, &found->first), found->first.cell);
    }
    if ((i = first_with(trial, verdict, FAULT_STORE, false)) >= 0) {
        found = &trial->results[i].found[FAULT_STORE];
        return say(verdict, i, "store-past-edge",
                   "The last tiles reach past the picture. Their threads must ask before they "
                   "store: row < height and column < width.",
                   "stores %lld time%s outside of P's cells, first at %s: %s", found->count,
                   plural(found->count), where(place, &found->first),
                   cell_text(cell, trial, i, found->first.cell));
    }
    if ((i = first_with(trial, verdict, FAULT_MASK, false)) >= 0) {
        found = &trial->results[i].found[FAULT_MASK];
        return say(verdict, i, "mask-past-end",
                   "The mask has Mask_Width cells along an axis, 0 to Mask_Width - 1, and its rows "
                   "follow each other.",
                   "reads %lld time%s outside of the mask, first at %s: cell %lld", found->count,
                   plural(found->count), where(place, &found->first), found->first.cell);
    }
    if ((i = first_with(trial, verdict, FAULT_LOAD, false)) >= 0) {
        found = &trial->results[i].found[FAULT_LOAD];
        return say(verdict, i, "load-past-edge",
                   "A cell outside of the picture is a ghost cell, and has no place in N: test "
                   "row and column, from 0 and below height and width, before the load.",
                   "reads %lld time%s outside of N, first at %s: %s; a halo cell without a ghost "
                   "test, or with a wrong one",
                   found->count, plural(found->count), where(place, &found->first),
                   cell_text(cell, trial, i, found->first.cell));
    }
    if ((i = first_with(trial, verdict, FAULT_RACE_P, false)) >= 0) {
        found = &trial->results[i].found[FAULT_RACE_P];
        return say(
            verdict, i, "race-on-p",
            "Each output belongs to one thread. Check how row and column are made of "
            "blockIdx and threadIdx, and which threads of a tile store.",
            "different threads store different numbers into a cell of P (%lld time%s), first "
            "at %s: %s, which thread (%d,%d) wrote before",
            found->count, plural(found->count), where(place, &found->first),
            cell_text(cell, trial, i, found->first.cell), found->first.other[0],
            found->first.other[1]);
    }
    return false;
}

static long long never_written(const struct try_trial *trial, int i, long long *first)
{
    const struct try_case *it = &trial->battery->cases[i];
    long long n = 0;

    for (int y = 0; y < it->height; y++)
        for (int x = 0; x < it->width * it->channels; x++)
            if (trial->results[i].writer[(long long)y * it->pitch + x].block < 0 && n++ == 0)
                *first = (long long)y * it->pitch + x;
    return n;
}

/* Does each wrong sum hold the sum that its thread stored before? */
static bool keeps_sums(const struct try_trial *trial, const struct try_verdict *verdict, int i)
{
    const struct try_case *it = &trial->battery->cases[i];
    const struct try_result *result = &trial->results[i];
    const long long cells = (long long)it->height * it->pitch;
    const struct try_variant plain = {.border = trial->file->border};
    long long explained = 0;

    for (long long c = 0; c < cells && explained < verdict->each[i].wrong; c++) {
        const int x = (int)(c % it->pitch), y = (int)(c / it->pitch);
        const struct try_writer *own = &result->writer[c];
        const double want = x < it->width * it->channels
                                ? try_reference(it, &plain, x / it->channels, y, x % it->channels)
                                : 0;
        long long before = -1;
        if (x >= it->width * it->channels || result->p[c] == want || own->block < 0)
            continue;
        for (long long d = 0; d < cells; d++)
            if (result->writer[d].block == own->block && result->writer[d].thread == own->thread &&
                result->writer[d].turn < own->turn &&
                (before < 0 || result->writer[d].turn > result->writer[before].turn))
                before = d;
        if (before < 0 || result->p[c] != want + result->p[before])
            return false;
        explained++;
    }
    return explained > 0;
}

static bool find_cells(const struct try_trial *trial, struct try_verdict *verdict)
{
    char place[96], cell[128];
    int i = first_with(trial, verdict, FAULT_OLD_P, true);

    if (i >= 0)
        return say(verdict, i, "not-cleared",
                   "P holds rubbish before the kernel runs: begin the sum with 0 in a variable of "
                   "the thread, and store it once.",
                   "adds to what P held before: reads P at %s before any thread has written there",
                   where(place, &trial->results[i].found[FAULT_OLD_P].first));
    for (i = 0; i < trial->battery->count; i++) {
        long long first = 0;
        const long long n = is_judged(trial, i) && trial->results[i].end == END_DONE
                                ? never_written(trial, i, &first)
                                : 0;
        if (n > 0)
            return say(verdict, i, "never-written",
                       "The grid needs ceil(width / tile) blocks along x and ceil(height / tile) "
                       "along y, and each output of a tile a thread that stores it.",
                       "%lld cell%s of P %s never written, first %s: the grid or the tile is too "
                       "small, or a test leaves threads out",
                       n, plural(n), n == 1 ? "is" : "are", cell_text(cell, trial, i, first));
    }
    i = first_with(trial, verdict, FAULT_UNSET, true);
    if (i >= 0)
        return say(verdict, i, "uninitialised-shared",
                   "Shared memory begins as rubbish. Each cell of the tile and of its halo must be "
                   "written, ghost cells with 0.",
                   "uses cells of the shared array %s that no thread wrote (%lld time%s), first at "
                   "%s: cell %lld",
                   trial->results[i].found[FAULT_UNSET].first.array,
                   trial->results[i].found[FAULT_UNSET].count,
                   plural(trial->results[i].found[FAULT_UNSET].count),
                   where(place, &trial->results[i].found[FAULT_UNSET].first),
                   trial->results[i].found[FAULT_UNSET].first.cell);
    i = first_wrong(trial, verdict);
    if (keeps_sums(trial, verdict, i))
        return say(verdict, i, "not-cleared",
                   "Set the sum to 0 at the start of each output, not once in a thread.",
                   "the sum of an output goes on into the thread's next output: it is not set to 0 "
                   "again");
    return false;
}

/* ---- whose formula it is ---- */

static bool find_mask_slips(const struct try_trial *trial, struct try_verdict *verdict, int i)
{
    const enum try_border border = trial->file->border;
    const char *advice = "The chapter lays the mask on the picture as it is written: weight "
                         "M[i][j] belongs to the cell in row - Mask_Width/2 + i and column - "
                         "Mask_Width/2 + j.";
    static const struct {
        const char *which;
        struct try_variant variant;
    } missing[] = {{"last column", {.skip_right = 1}},
                   {"first column", {.skip_left = 1}},
                   {"last row", {.skip_bottom = 1}},
                   {"first row", {.skip_top = 1}},
                   {"last row and column", {.skip_right = 1, .skip_bottom = 1}},
                   {"first row and column", {.skip_left = 1, .skip_top = 1}},
                   {"last cell", {.skip_cell = 1}},
                   {"first cell", {.skip_cell = -1}}};
    const int from = trial->file->dims == 1 ? 6 : 0;

    for (int flip = 3; flip >= 1; flip--)
        if (is_formula(
                trial, verdict,
                &(struct try_variant){.border = border, .flip_x = flip & 1, .flip_y = flip >> 1},
                -1))
            return say(verdict, i, "mask-flipped", advice, "the result is that of the mask %s",
                       trial->file->dims == 1 ? "turned round"
                       : flip == 3            ? "rotated by 180 degrees"
                       : flip == 1            ? "with left and right exchanged"
                                              : "with top and bottom exchanged");
    if (trial->file->dims == 2 &&
        is_formula(trial, verdict, &(struct try_variant){.border = border, .transpose = true}, -1))
        return say(verdict, i, "mask-transposed", advice,
                   "the result is that of the mask's transpose: rows and columns of M are swapped");
    for (size_t n = 0; n < sizeof missing / sizeof missing[0]; n++) {
        struct try_variant variant = missing[(n + (size_t)from) % 8].variant;
        variant.border = border;
        if (is_formula(trial, verdict, &variant, -1))
            return say(verdict, i, "mask-cells-missing",
                       "The loop over the mask runs from 0 to Mask_Width - 1, along each axis.",
                       "the result is that of the mask without its %s",
                       missing[(n + (size_t)from) % 8].which);
    }
    return false;
}

/* The picture is moved by some cells, or by halves of the mask. */
static bool find_shift(const struct try_trial *trial, struct try_verdict *verdict, int i)
{
    const int most = trial->file->dims == 1 ? 0 : 3;
    const char *advice = "An output's first cell is its own place less Mask_Width / 2, along each "
                         "axis.";

    for (int halves = 1; halves >= 0; halves--)
        for (int y = -most; y <= most; y++)
            for (int x = -3; x <= 3; x++) {
                struct try_variant variant = {.border = trial->file->border};
                *(halves ? &variant.half_x : &variant.shift_x) = x;
                *(halves ? &variant.half_y : &variant.shift_y) = y;
                if ((x || y) && is_formula(trial, verdict, &variant, -1))
                    return say(verdict, i, "shifted", advice,
                               "right, but for a picture moved by (%d,%d)%s: the halo's or the "
                               "anchor's offset is wrong",
                               -x, -y, halves ? " times Mask_Width / 2" : "");
            }
    return false;
}

static bool find_formula(const struct try_trial *trial, struct try_verdict *verdict)
{
    const int i = first_wrong(trial, verdict);

    if (find_mask_slips(trial, verdict, i))
        return true;
    for (int border = 0; border < TRY_BORDERS; border++)
        if (border != (int)trial->file->border &&
            is_formula(trial, verdict, &(struct try_variant){.border = (enum try_border)border},
                       -1))
            return say(verdict, i, "wrong-ghost",
                       "Ghost cells have the value that the border says: "
                       "0, unless a line // stencil: border= says otherwise.",
                       "ghost cells have the wrong values: the result is that of the border %s, "
                       "not %s",
                       try_border_name[border], try_border_name[trial->file->border]);
    return find_shift(trial, verdict, i);
}

static bool find_places(const struct try_trial *trial, struct try_verdict *verdict)
{
    char place[96];
    const int i = first_wrong(trial, verdict);
    bool edges, tiles;
    int shown = i;

    for (int axes = 3; axes >= 1; axes--)
        if (splits(trial, verdict, has_whole_tiles, axes, 2, &shown))
            return say(verdict, shown, "whole-tiles-only",
                       "The last tile reaches past the picture: its threads must treat cells "
                       "outside as ghost cells.",
                       "right only when the %s is a multiple of the tile",
                       axes == 3   ? "picture"
                       : axes == 1 ? "width"
                                   : "height");
    places_of_wrong(trial, verdict, &edges, &tiles);
    const int padding = first_with(trial, verdict, FAULT_PADDING, true);
    if (padding >= 0 && edges)
        return say(verdict, padding, "load-past-edge",
                   "Cells from width to pitch - 1 of a row are padding: they are no part of the "
                   "picture. Compare columns with width.",
                   "uses the padding behind a row of N, first at %s: a halo cell without a ghost "
                   "test, or with a wrong one",
                   where(place, &trial->results[padding].found[FAULT_PADDING].first));
    if (edges)
        return say(verdict, i, "inside-only",
                   "Only cells whose mask reaches past the edge are wrong: look at the test for "
                   "ghost cells, at `<` and `<=`, and at what a ghost cell counts.",
                   "right inside of the picture, wrong beside its edges: ghost cells are badly "
                   "treated");
    if (tiles && trial->file->tile[0] > 2)
        return say(
            verdict, i, "wrong-halo",
            "Only outputs whose mask reaches past their tile are wrong: look at where the "
            "halo cells are loaded from, and where they are put.",
            "right inside of each tile, wrong beside the tiles' edges: halo cells hold wrong "
            "values");
    return false;
}

/* Whether all results are as they were. */
static bool same_results(const struct try_trial *trial, const struct try_result *again)
{
    for (int i = 0; i < trial->battery->count; i++) {
        const struct try_case *it = &trial->battery->cases[i];
        const size_t bytes = (size_t)it->height * (size_t)it->pitch * sizeof *again->p;
        if (is_judged(trial, i) && again[i].p && trial->results[i].p &&
            memcmp(again[i].p, trial->results[i].p, bytes) != 0)
            return false;
    }
    return true;
}

/* Runs all cases again with variables that begin as zeros. */
static bool find_variables(const struct try_trial *trial, struct try_verdict *verdict)
{
    struct try_setup setup = trial->setup;
    const int count = trial->battery->count;
    struct try_result *again = calloc((size_t)count, sizeof *again);
    struct error ignored;
    void *made;
    bool differs = false;

    setup.zero_variables = true;
    if (again && try_soft_compile(&setup, &made, &ignored)) {
        differs = try_soft_run(made, trial->battery->cases, count, again, NULL, &ignored) &&
                  !same_results(trial, again);
        try_soft_free(made);
    }
    for (int i = 0; again && i < count; i++)
        try_result_free(&again[i]);
    free(again);
    return differs && say(verdict, first_wrong(trial, verdict), "uninitialised-local",
                          "A variable of a thread begins as rubbish: give each one a first value, "
                          "the sum a 0.",
                          "the result depends on a variable that was never set");
}

static const char *stopped_sentence(const struct try_trial *trial, int *shown)
{
    for (int i = 0; i < trial->battery->count; i++)
        if (trial->results[i].end == END_STOPPED && trial->results[i].sentence[0]) {
            *shown = i;
            return trial->results[i].sentence;
        }
    return NULL;
}

void try_diagnose(const struct try_trial *trial, struct try_verdict *verdict)
{
    int shown = first_wrong(trial, verdict);

    if (find_threads(trial, verdict) || find_index(trial, verdict) ||
        find_overlap(trial, verdict) || find_split(trial, verdict) ||
        find_accesses(trial, verdict) || find_cells(trial, verdict))
        return;
    const char *sentence = stopped_sentence(trial, &shown);
    if (sentence) {
        say(verdict, shown, "stopped", "", "%s", sentence);
        verdict->code = EXIT_INPUT;
        return;
    }
    if (find_formula(trial, verdict) || find_variables(trial, verdict) ||
        find_places(trial, verdict))
        return;
    say(verdict, shown, "wrong", "Compare the first wrong cell with the formula by hand.",
        "%lld of %d outputs are wrong in the case %s", verdict->each[shown].wrong,
        trial->battery->cases[shown].width * trial->battery->cases[shown].height *
            trial->battery->cases[shown].channels,
        trial->battery->cases[shown].name);
}
