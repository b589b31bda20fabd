/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who is at work on this machine, 99 times a second on each CPU: by the software clock of perf, so
 * that it needs no hardware counter and no BPF.
 */
#ifndef TUESDAY_TOOLS_MAP_SAMPLES_H
#define TUESDAY_TOOLS_MAP_SAMPLES_H

struct heatmap;
struct heatmap_periods;
struct map_options;

/* Looks as long as is asked for, or until somebody presses Ctrl-C, and gives up all rights before
 * the first sample is read. The map is made here. Needs CAP_PERFMON, or a low
 * kernel.perf_event_paranoid. Returns 0, or -errno after a message. */
int map_samples(
	struct heatmap *map, struct heatmap_periods *periods, const struct map_options *asked);

#endif
