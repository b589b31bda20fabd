/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of hosts, folded into one line. */
#ifndef TUESDAY_TOOLS_MERGE_NAME_FOLDING_H
#define TUESDAY_TOOLS_MERGE_NAME_FOLDING_H

#include <stddef.h>

/* "web[1-3,7], db1": appends the names, escaped for a terminal, in about columns at most; those
 * that do not fit are counted. */
struct str;
void fold_names(struct str *out, const char *const *names, size_t n, size_t columns);

#endif
