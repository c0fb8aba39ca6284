/* Filters of the library: words, or weights, become the loaded request of a step. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "library/context.h"
#include "plan/filter_words.h"

static uint64_t new_id(void)
{
    static atomic_uint_least64_t last;
    return atomic_fetch_add(&last, 1) + 1;
}

static void step_free(struct step *step)
{
    if (step)
        free(step->text);
    free(step);
}

/* Loads the step and appends it to *filter, which owns it then. */
static bool append(stencil_filter **filter, struct step *step, struct error *err)
{
    stencil_filter *to = *filter;

    if (to && to->steps == CHAIN_MOST)
        return error_set(err, EXIT_USAGE, "filter: it has %d steps, as many as are possible",
                         CHAIN_MOST);
    if (!picture_load(&step->request, err))
        return false;
    if (!to && !(to = calloc(1, sizeof *to))) {
        picture_unload(&step->request);
        return error_set(err, EXIT_INPUT, "no memory for the filter");
    }
    if (to->last) {
        to->last->next = step;
        to->last->request.next = &step->request;
    } else {
        to->first = step;
    }
    to->last = step;
    to->steps++;
    to->id = new_id();
    *filter = to;
    return true;
}

/* WEIGHTS are the mask, which may be given only once. */
static bool set_weights(struct filter_request *request, const char *weights, struct error *err)
{
    const char *other = request->mask          ? "mask"
                        : request->has_sigma   ? "sigma"
                        : request->radius >= 0 ? "radius"
                                               : NULL;

    request->mask = weights;
    return !other || error_set(err, EXIT_USAGE, "the weights are the mask: leave out --%s", other);
}

/* Adds the step that TEXT describes, with WEIGHTS as its mask unless they are NULL. TEXT is taken
 * over; WEIGHTS are a part of it. */
static bool add_text(stencil_filter **filter, char *text, const char *weights, struct error *err)
{
    struct step *step = calloc(1, sizeof *step);

    if (!step || !text) {
        free(text);
        free(step);
        return error_set(err, EXIT_INPUT, "no memory for the filter");
    }
    step->text = text;
    if (filter_parse(&step->request, text, NULL, err) &&
        (!weights || set_weights(&step->request, weights, err)) && append(filter, step, err))
        return true;
    step_free(step);
    return false;
}

static bool check_place(stencil_filter **filter, struct error *err)
{
    return filter || error_set(err, EXIT_USAGE, "filter: expected a place, got NULL");
}

static bool add_words(stencil_filter **filter, const char *words, struct error *err)
{
    return check_place(filter, err) &&
           (words || error_set(err, EXIT_USAGE, "words: expected a filter, got NULL")) &&
           add_text(filter, strdup(words), NULL, err);
}

stencil_status stencil_filter_add(stencil_context *context, stencil_filter **filter,
                                  const char *words)
{
    return !context_begin(context) ? STENCIL_ARGUMENT
                                   : context_end(context, add_words(filter, words, &context->err));
}

/* ---- weights ---- */

/* Bytes of the longest double in text, with a separator. */
#define NUMBER_BYTES 32

/* Writes the shortest decimal that is VALUE; returns its length. */
static int put_shortest(char *at, double value)
{
    int length = 0;

    for (int digits = 1; digits <= 17; digits++) {
        length = snprintf(at, NUMBER_BYTES, "%.*g", digits, value);
        if (strtod(at, NULL) == value)
            break;
    }
    return length;
}

/* The words "convolve WORDS", and behind their end *AT, the weights as the text of a mask. The
 * caller frees them. */
static char *words_of_weights(const double *weights, int width, int height, const char *words,
                              char **at)
{
    const size_t cells = (size_t)width * (size_t)height;
    const size_t bytes = cells * NUMBER_BYTES + strlen(words) + 64;
    char *text = malloc(bytes), *end;

    if (!text)
        return NULL;
    end = *at = text + snprintf(text, bytes, "convolve %s", words) + 1;
    for (size_t i = 0; i < cells; i++) {
        end += put_shortest(end, weights[i]);
        *end++ = (i + 1) % (size_t)width == 0 ? ';' : ' ';
    }
    end[-1] = '\0';
    return text;
}

static bool check_weights(const double *weights, int width, int height, struct error *err)
{
    if (!weights)
        return error_set(err, EXIT_USAGE, "weights: expected numbers, got NULL");
    if (width < 1 || width > MASK_MAX_SIDE || height < 1 || height > MASK_MAX_SIDE)
        return error_set(err, EXIT_USAGE,
                         "weights: %d x %d are no mask: expected 1 to %d along each axis", width,
                         height, MASK_MAX_SIDE);
    for (int i = 0; i < width * height; i++)
        if (!(weights[i] - weights[i] == 0)) /* nan, inf */
            return error_set(err, EXIT_USAGE, "weights: the one in row %d, column %d is not finite",
                             i / width, i % width);
    return true;
}

static bool add_weights(stencil_filter **filter, const double *weights, int width, int height,
                        const char *words, struct error *err)
{
    char *text, *mask = NULL;

    if (!check_place(filter, err) || !check_weights(weights, width, height, err))
        return false;
    text = words_of_weights(weights, width, height, words ? words : "", &mask);
    return add_text(filter, text, mask, err);
}

stencil_status stencil_filter_add_weights(stencil_context *context, stencil_filter **filter,
                                          const double *weights, int width, int height,
                                          const char *words)
{
    return !context_begin(context)
               ? STENCIL_ARGUMENT
               : context_end(context,
                             add_weights(filter, weights, width, height, words, &context->err));
}

void stencil_filter_free(stencil_filter *filter)
{
    struct step *step;

    if (!filter)
        return;
    picture_unload(&filter->first->request);
    while ((step = filter->first)) {
        filter->first = step->next;
        step_free(step);
    }
    free(filter);
}
