/* SPDX-License-Identifier: GPL-2.0-only */
/* What was tried on the machine. */
#ifndef TUESDAY_OUTPUT_SCREEN_EXPERIMENTS_H
#define TUESDAY_OUTPUT_SCREEN_EXPERIMENTS_H

struct check_result;
struct screen;

/* Appends what was tried for a check, and whatever is still changed. */
void screen_add_experiments(const struct screen *screen, const struct check_result *result);

#endif
