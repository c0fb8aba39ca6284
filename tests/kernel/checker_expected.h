/* The pictures that the checker expects. The reference makes them, and takes half of the checker's
 * time or more: a file remembers a hash of each, so that programs that run one after the other on
 * the same cases (other compilers, instruction sets, sanitizers) need not make all of them again.
 */
#ifndef STENCIL_TESTS_KERNEL_CHECKER_EXPECTED_H
#define STENCIL_TESTS_KERNEL_CHECKER_EXPECTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The file that the environment variable CHECKER_EXPECTED names; without one nothing is remembered.
 * It must have been made by a checker with the same cases. */
bool check_expected_open(void);

uint64_t check_expected_hash(const void *bytes, size_t count); /* never 0 */

/* The hash of case NUMBER, 0: not known. */
uint64_t check_expected_known(int number);
void check_expected_keep(int number, uint64_t hash);

/* One case of eight, of all masks and sizes: every program makes it with its own reference. */
bool check_expected_again(int number);

#endif
