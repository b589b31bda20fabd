/* SPDX-License-Identifier: GPL-2.0-only */
/* Which lines have room on a screen? They are written in the order in which they are read, and
 * chosen by how much a reader would miss them. */
#ifndef TUESDAY_OUTPUT_SCREEN_FIT_H
#define TUESDAY_OUTPUT_SCREEN_FIT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

/* The most needed first. Of the worst finding nothing of the first is ever left out. */
enum fit_need {
	FIT_WORST,    /* what the worst finding is, its doubt, remedy and command */
	FIT_HEADLINE, /* what the other checks found */
	FIT_ALSO_BAD, /* further numbers that are bad */
	FIT_MEANING,  /* what the worst one means */
	FIT_OWN_BAD,  /* doubt, remedy and command of each other check that is bad */
	FIT_ALSO,     /* further numbers that may be bad */
	FIT_OWN,      /* doubt, remedy and command of the other checks */
	FIT_MORE,     /* second doubts and commands, how it ends */
	FIT_ALSO_OWN, /* doubts, remedies and commands of further numbers */
	FIT_NEEDS
};

struct fit_line {
	struct str text; /* one or more whole lines of the screen */
	size_t group;	 /* its check: where the headline is left out, so is the rest of it */
	enum fit_need need;
	bool taken;
};

struct fit {
	struct fit_line *lines;
	size_t n, room;
};

/* Adds a line to be written into; valid until the next call. */
struct str *fit_add(struct fit *fit, size_t group, enum fit_need need);

/*
 * Takes as many as fit into rows, or all with rows 0. Where one of a need has no room, none behind
 * it of the same need is taken: nothing milder is said in its place.
 */
void fit_choose(struct fit *fit, size_t rows);

/* Appends those that were taken. */
void fit_write(struct str *out, const struct fit *fit);

void fit_free(struct fit *fit);

#endif
