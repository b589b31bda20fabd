/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The subsecond-offset map of a watch: in which 20 ms of which second did each busy process run? By
 * the CPU clocks that the watch reads anyway, so no sample is missed between two of them.
 */
#ifndef TUESDAY_TOOLS_NAP_MAP_H
#define TUESDAY_TOOLS_NAP_MAP_H

#include "base/number_map.h"
#include "base/str.h"
#include "heatmap/heatmap.h"
#include "heatmap/show.h"

struct nap_report;
struct nap_watch;
struct nap_map {
	struct heatmap map; /* weights are microseconds on CPUs */
	struct number_map places;
	struct nap_map_clock {
		uint64_t start_ticks, time_ns, cpu_ns;
	} * clocks; /* of each process as it was read last */
	size_t n, room;
};

void nap_map_init(struct nap_map *map);
void nap_map_free(struct nap_map *map);

/* Adds what the last look of the watch has read. */
void nap_map_look(struct nap_map *map, const struct nap_watch *watch);

/* What a picture points to. */
struct nap_map_words {
	struct str title, sleeper, suspect;
};

/* How it is to be shown: who napped most and the first of those to blame have a colour each. colors
 * as in struct heatmap_look. */
void nap_map_show(struct heatmap_show *show, const struct nap_map *map,
	const struct nap_report *report, struct nap_map_words *words, unsigned int colors);
void nap_map_words_free(struct nap_map_words *words);

#endif
