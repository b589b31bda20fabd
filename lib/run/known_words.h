/* SPDX-License-Identifier: GPL-2.0-only */
/* The words that a recording without names keeps, from all that know some. */
#ifndef TUESDAY_RUN_KNOWN_WORDS_H
#define TUESDAY_RUN_KNOWN_WORDS_H

struct word_source;

/* Those of the check files that are linked in, and of the patterns of the kernel's log. */
extern const struct word_source known_words;

#endif
