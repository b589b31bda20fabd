/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stacks from a file: what `perf script` prints, or folded stacks. Both are told apart by their
 * first lines. Such text is hostile.
 *
 * Of folded stacks the first frame is taken for the name of the process ("node", "node-123" or
 * "node-123/456"), as all that fold write it.
 */
#ifndef TUESDAY_STACKS_STACK_TEXT_H
#define TUESDAY_STACKS_STACK_TEXT_H

#include <stddef.h>

struct stack_tally;

/* Counts all stacks of a text; tally->limit is set before. Lines that are none are counted. */
void stack_text_read(struct stack_tally *tally, const char *text, size_t len);

#endif
