/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A heat map as a file, so that those of many hosts can be laid over each other: lines of words,
 * "tuesday heat map 1" the first.
 *
 *   kind offset|latency    what rows are
 *   column NS              a column; of an offset map the period
 *   rows N                 of an offset map
 *   tick NS                each CPU was looked at so often
 *   clock wall|own         whose clock the times are of
 *   hosts N
 *   seen FROM TO           watched in this time, ns
 *   outside N              events without a cell
 *   lost COLUMN N          records lost in a column, which is its time by that of a column
 *   name TEXT              the first is number 0; what may not show is \xNN
 *   cell COLUMN ROW NAME N
 *   end CELLS              so that a file that was cut is known
 */
#ifndef TUESDAY_HEATMAP_CELLS_FILE_H
#define TUESDAY_HEATMAP_CELLS_FILE_H

#include <stdbool.h>
#include <stdint.h>

struct heatmap;
struct str;

void cells_file_write(struct str *out, const struct heatmap *map);

struct cells_file {
	struct heatmap *map; /* as heatmap_init leaves it */
	struct str *why;     /* a phrase, where a line is refused */
	/* Below: the reader's own. All zero at the beginning. */
	uint64_t lines, cells;
	uint16_t *names; /* of the file's numbers */
	uint32_t n_names, names_room;
	bool has_kind, is_over, is_refused;
};

/* Whether this is the first line of such a file. */
bool cells_file_begins(const char *line);
/* Takes a line. Returns 0 or -EINVAL. */
int cells_file_line(struct cells_file *file, const char *line);
/* Frees what the reader holds. Returns 0, or -EINVAL where a line was refused or the end is
 * missing.
 */
int cells_file_end(struct cells_file *file);

#endif
