/* SPDX-License-Identifier: GPL-2.0-only */
/* Every check with every number. */
#ifndef TUESDAY_OUTPUT_SCREEN_TABLE_H
#define TUESDAY_OUTPUT_SCREEN_TABLE_H

struct screen;

/* Appends every check with its numbers, in columns. */
void screen_add_table(const struct screen *screen);

#endif
