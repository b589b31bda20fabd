/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A JSON value in memory, read from its beginning to its end without a tree: who has ten thousand
 * reports and wants a tenth of each reads at the speed of memory, and nothing is allocated.
 *
 * What is asked for is checked to the letter (RFC 8259); what is skipped only as far as its strings
 * and brackets go. Nothing behind the end is ever read. After an error, err is set and every call
 * answers "no more", so a reader may go on and ask once, at the end.
 *
 *	struct json_text key;
 *
 *	json_enter(&scan, '{');
 *	while (json_member(&scan, &key))
 *		if (json_is(&key, "verdict"))
 *			json_text(&scan, &verdict);
 *		else
 *			json_skip(&scan);
 */
#ifndef TUESDAY_BASE_JSON_READ_H
#define TUESDAY_BASE_JSON_READ_H

#include <stdbool.h>
#include <stddef.h>

struct str;

/* Deeper nesting is refused: a report has seven levels. */
#define JSON_DEPTH_MAX 32

struct json_scan {
	const char *at, *end;
	int err; /* 0; -EAGAIN: the text ends inside the value; -EINVAL; -E2BIG: too deep */
	const char *wrong;  /* what is wrong, for people; NULL without err */
	unsigned int depth; /* containers entered */
	bool first;	    /* nothing of the innermost container was read yet */
};

/* A string as it stands in the text, without its quotes, escapes not yet undone. */
struct json_text {
	const char *at;
	size_t len;
	bool escaped;
};

void json_begin(struct json_scan *scan, const char *text, size_t len);

/* What begins here: one of { [ " 0 (a number) t f n; 0 at an error or the end. White space before
 * it is passed. */
char json_kind(struct json_scan *scan);

/* Passes the opening bracket. A value of another kind is an error. */
bool json_enter(struct json_scan *scan, char bracket);
/* Moves to the value of the next member or to the next element; false where the container has
 * ended, which is passed, or at an error. The value must then be read or skipped. */
bool json_member(struct json_scan *scan, struct json_text *key);
bool json_element(struct json_scan *scan);

/* A value of the kind. One of another kind is skipped: false, without an error. */
bool json_text(struct json_scan *scan, struct json_text *text);
bool json_number(struct json_scan *scan, double *number);
bool json_bool(struct json_scan *scan, bool *value);
void json_skip(struct json_scan *scan);

/* Whether the string is this word; one with escapes is none. Most keys are another one from the
 * first byte on, and there are a dozen words for each. */
static inline bool json_is(const struct json_text *text, const char *word)
{
	size_t i;

	for (i = 0; i < text->len; i++)
		if (!word[i] || text->at[i] != word[i])
			return false;
	return !word[i];
}

/*
 * Appends the string with its escapes undone, as UTF-8 and in at most max bytes, cut between
 * characters. U+0000, a lone surrogate and invalid UTF-8 become U+FFFD.
 */
void json_add_text(struct str *out, const struct json_text *text, size_t max);

#endif
