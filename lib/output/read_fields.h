/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The values that a JSON report is made of, for those who read its parts. All that is read lives in
 * the arena, until the next report.
 */
#ifndef TUESDAY_OUTPUT_READ_FIELDS_H
#define TUESDAY_OUTPUT_READ_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/json_read.h"
#include "report/report.h"

struct report_fields {
	struct json_scan scan;
	struct arena arena;
	bool brief;
};

/* As json_enter; a value of another kind is skipped instead of being an error. */
bool fields_enter(struct report_fields *fields, char bracket);
/* Whether one more than n is allowed, and all that was read takes no more memory than a report may;
 * otherwise the report is refused. */
bool fields_more(struct report_fields *fields, size_t n, size_t max);
/* Makes room for one more element in an array of the arena. */
void *fields_grow(struct report_fields *fields, void *array, size_t n, size_t *room, size_t size);

/* The text that stands here, in max bytes at most; NULL where none stands. */
char *fields_text(struct report_fields *fields, size_t max);
/* The same of what a check file names (checks, areas, metrics): bytes that no such name has are
 * '?', so that it cannot pose as several, or as a sentence. */
char *fields_name(struct report_fields *fields);
char *fields_copy(struct report_fields *fields, const struct json_text *text, size_t max);
/* A list of texts; returns how many. */
size_t fields_texts(struct report_fields *fields, char ***list, size_t max);
/* A whole number from 0 to max; 0 for what is none. */
uint64_t fields_count(struct report_fields *fields, uint64_t max);
/* False where no text stands; a word that this version does not know is VERDICT_UNKNOWN. */
bool fields_verdict(struct report_fields *fields, enum verdict *verdict);
/* The number of the word that stands here; other where it is none of them. */
int fields_word(struct report_fields *fields, const char *const *words, int n, int other);
void fields_cost(struct report_fields *fields, struct cost *cost);

/* Keeps a value to be read after what stands behind it; fields_take_up goes back to one that was
 * kept, if there is one. */
void fields_put_off(struct report_fields *fields, struct json_text *value);
bool fields_take_up(struct report_fields *fields, const struct json_text *value);

#endif
