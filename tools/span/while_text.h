/* SPDX-License-Identifier: GPL-2.0-only */
/* What held a command back, as only its processes show. */
#ifndef TUESDAY_TOOLS_SPAN_WHILE_TEXT_H
#define TUESDAY_TOOLS_SPAN_WHILE_TEXT_H

struct json_writer;
struct span_holder;
struct span_while;
struct str;

/* Appends lines: what the checks said while the holder (or NULL: all the time) held it, the reason
 * where one is seen, and what the processes had of CPUs. */
void span_while_text(
	struct str *out, const struct span_while *run, const struct span_holder *holder);
/* What the checks said then, as "meanwhile" of an object; holder may be NULL: in the whole time. */
void span_while_json_meanwhile(
	struct json_writer *json, const struct span_while *run, const struct span_holder *holder);
/* The reason alone, or nothing. */
void span_while_reason(struct str *out, const struct span_while *run);
/* The same as "while" of an object. */
void span_while_json(struct json_writer *json, const struct span_while *run);

#endif
