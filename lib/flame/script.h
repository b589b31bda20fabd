/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stacks from what `perf script` prints: a line for each sample, with its process and time, then a
 * line for each frame, where the thread is first, then an empty line. All of it is hostile.
 */
#ifndef TUESDAY_FLAME_SCRIPT_H
#define TUESDAY_FLAME_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct flame_tree;

enum { FLAME_SCRIPT_FRAMES = 4096 }; /* of one stack: what is beyond is left out */

struct flame_script {
	struct flame_tree *tree;
	bool by_thread; /* stacks begin with name and number of the thread, else with the name */
	/* Of the samples from so many seconds after the first one on; until 0: to the last. */
	double from, until;
	/* All else is the reader's. */
	bool begun, in_stack, wanted;
	double first;
	uint32_t whose;
	uint32_t frames[FLAME_SCRIPT_FRAMES];
	size_t n;
	uint64_t beyond; /* samples outside of the range */
};

/* Whole lines of it, one piece after the other, and the end of the last one. */
void flame_script_add(struct flame_script *script, const char *text, size_t len);
void flame_script_end(struct flame_script *script);
/* All of a descriptor; as flame_tree_read. */
int flame_script_read(struct flame_script *script, int fd);

#endif
