/* SPDX-License-Identifier: GPL-2.0-only */
/* The stacks of each process in a line, for people. */
#ifndef TUESDAY_TOOLS_STACK_TABLE_H
#define TUESDAY_TOOLS_STACK_TABLE_H

#include <stdbool.h>

struct stack_tally;
struct str;

/* Appends it: those with the most samples first, all or the first ones. */
void stack_table_add(struct str *out, const struct stack_tally *tally, bool all);

#endif
