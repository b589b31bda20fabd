/* SPDX-License-Identifier: GPL-2.0-only */
/* Which word was probably meant by a misspelled one? */
#ifndef TUESDAY_BASE_SUGGEST_H
#define TUESDAY_BASE_SUGGEST_H

#include <stddef.h>

/* The nearest of n words to text, or NULL where none is near enough to be what was meant. */
const char *suggest(const char *text, const char *const *words, size_t n);

#endif
