/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From names to numbers: the references of what was parsed get their places in a sweep. This is the
 * one step in which an expression meets the sources; it is taken once it is known what is wanted,
 * since what is bound is read.
 */
#ifndef TUESDAY_EXPR_BIND_H
#define TUESDAY_EXPR_BIND_H

struct condition;
struct expr;
struct expr_leaf;
struct sweep;

/*
 * Interns every reference in the sweep, which is not open yet, and notes their numbers in the tree;
 * NULL has none. A name that is no source here stays unbound. What was bound before is bound anew:
 * a tree is evaluated over one sweep at a time.
 */
void expr_bind(const struct expr *expr, struct sweep *sweep);
void condition_bind(const struct condition *condition, struct sweep *sweep);

/* The same for one reference, as a callback of expr_each_leaf; sweep is a struct sweep. */
void expr_leaf_bind(void *sweep, struct expr_leaf *leaf);

#endif
