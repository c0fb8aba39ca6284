/* Plans for pictures of few columns or of one row: the same sums from another mask. */
#include <stdlib.h>
#include <string.h>

#include "plan/steps.h"

/* Starts a plan with the masks of PLAN, which get new weights of WIDTH x HEIGHT, and its table of
 * range weights. */
static bool masks_make(struct plan *made, const struct plan *plan, bool turned)
{
    *made = *plan;
    made->next = made->then = NULL;
    made->range = NULL;
    if (plan->range) {
        const size_t bytes = ((size_t)plan->range_last + 1) * sizeof *plan->range;
        made->range = malloc(bytes);
        if (made->range)
            memcpy(made->range, plan->range, bytes);
    }
    for (int k = 0; k < plan->masks; k++) {
        struct plan_mask *m = &made->mask[k];
        const int height = turned ? m->width : 1;
        m->width = turned ? m->height : m->width;
        m->height = height;
        m->column = m->row = NULL;
        m->terms = 0;
        memset(m->term, 0, sizeof m->term);
        m->weight = calloc((size_t)m->width * (size_t)m->height, sizeof *m->weight);
    }
    return made->mask[0].weight && (plan->masks == 1 || made->mask[1].weight) &&
           (!plan->range || made->range);
}

/* Divides the numbers of a linear mask by what they have in common. The samples stay the same: for
 * whole S, floor((S + x) / d) is the same for all x from 0 to less than 1. */
static void reduce(struct plan_mask *m)
{
    int64_t common = greatest_common_divisor(m->divisor, m->offset);

    for (int k = 0; k < m->width * m->height; k++)
        common = greatest_common_divisor(common, m->weight[k]);
    for (int k = 0; k < m->width * m->height; k++)
        m->weight[k] /= common;
    m->offset /= common;
    m->divisor /= common;
}

static bool masks_finish(struct plan *made, bool ok)
{
    if (ok && made->kind == PLAN_LINEAR)
        reduce(&made->mask[0]);
    for (int k = 0; ok && k < made->masks; k++)
        ok = plan_mask_settle(&made->mask[k], made->max) && plan_mask_factor(&made->mask[k]);
    if (!ok)
        plan_free(made);
    return ok;
}

bool plan_turn(struct plan *turned, const struct plan *plan)
{
    bool ok;

    if (plan->kind == PLAN_LONG)
        return false;
    ok = masks_make(turned, plan, true);
    for (int k = 0; ok && k < plan->masks; k++) {
        const struct plan_mask *from = &plan->mask[k];
        struct plan_mask *to = &turned->mask[k];
        to->anchor_x = from->anchor_y;
        to->anchor_y = from->anchor_x;
        for (int i = 0; i < from->height; i++)
            for (int j = 0; j < from->width; j++)
                to->weight[j * to->width + i] = from->weight[i * from->width + j];
    }
    return masks_finish(turned, ok);
}

/* The ghost rows of the borders zero and constant are no copies of the row. In plain sums they add
 * a constant. */
static bool can_fold(const struct plan *plan)
{
    const bool constant = plan->border == BORDER_ZERO || plan->border == BORDER_CONSTANT;

    return plan->kind != PLAN_LONG && plan->kind != PLAN_ORDER && plan->kind != PLAN_BILATERAL &&
           (!constant || (plan->alpha != ALPHA_WEIGHTED &&
                          (plan->kind == PLAN_LINEAR || plan->border_value == 0)));
}

bool plan_fold(struct plan *folded, const struct plan *plan)
{
    bool ok;

    if (!can_fold(plan))
        return false;
    ok = masks_make(folded, plan, false);
    for (int k = 0; ok && k < plan->masks; k++) {
        const struct plan_mask *from = &plan->mask[k];
        struct plan_mask *to = &folded->mask[k];
        to->anchor_y = 0;
        for (int i = 0; i < from->height; i++) {
            const bool outside = border_fold(plan->border, i - from->anchor_y, 1) == BORDER_OUTSIDE;
            for (int j = 0; j < from->width; j++)
                if (outside)
                    to->offset += (int64_t)plan->border_value * from->weight[i * from->width + j];
                else
                    to->weight[j] += from->weight[i * from->width + j];
        }
    }
    return masks_finish(folded, ok);
}
