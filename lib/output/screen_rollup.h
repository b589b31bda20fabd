/* SPDX-License-Identifier: GPL-2.0-only */
/* What it is not, what is not known, and what was not asked. */
#ifndef TUESDAY_OUTPUT_SCREEN_ROLLUP_H
#define TUESDAY_OUTPUT_SCREEN_ROLLUP_H

struct screen;

/* Appends what is not the cause, what is not known, and what was not asked. */
void screen_add_rollup(const struct screen *screen);

#endif
