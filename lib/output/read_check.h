/* SPDX-License-Identifier: GPL-2.0-only */
/* The checks of a JSON report. */
#ifndef TUESDAY_OUTPUT_READ_CHECK_H
#define TUESDAY_OUTPUT_READ_CHECK_H

#include <stdbool.h>

struct check_result;
struct report_fields;

/* A check. False for what is no object, or has no name. */
bool fields_check(struct report_fields *fields, struct check_result *result);

#endif
