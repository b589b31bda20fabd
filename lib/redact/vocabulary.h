/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The words that everybody knows: those of the kernel's files and of our own messages. A recording
 * that hides names keeps these and nothing else.
 */
#ifndef TUESDAY_REDACT_VOCABULARY_H
#define TUESDAY_REDACT_VOCABULARY_H

#include <stdbool.h>
#include <stddef.h>

struct vocabulary;

/* Where the words come from that stay beside the common ones. Each calls add with texts whose words
 * are meant. */
struct word_source {
	void (*each)(void (*add)(void *arg, const char *text), void *arg);
	/* The same of the kernel's log, where only these stay. */
	void (*each_of_log)(void (*add)(void *arg, const char *text), void *arg);
};

/* The common words, with those of the source. */
struct vocabulary *vocabulary_new(const struct word_source *words);
/* The words of the kernel's log. */
struct vocabulary *vocabulary_of_log(const struct word_source *words);
void vocabulary_free(struct vocabulary *vocabulary);

bool vocabulary_has(const struct vocabulary *vocabulary, const char *word, size_t len);

#endif
