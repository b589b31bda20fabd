/* SPDX-License-Identifier: GPL-2.0-only */
/* Other causes of the same symptom. */
#ifndef TUESDAY_TOOLS_KEEPALIVE_ALTERNATIVES_H
#define TUESDAY_TOOLS_KEEPALIVE_ALTERNATIVES_H

struct conclusion;

/* The part of conclusion_make that is about other causes. */
void conclusion_lookalikes(struct conclusion *answer);

#endif
