/* SPDX-License-Identifier: GPL-2.0-only */
/* The words that check files use of the machine: names of sources, fields, events. */
#ifndef TUESDAY_CHECK_CHECK_WORDS_H
#define TUESDAY_CHECK_CHECK_WORDS_H

#include <stdbool.h>

/* Calls add with every text of the check files that are linked in whose words are the kernel's or
 * our own: values that are made of names, keys, and the names of checks and sections. */
void check_each_word(void (*add)(void *arg, const char *text), void *arg);

/* Whether a check that is linked in is of this area, or all that are about security are; else *near
 * is what was probably meant, or NULL. Where no check is linked in every area is known. */
bool check_area_is_known(const char *area, const char **near);

#endif
