/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TUESDAY_TOOLS_WAIT_TEXT_H
#define TUESDAY_TOOLS_WAIT_TEXT_H

struct str;
struct wait_answers;

/* Appends what a look found: of each process its sentence, its table, and what to do. */
void wait_text(struct str *out, const struct wait_answers *answers);

#endif
