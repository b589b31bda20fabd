/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who called the function where a thread is, if that keeps no frame pointer?
 *
 * The frame pointer is its caller's then, and leads on to whom that returns to: the caller itself
 * is missing, as everyone is who calls read() of a usual libc. The first words of the stack and the
 * rules of .eh_frame say who it is, until there is a frame that pointers lead to. Where there is
 * none they say all that is known.
 */
#ifndef TUESDAY_STACKS_LEAF_H
#define TUESDAY_STACKS_LEAF_H

struct stacks_profile;

/* Adds these frames to the stacks of a look, of processes that live. Files are read by children
 * without rights; of very many processes those with most stacks are asked. */
void stacks_leaf_find(struct stacks_profile *profile);

#endif
