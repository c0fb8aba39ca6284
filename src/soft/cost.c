/* The estimate for a pass on the software GPU, in the place of CUDA's (cuda/cost.c). */
#include <math.h>

#include "kernel/backend.h"
#include "kernel/rates.h"

double cuda_pass_ms(const struct plan *plan, int width, int height)
{
    double samples = (double)width * (double)height * (double)plan->channels, taps = 0;

    if (plan->kind == PLAN_LONG || plan_is_wide(plan)) /* no kernel runs it */
        return HUGE_VAL;
    for (const struct plan *step = plan; step; step = step->then)
        for (int k = 0; k < step->masks; k++)
            taps += samples * (double)step->mask[k].width * (double)step->mask[k].height;
    return taps / SOFT_TAPS + samples / SOFT_SAMPLES;
}
