/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's lists of CPUs and nodes: "0-3,8". */
#ifndef TUESDAY_BASE_CPULIST_H
#define TUESDAY_BASE_CPULIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How many numbers are in a list of len bytes, which ends with its line. False where it is no such
 * list, has no end, or a number of 65536 or more. */
bool cpulist_count(const char *text, size_t len, uint64_t *count);

/* Whether such a list names a number; false too where it is no list or has no end. */
bool cpulist_has(const char *text, size_t len, uint64_t number);

#endif
