/* A 64-bit number for a text, the same on every machine, for tables, recipes and shards. It does
 * not protect against people who search for two texts with the same number. */
#ifndef STENCIL_BASE_HASH_H
#define STENCIL_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* FNV-1a: takes BYTES more bytes into HASH. */
static inline uint64_t hash_bytes(uint64_t hash, const void *data, size_t bytes)
{
    const unsigned char *at = data;

    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ at[i]) * 0x100000001b3;
    return hash;
}

/* FNV-1a, then the final mixing of MurmurHash3, so that all of its bits are well spread. */
static inline uint64_t hash_text(const char *text)
{
    uint64_t hash = hash_bytes(0xcbf29ce484222325, text, strlen(text));

    hash = (hash ^ hash >> 33) * 0xff51afd7ed558ccd;
    hash = (hash ^ hash >> 33) * 0xc4ceb9fe1a85ec53;
    return hash ^ hash >> 33;
}

#endif
