/* SPDX-License-Identifier: GPL-2.0-only */
/* Is this kernel too old for something? */
#ifndef TUESDAY_TRACE_SINCE_H
#define TUESDAY_TRACE_SINCE_H

#include <stdbool.h>

struct str;

/* Whether this is an older kernel than major.minor; false where it cannot be told. */
bool kernel_is_before(unsigned int major, unsigned int minor);

/* Appends that this kernel is too old for a tracer, by its .since. False, and nothing, where it is
 * not, or where that is not known. */
bool trace_explain_since(struct str *why, unsigned int since);

#endif
