/* SPDX-License-Identifier: GPL-2.0-only */
/* What a picture brings along to be changed where it is looked at: its stacks, and our script. */
#ifndef TUESDAY_FLAME_PAGE_H
#define TUESDAY_FLAME_PAGE_H

#include <stdint.h>

struct flame_filters;
struct flame_layout;
struct flame_look;
struct flame_tree;
struct str;

struct flame_page {
	struct flame_tree *whole;	     /* all stacks */
	const struct flame_tree *shown;	     /* the same with the filters */
	const struct flame_layout *layout;   /* of those that are shown */
	const uint64_t *before;		     /* weights of shown, or NULL */
	const struct flame_filters *filters; /* or NULL */
	const struct flame_look *look;
};

void flame_page_add_style(struct str *out);

/*
 * Appends the data and the script. Where all stacks are few enough they come as they are, and the
 * filters as what is typed in already; else what is shown comes, without what is too light.
 */
void flame_page_add(struct str *out, const struct flame_page *page);

#endif
