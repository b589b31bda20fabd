/* SPDX-License-Identifier: GPL-2.0-only */
/* Which checks does a person mean by what he typed? */
#ifndef TUESDAY_RUN_ASKED_H
#define TUESDAY_RUN_ASKED_H

#include <stdbool.h>

struct options;

/* Whether a first word is no command but a check, or "@net", an area of them. */
bool asked_is_check(const char *word);

/* The check that a word which is none was probably meant to be, or NULL. The caller frees. */
char *asked_suggest(const char *word);

/*
 * Puts the checks of an area in place of each "@area" among the names of options. Returns 0, or
 * EXIT_MISUSE after a message where there is no such area. *owned is for asked_free; it is NULL
 * where nothing was replaced.
 */
int asked_expand(const char *program, struct options *options, char ***owned);
void asked_free(char **owned);

#endif
