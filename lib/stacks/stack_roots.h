/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where do threads begin, in a C library that has no names for that? Distributions strip them: the
 * function that calls main() is known to nobody. It is learned from threads that sleep, of whatever
 * process has the same library: their stacks are walked by .eh_frame, which says itself where
 * nobody calls any more.
 */
#ifndef TUESDAY_STACKS_STACK_ROOTS_H
#define TUESDAY_STACKS_STACK_ROOTS_H

#include <stdbool.h>
#include <sys/types.h>

struct stack_roots;
struct symbol;
struct symbolizer;

struct stack_roots *stack_roots_new(void);
void stack_roots_free(struct stack_roots *roots);

/*
 * Learns the roots of the C library that a symbol is of, by threads that sleep: of this process,
 * then of others. A library is learned once. It takes CAP_SYS_PTRACE for processes of others; their
 * stacks are read, and walked in a child without rights. x86-64 only.
 */
void stack_roots_learn(struct stack_roots *roots, struct symbolizer *symbolizer, pid_t pid,
	const struct symbol *symbol);

/* Whether a first thread, or a later one, begins at this return address (symbolizer_find one byte
 * before it); and whether that is known of its library at all. */
bool stack_roots_has(const struct stack_roots *roots, const struct symbol *symbol);
bool stack_roots_knows(const struct stack_roots *roots, const struct symbol *symbol, bool first);

#endif
