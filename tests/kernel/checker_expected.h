/* The pictures that the checker expects. The reference makes them, which takes half of the
 * checker's time or more. A file therefore stores a hash of each picture, so that later programs
 * with the same cases (other compilers, instruction sets, sanitizers) need not make all of them
 * again. */
#ifndef STENCIL_TESTS_KERNEL_CHECKER_EXPECTED_H
#define STENCIL_TESTS_KERNEL_CHECKER_EXPECTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Opens the file named by the environment variable CHECKER_EXPECTED; without it nothing is stored.
 * The file must come from a checker with the same cases. */
bool check_expected_open(void);

uint64_t check_expected_hash(const void *bytes, size_t count); /* never 0 */

/* The hash of case NUMBER; 0: unknown. */
uint64_t check_expected_known(int number);
void check_expected_keep(int number, uint64_t hash);

/* Selects one case of eight, of all masks and sizes: for these, every program runs its own
 * reference. */
bool check_expected_again(int number);

#endif
