/* SPDX-License-Identifier: GPL-2.0-only */
/* Files from which heat maps are made: perf script text, lines of time and latency, and cells. */
#ifndef TUESDAY_HEATMAP_INPUT_H
#define TUESDAY_HEATMAP_INPUT_H

#include <stdbool.h>
#include <stdint.h>

struct heatmap;
struct heatmap_periods;
struct str;

enum heatmap_format { HEATMAP_FORMAT_CELLS, HEATMAP_FORMAT_PERF, HEATMAP_FORMAT_PAIRS };

struct heatmap_input {
	bool wants_latency; /* lines of time and latency, even if the first is none */
	uint64_t period_ns; /* of an offset map: 1 s */
	uint64_t column_ns; /* of a latency map: 1 s */
	/* Of perf script text: how long it took a thread from one event to the other, a latency
	 * map; NULL: all samples, an offset map. */
	const char *begin, *end;
	uint32_t rows;	       /* of an offset map; 0: as the samples ask for */
	uint64_t time_unit_ns; /* of numbers without a unit */
	uint64_t latency_unit_ns;
	/* Stacks of samples are appended here folded, if their time is of the range, counted from
	 * the period of the first sample on; NULL: none. */
	struct str *folded;
	bool has_range;
	uint64_t range_from_ns, range_to_ns;
	/* Is told of every event; NULL: nobody. */
	void (*each)(void *arg, uint64_t at_ns, uint64_t latency_ns, const char *name);
	void *arg;
	const char *doing; /* what progress says, or NULL */
	/* What was found: */
	enum heatmap_format format;
	uint64_t events, idle, unread;
	struct heatmap_periods *periods; /* of who runs when, or NULL: nobody wants them */
};

/* Reads all of a descriptor into *map, which is made here and freed by the caller in every case.
 * Returns 0, -ENODATA where there is no event in it, -EINVAL for a cells file that is none, with a
 * phrase in why, or -errno. */
int heatmap_input_read(struct heatmap_input *input, struct heatmap *map, int fd, struct str *why);

#endif
