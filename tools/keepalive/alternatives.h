/* SPDX-License-Identifier: GPL-2.0-only */
/* Other causes of the same symptom. */
#ifndef TUESDAY_TOOLS_KEEPALIVE_ALTERNATIVES_H
#define TUESDAY_TOOLS_KEEPALIVE_ALTERNATIVES_H

struct conclusion;

/* The part of answer_make that is about other causes. */
void answer_lookalikes(struct conclusion *answer);

#endif
