/* SPDX-License-Identifier: GPL-2.0-only */
/* What the terminal that is written to can do. */
#ifndef TUESDAY_BASE_TERMINAL_H
#define TUESDAY_BASE_TERMINAL_H

#include <stdbool.h>

enum color_when { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

/* Whether to write in colour to a descriptor: as asked for, else where it is a terminal that can,
 * and NO_COLOR does not say otherwise. */
bool terminal_color(enum color_when when, int fd);

/* How many colours a picture may have there: 0 where terminal_color says no, or the terminal has
 * less than 256; 256; or 1 << 24 where COLORTERM says so. */
unsigned int terminal_colors(enum color_when when, int fd);

/* The width that COLUMNS asks for, else that of the terminal that standard output is, or 0. */
unsigned int terminal_columns(void);

#endif
