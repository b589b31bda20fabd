/* SPDX-License-Identifier: GPL-2.0-only */
/* A fleet for people on a terminal. */
#ifndef TUESDAY_TOOLS_MERGE_TEXT_H
#define TUESDAY_TOOLS_MERGE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

struct fleet;
struct str;

struct print_options {
	bool color, verbose;
	size_t columns; /* 0: 100 */
};

/* A fleet for people, as wide as options->columns. */
void fleet_as_text(struct str *out, const struct fleet *fleet, const struct print_options *options);

#endif
