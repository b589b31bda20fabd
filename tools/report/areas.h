/* SPDX-License-Identifier: GPL-2.0-only */
/* The parts of the system, and how they stand. */
#ifndef TUESDAY_TOOLS_REPORT_AREAS_H
#define TUESDAY_TOOLS_REPORT_AREAS_H

#include <stdbool.h>
#include <stddef.h>

struct areas;
struct check_result;
struct report;

/* Sorts the checks of a report by area. */
void areas_make(struct areas *areas, const struct report *report);
void areas_free(struct areas *areas);

/* The checks in the order of reading, the worst first. The caller frees. */
size_t *worst_checks(const struct report *report);
bool is_accused(const struct check_result *result);

#endif
