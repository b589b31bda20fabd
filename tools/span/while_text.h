/* SPDX-License-Identifier: GPL-2.0-only */
/* What held a command back, as only its processes show. */
#ifndef TUESDAY_TOOLS_SPAN_WHILE_TEXT_H
#define TUESDAY_TOOLS_SPAN_WHILE_TEXT_H

struct json_writer;
struct span_while;
struct str;

/* Appends lines: the reason where one is seen, what the machine's checks said meanwhile, and what
 * the processes had of CPUs. */
void span_while_text(struct str *out, const struct span_while *run);
/* The reason alone, or nothing. */
void span_while_reason(struct str *out, const struct span_while *run);
/* The same as "while" of an object. */
void span_while_json(struct json_writer *json, const struct span_while *run);

#endif
