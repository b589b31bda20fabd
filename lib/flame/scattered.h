/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which package, namespace, library or function costs much in all, but so little in each place that
 * no picture shows it? Every name and every part of one is a group (flame/parts.h): "com", "com/x",
 * "com/x/legacy" of com/x/legacy/Flag.isOn. Its share counts a stack once, however many of its
 * frames are in the group; a tower is a frame of the group with none of it below, and what stands
 * on it.
 */
#ifndef TUESDAY_FLAME_SCATTERED_H
#define TUESDAY_FLAME_SCATTERED_H

#include <stddef.h>
#include <stdint.h>

struct flame_tree;
struct str;

/* Those of limits.ini, where each has its reason; ratios but for towers. */
struct flame_scattered_limits {
	double least, most, widest, towers, same, part;
};
void flame_scattered_limits_default(struct flame_scattered_limits *limits);

enum { FLAME_SCATTERED_MAX = 3 };

struct flame_scattered {
	size_t n;
	struct flame_scattered_group {
		char *name, *pattern; /* the second for --focus, see flame/pattern.h */
		uint64_t weight, widest;
		uint64_t towers;
	} groups[FLAME_SCATTERED_MAX]; /* the heaviest first */
};

/* totals: flame_tree_totals(tree). */
void flame_scattered_find(struct flame_scattered *found, const struct flame_tree *tree,
	const uint64_t *totals, const struct flame_scattered_limits *limits);
void flame_scattered_free(struct flame_scattered *found);

/* Appends "com/x/legacy: 44 % of samples in 312 towers, the widest 0.9 %: --focus com/x/legacy",
 * escaped for a terminal. */
void flame_scattered_add_sentence(struct str *out, const struct flame_scattered_group *group,
	uint64_t total, const char *unit);

#endif
