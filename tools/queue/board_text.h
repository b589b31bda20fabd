/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TUESDAY_TOOLS_QUEUE_BOARD_TEXT_H
#define TUESDAY_TOOLS_QUEUE_BOARD_TEXT_H

#include <stdbool.h>
#include <stdint.h>

struct board;
struct str;

/* CPUs by time for a terminal: two lines a CPU, who runs and who waits, then what the letters mean.
 */
void board_text(struct str *out, const struct board *board, uint64_t lost, bool color);
/* "Threads waited 1.2 s for CPUs, and for 300 ms of that another CPU was idle." */
void board_text_sentence(struct str *out, const struct board *board);

#endif
