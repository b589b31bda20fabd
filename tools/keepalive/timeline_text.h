/* SPDX-License-Identifier: GPL-2.0-only */
/* A timeline in characters. */
#ifndef TUESDAY_TOOLS_KEEPALIVE_TIMELINE_TEXT_H
#define TUESDAY_TOOLS_KEEPALIVE_TIMELINE_TEXT_H

#include <stdbool.h>

struct conclusion;
struct round;
struct str;

/* Draws the first round of each kind at the decisive level, or at the last one. Nothing is appended
 * where there is none. */
void picture_text(struct str *out, const struct conclusion *answer, unsigned int columns);

/* The rounds that pictures show; false where there is none. */
bool picture_rounds(
	const struct conclusion *answer, const struct round **keep, const struct round **close);

#endif
