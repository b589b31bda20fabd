/* SPDX-License-Identifier: GPL-2.0-only */
/* The words that check files use of the machine: names of sources, fields, events. */
#ifndef TUESDAY_CHECK_CHECK_WORDS_H
#define TUESDAY_CHECK_CHECK_WORDS_H

/* Calls add with every text of the check files that are linked in whose words are the kernel's or
 * our own: values that are made of names, keys, and the names of checks and sections. */
void check_each_word(void (*add)(void *arg, const char *text), void *arg);

#endif
