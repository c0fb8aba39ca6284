/* Columns and rows of a mask: see cpu/terms.h. */
#include "cpu/terms.h"

int cpu_terms_count(const struct plan_mask *m)
{
    return m->row ? 1 : m->terms;
}

struct plan_term cpu_terms_get(const struct plan_mask *m, int k)
{
    return m->row ? (struct plan_term){0, 0, m->height, m->width, m->column, m->row} : m->term[k];
}

static bool column_slides(const struct plan_term *term)
{
    return term->height >= SLIDE_ROWS && cpu_taps_alike(term->column, term->height);
}

static bool row_slides(const struct plan_term *term)
{
    return term->width >= SLIDE_COLUMNS && cpu_taps_alike(term->row, term->width);
}

bool cpu_terms_slide(const struct plan_mask *m)
{
    bool any = false;
    for (int k = 0; k < cpu_terms_count(m); k++) {
        struct plan_term term = cpu_terms_get(m, k);
        any |= column_slides(&term) || row_slides(&term);
    }
    return any;
}

bool cpu_terms_fit(const struct plan_mask *m, int64_t largest)
{
    for (int k = 0; k < cpu_terms_count(m); k++) {
        struct plan_term term = cpu_terms_get(m, k);
        int64_t gcd = cpu_taps_common(term.column, term.height), sum = 0;
        for (int i = 0; i < term.height; i++) {
            int64_t w = term.column[i] / gcd;
            sum += w < 0 ? -w : w;
            if (sum > INT32_MAX / largest)
                return false;
        }
    }
    return true;
}

int cpu_terms_taps(const struct plan_mask *m)
{
    int taps = 0;
    for (int k = 0; k < cpu_terms_count(m); k++) {
        struct plan_term term = cpu_terms_get(m, k);
        taps += column_slides(&term) ? SLIDE_ROWS : term.height;
        taps += row_slides(&term) ? SLIDE_COLUMNS : term.width;
    }
    return taps;
}

bool cpu_term_make(struct cpu_term *term, const struct plan_term *from, int channels, bool wide)
{
    /* Numbers modulo 2^64 have nothing in common, and sums of 32 bits. */
    int64_t common = wide ? cpu_taps_common(from->column, from->height) : 1;

    term->top = from->top;
    term->left = from->left;
    if (!cpu_taps_make(&term->column, from->column, from->height, 0) ||
        !cpu_taps_make(&term->row, from->row, from->width, channels) ||
        (wide && !cpu_taps64_make(&term->row64, from->row, from->width, channels, common)))
        return false;
    for (int i = 0; i < from->height; i++)
        term->column.weight[i] = (uint32_t)(from->column[i] / common);
    term->column_slides = column_slides(from);
    term->row_slides = row_slides(from);
    return true;
}

void cpu_term_free(struct cpu_term *term)
{
    cpu_taps_free(&term->column);
    cpu_taps_free(&term->row);
    cpu_taps64_free(&term->row64);
}
