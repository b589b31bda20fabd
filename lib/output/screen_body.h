/* SPDX-License-Identifier: GPL-2.0-only */
/* The part of the screen that accuses: what each finding is, why to doubt it, and what to do. */
#ifndef TUESDAY_OUTPUT_SCREEN_BODY_H
#define TUESDAY_OUTPUT_SCREEN_BODY_H

#include "output/screen.h"

/* What had no room. */
struct screen_left {
	bool any;
	size_t checks;	  /* that accuse */
	size_t numbers;	  /* that accuse, of checks that are on the screen */
	const char *only; /* the one check of which it is; NULL: of more than one */
};

/* Appends the findings in at most rows lines, the worst first and whole; with rows 0 all. */
struct screen_left screen_add_findings(const struct screen *screen, size_t rows);

#endif
