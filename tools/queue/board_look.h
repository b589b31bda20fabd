/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TUESDAY_TOOLS_QUEUE_BOARD_LOOK_H
#define TUESDAY_TOOLS_QUEUE_BOARD_LOOK_H

#include <stdint.h>

#include "queue/board.h"

struct queue_options;

/* Watches all CPUs for as long as is asked for, and puts that on a board of so many columns. lost:
 * events that had no room. Returns 0, or -errno after a message. board_free afterwards in every
 * case. */
int board_look(
	struct board *board, const struct queue_options *asked, size_t columns, uint64_t *lost);

#endif
