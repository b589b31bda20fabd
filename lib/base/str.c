/* SPDX-License-Identifier: GPL-2.0-only */
/* How do strings and arrays grow without a length ever being wrong? */
#include "base/banned.h"

#include <fnmatch.h>
#include <limits.h>
#include <stdint.h>

#include "base/str.h"

_Noreturn void out_of_memory(size_t size)
{
	fprintf(stderr, "tuesday: out of memory (%zu bytes)\n", size);
	_Exit(3);
}

void *mem_realloc_array(void *old, size_t count, size_t size)
{
	void *memory;

	if (size && count > SIZE_MAX / size)
		out_of_memory(SIZE_MAX);
	memory = realloc(old, count && size ? count * size : 1);
	if (!memory)
		out_of_memory(count * size);
	return memory;
}

void *mem_alloc(size_t size)
{
	return mem_realloc_array(NULL, size, 1);
}

void *mem_zalloc(size_t size)
{
	return memset(mem_alloc(size), 0, size);
}

char *mem_strndup(const char *text, size_t len)
{
	size_t n = strnlen(text, len);
	char *copy = mem_alloc(n + 1);

	memcpy(copy, text, n);
	copy[n] = 0;
	return copy;
}

char *mem_strdup(const char *text)
{
	return mem_strndup(text, strlen(text));
}

char *mem_printf(const char *format, ...)
{
	struct str s = STR_INIT;
	va_list args;

	va_start(args, format);
	str_addv(&s, format, args);
	va_end(args);
	return str_take(&s);
}

static void str_make_room(struct str *s, size_t more)
{
	size_t size = s->size ? s->size : 64;

	if (more > SIZE_MAX / 2 - s->len)
		out_of_memory(SIZE_MAX);
	while (size < s->len + more + 1)
		size *= 2;
	if (size != s->size)
		s->text = mem_realloc_array(s->text, size, 1);
	s->size = size;
}

void str_addn(struct str *s, const void *bytes, size_t len)
{
	str_make_room(s, len);
	if (len)
		memcpy(s->text + s->len, bytes, len);
	s->len += len;
	s->text[s->len] = 0;
}

void str_add(struct str *s, const char *text)
{
	str_addn(s, text, strlen(text));
}

void str_addc(struct str *s, char c)
{
	str_addn(s, &c, 1);
}

void str_addv(struct str *s, const char *format, va_list args)
{
	va_list again;
	size_t room;
	int n;

	str_make_room(s, 0);
	room = s->size - s->len;
	va_copy(again, args);
	n = vsnprintf(s->text + s->len, room, format, again);
	va_end(again);
	/* Most fits, and to format is what costs: it is only done again for what does not. */
	if (n >= 0 && (size_t)n >= room) {
		str_make_room(s, (size_t)n);
		vsnprintf(s->text + s->len, (size_t)n + 1, format, args);
	}
	if (n > 0)
		s->len += (size_t)n;
	s->text[s->len] = 0;
}

void str_addf(struct str *s, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	str_addv(s, format, args);
	va_end(args);
}

void str_clear(struct str *s)
{
	s->len = 0;
	if (s->text)
		s->text[0] = 0;
}

void str_free(struct str *s)
{
	free(s->text);
	*s = (struct str)STR_INIT;
}

char *str_take(struct str *s)
{
	char *text;

	str_make_room(s, 0);
	s->text[s->len] = 0;
	text = s->text;
	*s = (struct str)STR_INIT;
	return text;
}

const char *str_text(const struct str *s)
{
	return s->text ? s->text : "";
}

bool str_starts(const char *text, const char *prefix)
{
	for (; *prefix; prefix++, text++)
		if (*text != *prefix)
			return false;
	return true;
}

bool str_ends(const char *text, const char *suffix)
{
	size_t n = strlen(text), m = strlen(suffix);

	return n >= m && memcmp(text + n - m, suffix, m) == 0;
}

bool str_matches(const char *text, const char *patterns)
{
	const char *at = patterns ? patterns : "";

	for (;;) {
		size_t len;
		char *pattern;
		bool matches;

		at += strspn(at, " \t\n");
		len = strcspn(at, " \t\n");
		if (!len)
			return false;
		pattern = mem_strndup(at, len);
		matches = fnmatch(pattern, text, 0) == 0;
		free(pattern);
		if (matches)
			return true;
		at += len;
	}
}
