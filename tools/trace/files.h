/* SPDX-License-Identifier: GPL-2.0-only */
/* Events from files, and maps to merge and to compare with. */
#ifndef TUESDAY_TOOLS_TRACE_FILES_H
#define TUESDAY_TOOLS_TRACE_FILES_H

struct heatmap;
struct trace_options;
struct trace_record;

/* All files into one record. Returns 0, or -errno after a message. */
int trace_files_read(struct trace_record *record, const struct trace_options *asked);
/* The map of one file, which has to be like this one. Returns 0, or -errno after a message. */
int trace_files_before(
	struct heatmap *before, const struct heatmap *map, const struct trace_options *asked);

#endif
