/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events counted in cells of time by something: by the offset within a period (a subsecond-offset
 * map: when in its second was who at work?), or by how long each took (a latency map).
 *
 * An event belongs to the cell of its own time, never of the time at which it was read. Columns
 * begin at whole periods of the clock that the times are of, so that maps of several hosts with one
 * clock lie over each other; what was not watched of the first and the last column is known, and is
 * drawn as not watched, not as empty.
 */
#ifndef TUESDAY_HEATMAP_HEATMAP_H
#define TUESDAY_HEATMAP_HEATMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/number_map.h"

struct str;

enum heatmap_kind { HEATMAP_OFFSET, HEATMAP_LATENCY };

enum {
	/* Rows of a latency map: 8 to a power of two, up to 2^44 ns (4.9 hours). */
	HEATMAP_LATENCY_BITS = 3,
	HEATMAP_LATENCY_OCTAVES = 44,
	HEATMAP_LATENCY_ROWS = (HEATMAP_LATENCY_OCTAVES - HEATMAP_LATENCY_BITS + 1)
		<< HEATMAP_LATENCY_BITS,
	HEATMAP_ROWS_MAX = 1000,
	HEATMAP_COLUMNS_MAX = 100000, /* from the first to the last: a day of seconds */
	HEATMAP_NAMES_MAX = 65535,    /* what comes after them is called "(others)" */
	HEATMAP_NAME_BYTES = 64,      /* of a name that is kept */
	HEATMAP_CELLS_MAX = 4 << 20
};

/* So many events with that name. */
struct heatmap_cell {
	uint32_t column; /* from first_column - HEATMAP_COLUMNS_MAX on */
	uint16_t row;	 /* of an offset map from the begin of the period on, else the short ones */
	uint16_t name;
	uint64_t weight;
};

/* Records that the kernel or the reader dropped in a column. */
struct heatmap_loss {
	uint32_t column; /* as a cell's */
	uint64_t n;
};

struct heatmap {
	enum heatmap_kind kind;
	uint64_t column_ns; /* of an offset map the period */
	uint32_t rows;
	uint64_t tick_ns; /* each CPU was looked at so often; 0: every event is told */
	uint32_t hosts;	  /* whose events these are */
	bool is_wall;	  /* times are of CLOCK_REALTIME */
	uint64_t total;	  /* of all weights */
	uint64_t lost;	  /* records, in and out of columns */
	uint64_t outside; /* events that no cell was there for */
	/* Watched from when to when; to is 0 for a map without events. */
	uint64_t seen_from_ns, seen_to_ns;
	bool has_column;
	uint64_t first_column; /* of the first event: its time by column_ns */
	struct heatmap_cell *cells;
	size_t n_cells, cells_room;
	struct number_map by_key;
	struct heatmap_loss *losses;
	size_t n_losses, losses_room;
	char **names;
	size_t n_names, names_room;
	struct number_map by_hash;
};

/* rows is of an offset map, 1 to HEATMAP_ROWS_MAX; a latency map has its own. */
void heatmap_init(struct heatmap *map, enum heatmap_kind kind, uint64_t column_ns, uint32_t rows);
void heatmap_free(struct heatmap *map);

/* The number of a name, which is as others wrote it; NULL is "". */
uint16_t heatmap_name(struct heatmap *map, const char *text);

/* Counts an event. latency_ns is of a latency map. */
void heatmap_add(
	struct heatmap *map, uint64_t at_ns, uint64_t latency_ns, uint16_t name, uint64_t weight);
/* Of an offset map: somebody was at work from then to then, as a trace of switches tells exactly.
 * Each row gets the microseconds of it that it has, one at least. */
void heatmap_add_span(struct heatmap *map, uint64_t from_ns, uint64_t to_ns, uint16_t name);
/* So many records were lost about then. */
void heatmap_add_lost(struct heatmap *map, uint64_t at_ns, uint64_t n);
/* It was watched at that time, whether there was an event or not. */
void heatmap_see(struct heatmap *map, uint64_t at_ns);

/* Adds what another map has: of another kind, period or height of rows it is refused with a phrase.
 * Times of the day are laid over each other as they are, of other clocks the first columns. Returns
 * 0 or -EINVAL. */
int heatmap_merge(struct heatmap *map, const struct heatmap *other, struct str *why);

/* Whole columns from the first to the last that were watched, and the first of them, by
 * column_ns. */
uint64_t heatmap_columns(const struct heatmap *map, uint64_t *first);
/* The column of a cell or a loss, by column_ns. */
uint64_t heatmap_column(const struct heatmap *map, uint32_t column);

/* When a cell begins, and when it ends. */
void heatmap_cell_times(
	const struct heatmap *map, const struct heatmap_cell *cell, uint64_t *from, uint64_t *to);
/* Adds weight to a cell, as heatmap_merge does: of a row and a name that there are. */
void heatmap_add_cell(
	struct heatmap *map, uint64_t column, uint32_t row, uint16_t name, uint64_t weight);

/* The row of a latency, and the shortest one of a row; of the row behind the last UINT64_MAX. */
uint32_t heatmap_latency_row(uint64_t ns);
uint64_t heatmap_latency_least(uint32_t row);
/* What a latency quantile is at most, 0..1, over all events; 0 where there are none. */
uint64_t heatmap_latency_quantile(const struct heatmap *map, double q);

#endif
