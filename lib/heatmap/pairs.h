/* SPDX-License-Identifier: GPL-2.0-only */
/* Lines "TIME LATENCY [NAME]": what most tracers can be made to print. */
#ifndef TUESDAY_HEATMAP_PAIRS_H
#define TUESDAY_HEATMAP_PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pair {
	uint64_t at_ns; /* when it ended, or began: as the file has it */
	uint64_t latency_ns;
	const char *name; /* the rest of the line, "" where there is none */
};

struct pairs {
	void (*each)(void *arg, const struct pair *pair);
	void *arg;
	uint64_t time_unit_ns, latency_unit_ns; /* of numbers without a unit of their own */
	uint64_t read, unread;
};

/* As line_reader's each, with a struct pairs; never says that it is enough. Comments (#) and empty
 * lines are passed over, and a comma or a semicolon may stand between as a blank may. */
bool pairs_line(void *pairs, char *line, size_t len);

#endif
