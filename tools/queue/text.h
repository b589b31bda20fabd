/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TUESDAY_TOOLS_QUEUE_TEXT_H
#define TUESDAY_TOOLS_QUEUE_TEXT_H

struct queue_look;
struct queue_options;
struct str;

/* What a look found, for people: a sentence, a table, what to do. */
void queue_text(struct str *out, const struct queue_look *look, const struct queue_options *asked);

#endif
