/* SPDX-License-Identifier: GPL-2.0-only */
/* How a person is told of who waits and who is ahead. */
#ifndef TUESDAY_TOOLS_QUEUE_WORDS_H
#define TUESDAY_TOOLS_QUEUE_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "queue/matrix.h"

struct queue_limits;
struct queue_look;
struct queue_lost;
struct queue_options;
struct str;

void queue_words_time(struct str *out, uint64_t ns);
/* "backup (3 processes)", "backup (4711)", "kworker/0:1 (kernel)"; made visible, in at most so many
 * columns. */
void queue_words_group(struct str *out, const struct matrix_group *group, size_t columns);
/* The same of who is ahead in a sum, "its own threads", or what it is that is no process. */
void queue_words_ahead(struct str *out, const struct matrix_table *table,
	const struct matrix_sum *sum, size_t columns);
/* What was ahead that is no process, as "its own CPU quota". */
const char *queue_words_nobody(enum matrix_ahead ahead);
/* The first sentence of the answer; device is its name, NULL: it is about CPUs. */
void queue_words_sentence(struct str *out, const struct matrix_table *table,
	const struct queue_look *look, const struct queue_options *asked, const char *device);
/* "sda", or "8:0" where nobody knows; made visible. */
void queue_words_device(struct str *out, uint32_t device);
/* How far a sum is from what the kernel counted, as a share of that. */
double queue_words_differs(uint64_t sum, uint64_t counted);
/* Whether that is within the limits, or there is too little to say. */
bool queue_words_agrees(uint64_t sum, uint64_t counted, const struct queue_limits *limits);
/* Of all waiting, the share whose other party is known. */
double queue_words_named(const struct matrix_table *table, const struct queue_lost *lost);
/* A sentence about what has no name, or nothing. */
void queue_words_unnamed(
	struct str *out, const struct matrix_table *table, const struct queue_lost *lost);

#endif
