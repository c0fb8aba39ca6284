/* Private to src/library: what is behind the pointers of include/stencil.h. */
#ifndef STENCIL_LIBRARY_CONTEXT_H
#define STENCIL_LIBRARY_CONTEXT_H

#include <locale.h>
#include <stencil.h>

#include "base/parallel.h"
#include "run/picture.h"

/* A step of a filter. */
struct step {
    struct filter_request request; /* loaded; its `next` is that of the next step */
    char *text;                    /* the words, to which the request points */
    struct step *next;
};

struct stencil_filter {
    uint64_t id; /* unique in this process; a filter that grows gets a new one */
    struct step *first, *last;
    int steps;
};

/* All that is made of a filter for pictures of one shape. It is kept for the next call. */
struct prepared {
    bool on_device;         /* the pictures lie on the context's CUDA device */
    uint64_t id;            /* of the filter; 0: nothing is prepared */
    struct image_info info; /* of the pictures */
    struct plan plan;
    struct picture_choice choice;
    const struct kernel *kernel[CHAIN_MOST];
    struct kernel_state *state[CHAIN_MOST];
    int steps;
    struct image between[2]; /* with on_device: the pictures between steps, used in turn */
};

struct stencil_context {
    struct picture_request request; /* the choices; a call adds the filter */
    struct prepared prepared;
    struct team *team;         /* the threads of its calls; NULL: started for each call */
    struct team *callers_team; /* during a call: the team that the calling thread used */
    char *text;                /* of stencil_plan; NULL: none */
    locale_t numbers;          /* the C locale: a program's own may have decimal commas */
    locale_t callers;          /* during a call: the locale of its caller */
    struct error err;
};

/* Every call begins and ends with these two: in between, sentences and numbers are made in the C
 * locale, and loops use the context's threads. context_begin is false without a context;
 * context_end returns the call's status. */
bool context_begin(stencil_context *context);
stencil_status context_end(stencil_context *context, bool good);

/* Forgets what is prepared. */
void context_forget(stencil_context *context);

/* Checks a picture of the caller. NAME is that of the argument. *image shares the data. The picture
 * may lie on the device of CONTEXT; NULL: only in host memory. */
bool context_image(const stencil_context *context, const stencil_image *given, const char *name,
                   struct image *image, struct image_info *info, struct error *err);

/* As context_image, for a picture of which only the shape counts. */
bool context_shape(const stencil_image *given, const char *name, struct image *image,
                   struct image_info *info, struct error *err);

/* Checks that no sample is above an unusual MAX: it would be looked up beyond tables. */
bool context_samples(const struct image *image, const char *name, uint32_t max, struct error *err);

#endif
