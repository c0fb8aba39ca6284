/* A 64-bit number for a text, the same on every machine, for tables, recipes and shards. It does
 * not protect against people who search for two texts with the same number. */
#ifndef STENCIL_BASE_HASH_H
#define STENCIL_BASE_HASH_H

#include <stdint.h>

/* FNV-1a, then the final mixing of MurmurHash3, so that all of its bits are well spread. */
static inline uint64_t hash_text(const char *text)
{
    uint64_t hash = 0xcbf29ce484222325;

    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 0x100000001b3;
    hash = (hash ^ hash >> 33) * 0xff51afd7ed558ccd;
    hash = (hash ^ hash >> 33) * 0xc4ceb9fe1a85ec53;
    return hash ^ hash >> 33;
}

#endif
