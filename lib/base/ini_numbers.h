/* SPDX-License-Identifier: GPL-2.0-only */
/* A file of limits: sections of numbers, each of which a struct has a double for. */
#ifndef TUESDAY_BASE_INI_NUMBERS_H
#define TUESDAY_BASE_INI_NUMBERS_H

#include <stddef.h>

struct complaints;

struct ini_number {
	const char *section, *key;
	size_t offset; /* of a double */
};

/* INI_NUMBER(struct limits, told, busy): told.busy of the struct is "busy" of [told]. */
#define INI_NUMBER(type, section, key) \
	{ \
#section, #key, offsetof(type, section.key) \
	}

/* Reads a file's text into a struct; n is 32 at most. Returns 0, or -EINVAL after complaints; one
 * that lacks a number is wrong. */
int ini_numbers_read(void *to, const struct ini_number *numbers, size_t n, const char *file,
	const char *text, size_t len, struct complaints *complaints);

#endif
