/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A growing string, and the allocations that cannot fail.
 *
 * Running out of memory ends the process with exit status 3 (unknown): there is no sensible verdict
 * to give by then, and no caller could do better.
 */
#ifndef TUESDAY_BASE_STR_H
#define TUESDAY_BASE_STR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

/* text is always terminated and never NULL after str_init or the first str_add; len excludes the 0.
 */
struct str {
	char *text;
	size_t len;
	size_t size;
};

#define STR_INIT \
	{ \
		NULL, 0, 0 \
	}

void str_add(struct str *s, const char *text);
void str_addn(struct str *s, const void *bytes, size_t len);
void str_addc(struct str *s, char c);
void str_addf(struct str *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
void str_addv(struct str *s, const char *format, va_list args)
	__attribute__((format(printf, 2, 0)));

/* Empties the string and keeps its memory. */
void str_clear(struct str *s);
void str_free(struct str *s);

/* Hands the text to the caller, who frees it; never NULL. The string is empty afterwards. */
char *str_take(struct str *s);

/* The text, "" for a string that nothing was added to. Valid until the next change. */
const char *str_text(const struct str *s);

/* Ends the process as the allocations below do: for what allocates elsewhere. */
_Noreturn void out_of_memory(size_t size);

/* malloc, calloc, realloc, strdup and asprintf that end the process when memory runs out. */
void *mem_alloc(size_t size);
void *mem_zalloc(size_t size);
void *mem_realloc_array(void *old, size_t count, size_t size);
char *mem_strdup(const char *text);
char *mem_strndup(const char *text, size_t len);
char *mem_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Makes room for one more element in an array that grows by doubling. */
#define ARRAY_GROW(array, count, room) \
	do { \
		if ((count) == (room)) { \
			(room) = (room) ? (room)*2 : 8; \
			(array) = mem_realloc_array((array), (room), sizeof(*(array))); \
		} \
	} while (0)

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

bool str_starts(const char *text, const char *prefix);
/* Whether the two are the same. Where a list is searched most differ in their first byte, which is
 * asked here without a call. */
static inline bool str_same(const char *a, const char *b)
{
	return *a == *b && !strcmp(a, b);
}

bool str_ends(const char *text, const char *suffix);

/*
 * Whether text matches any of the shell patterns (fnmatch without flags) in a list separated by
 * white space. An empty or NULL list matches nothing.
 */
bool str_matches(const char *text, const char *patterns);

#endif
