/* The arguments of a case, which convert to the types of the student's parameters. */
#ifndef STENCIL_TRY_ARGUMENTS_H
#define STENCIL_TRY_ARGUMENTS_H

#include <stddef.h>

struct try_arguments {
    void *n, *p, *m;
    int mask_width, width, height, pitch, channels;
    unsigned grid[2], block[2];
    size_t shared;
};

struct try_pointer {
    void *at;
    template <typename T> operator T *() const
    {
        return (T *)at;
    }
};
struct try_number {
    int value;
    template <typename T> operator T() const
    {
        return (T)value;
    }
};

#endif
