/* SPDX-License-Identifier: GPL-2.0-only */
/* What somebody wants of a profile. */
#ifndef TUESDAY_TOOLS_FLAME_OPTIONS_H
#define TUESDAY_TOOLS_FLAME_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "flame/reshape.h"
#include "run/options.h"

enum flame_format { FLAME_FORMAT_TEXT, FLAME_FORMAT_FOLDED };

enum flame_from { FLAME_FROM_FOLDED, FLAME_FROM_PERF, FLAME_FROM_SVG };

struct flame_options {
	const char *program;
	struct options common;
	size_t format;
	const char *svg;   /* where the picture goes, or NULL */
	const char *to;	   /* where the words or the folded lines go; NULL: standard output */
	const char *diff;  /* the profile before, or NULL */
	const char *input; /* a file, "-" for standard input */
	const char *title, *unit, *search;
	struct flame_filters filters;
	bool inverted, redact;
	size_t from; /* enum flame_from */
	bool by_thread;
	double since, until; /* --range; until 0: all of it */
	double hertz, least_pixels;
	double sample; /* --sample, in seconds where the unit is a time; 0: not told */
	size_t top;
	double seconds_each; /* of a weight of 1; 0: not known */
};

/* A weight of 1 in seconds, where the unit is one of time; else 0. */
double flame_unit_seconds(const char *unit);

/* Returns 0, 1 where help was printed, or -EINVAL after a message. */
int flame_options_read(struct flame_options *asked, int argc, char **argv);
void flame_options_free(struct flame_options *asked);

#endif
