/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Words that go with a number, as check files write them: "error(s)", "process(es)",
 * "entr(y|ies)", "(was|were)". In parentheses stands the end of a word: "(s)" and "(es)" of more
 * than one, nothing else; or, with a bar, that of one and that of more.
 */
#ifndef TUESDAY_BASE_PLURAL_H
#define TUESDAY_BASE_PLURAL_H

#include <stdbool.h>
#include <stddef.h>

struct str;

/* Appends what the form that text begins with is for one thing, or for none and many. Returns the
 * bytes of the form, or 0 where text begins with none and nothing was appended. out may be NULL. */
size_t plural_take(struct str *out, const char *text, bool one);

/* Appends "1 line" or "3 lines". */
void plural_add(struct str *out, unsigned long long n, const char *one, const char *many);

/* Whether the noun behind a number has the unit of a rate, and the number itself has none then:
 * " connections/s", " TCP segments/s dropped". text is what follows the number; its noun has three
 * words at most. */
bool plural_noun_is_rate(const char *text);

#endif
