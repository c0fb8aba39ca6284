/* Cutting a picture into bands: see run/bands.h. */
#include "run/bands.h"

/* A band of input and its output stay near the cores: most of a 512 KiB L2 cache each, in an L3
 * slice together. Twice as much was no faster, half as much slower: */
#define BAND_BYTES ((size_t)384 * 1024)
/* a kernel prepares its buffers and the halo once a band, so that low bands cost more. */
#define MIN_ROWS       16
#define MAX_BAND_BYTES ((size_t)4 << 20)

/* Bands a thread at least, to even out threads that lose their core for a while. */
#define BANDS_EACH 4
/* Of bands that a kernel wants higher than others are. */
#define WANTED_EACH 2

/* Ghost rows that fold back into the picture mirror the reach: what lies N rows beyond the edge is
 * read at most N rows inside it. */
static bool find_reach(struct bands *bands, const struct plan *plan)
{
    bands->above = bands->below = 0;
    for (int k = 0; k < plan->masks; k++) {
        const struct plan_mask *m = &plan->mask[k];
        if (m->anchor_y > bands->above)
            bands->above = m->anchor_y;
        if (m->height - 1 - m->anchor_y > bands->below)
            bands->below = m->height - 1 - m->anchor_y;
    }
    if (plan->border == BORDER_WRAP)
        return bands->above == 0 && bands->below == 0;
    if (plan->border == BORDER_REFLECT || plan->border == BORDER_MIRROR) {
        int reach = bands->above > bands->below ? bands->above : bands->below;
        bands->above = bands->below = reach;
        return reach < bands->height; /* else a row folds more than once */
    }
    return true;
}

static size_t choose_rows(const struct bands *bands, const struct bands_use *use,
                          const struct image_info *info, int threads)
{
    size_t row = (size_t)info->width * (size_t)info->channels * (size_t)info->type;
    size_t rows = BAND_BYTES / row, least = (size_t)(2 * (bands->above + bands->below + 1));
    size_t share = (size_t)info->height / ((size_t)threads * BANDS_EACH), most;

    if (least < MIN_ROWS)
        least = MIN_ROWS;
    if (least > MAX_BAND_BYTES / row)
        least = MAX_BAND_BYTES / row;
    if (threads > 1 && rows > share)
        rows = share;
    if (rows < least)
        rows = least;
    if (rows < 1)
        return 1;
    most = MAX_BAND_BYTES / row;
    if (threads > 1 && most > (size_t)info->height / ((size_t)threads * WANTED_EACH))
        most = (size_t)info->height / ((size_t)threads * WANTED_EACH);
    return most < rows ? rows
                       : (size_t)kernel_rows(use->kernel, use->plan, use->method, info->width,
                                             (int)rows, (int)most);
}

bool bands_make(struct bands *bands, const struct bands_use *use, const struct image_info *info,
                int threads, int rows)
{
    bands->height = info->height;
    if (!find_reach(bands, use->plan))
        return false;
    if (rows == 0) {
        size_t chosen = choose_rows(bands, use, info, threads);
        rows = chosen < (size_t)info->height ? (int)chosen : info->height;
    }
    bands->rows = rows < info->height ? rows : info->height;
    bands->count = (info->height - 1) / bands->rows + 1;
    return true;
}

int bands_first(const struct bands *bands, int band)
{
    return band * bands->rows;
}

int bands_end(const struct bands *bands, int band)
{
    return band == bands->count - 1 ? bands->height : (band + 1) * bands->rows;
}

int bands_needs_from(const struct bands *bands, int band)
{
    int first;
    if (band >= bands->count)
        return bands->height;
    first = bands_first(bands, band);
    return first > bands->above ? first - bands->above : 0;
}

int bands_needs_to(const struct bands *bands, int band)
{
    int end = bands_end(bands, band), left = bands->height - end;
    return end + (bands->below < left ? bands->below : left);
}
