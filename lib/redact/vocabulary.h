/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The words that everybody knows: those of the kernel's files and of our own messages. A recording
 * that hides names keeps these and nothing else.
 */
#ifndef TUESDAY_VOCABULARY_H
#define TUESDAY_VOCABULARY_H

#include <stdbool.h>
#include <stddef.h>

struct vocabulary;

/* The common words, with those that the check files that are linked in refer to. */
struct vocabulary *vocabulary_new(void);
/* The words of the kernel's log that are looked for. */
struct vocabulary *vocabulary_of_log(void);
void vocabulary_free(struct vocabulary *vocabulary);

bool vocabulary_has(const struct vocabulary *vocabulary, const char *word, size_t len);

#endif
