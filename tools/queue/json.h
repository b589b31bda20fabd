/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TUESDAY_TOOLS_QUEUE_JSON_H
#define TUESDAY_TOOLS_QUEUE_JSON_H

struct queue_look;
struct queue_options;
struct str;

/* What a look found, as JSON of schema tuesday-queues/1. */
void queue_json(struct str *out, const struct queue_look *look, const struct queue_options *asked);

#endif
