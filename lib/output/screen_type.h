/* SPDX-License-Identifier: GPL-2.0-only */
/* Whom to call for what was found: a sentence, or none. */
#ifndef TUESDAY_OUTPUT_SCREEN_TYPE_H
#define TUESDAY_OUTPUT_SCREEN_TYPE_H

#include "output/screen.h"

/* Appends it, and what the machine's own people want to be done; nothing where the type tells a
 * reader nothing. */
void screen_add_type(const struct screen *screen);

#endif
