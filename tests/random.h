/* Random numbers, equal on every machine: splitmix64. */
#ifndef STENCIL_TEST_RANDOM_H
#define STENCIL_TEST_RANDOM_H

#include <stdint.h>

static inline uint64_t random_next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

/* A number of 0 ... n - 1. */
static inline int pick(uint64_t *state, int n)
{
    return (int)(random_next(state) % (uint64_t)n);
}

#endif
