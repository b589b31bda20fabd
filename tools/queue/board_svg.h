/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TUESDAY_TOOLS_QUEUE_BOARD_SVG_H
#define TUESDAY_TOOLS_QUEUE_BOARD_SVG_H

#include <stdint.h>

struct board;
struct str;

/* The same picture for a browser: each field says of itself what is in it. */
void board_svg(struct str *out, const struct board *board, uint64_t lost);

#endif
