/* SPDX-License-Identifier: GPL-2.0-only */
/* Is this name one of those that a person means? */
#include "base/banned.h"

#include "base/str.h"
#include "flame/pattern.h"
#include "flame/tree.h"

/* The end of an alternative: its '|', or the end of all. */
static const char *pattern_end(const char *at)
{
	while (*at && *at != '|')
		at += *at == '\\' && at[1] ? 2 : 1;
	return at;
}

/* Whether the pattern from at to end matches from name on, or anywhere behind; where last is set,
 * to its end. A star goes as far as it has to: of several only the last one is tried again. */
static bool pattern_here(
	const char *at, const char *end, const char *name, bool anywhere, bool last)
{
	const char *star = anywhere ? at : NULL, *star_name = name;

	for (;;) {
		if (at < end && *at == '*') {
			star = ++at;
			star_name = name;
			continue;
		}
		if (at == end && (!last || !*name))
			return true;
		if (at < end && *name) {
			const char *want = *at == '\\' && at + 1 < end ? at + 1 : at;

			if (*want == *name) {
				at = want + 1;
				name++;
				continue;
			}
		}
		if (!star || !*star_name)
			return false;
		at = star;
		name = ++star_name;
	}
}

static bool pattern_one(const char *at, const char *end, const char *name)
{
	const bool first = at < end && *at == '^';
	const bool last = end - at > first && end[-1] == '$' && (end - at < 2 || end[-2] != '\\');

	at += first;
	end -= last;
	return pattern_here(at, end, name, !first, last);
}

bool flame_pattern_matches(const char *pattern, const char *name)
{
	for (;;) {
		const char *end = pattern_end(pattern);

		if (pattern_one(pattern, end, name))
			return true;
		if (!*end)
			return false;
		pattern = end + 1;
	}
}

bool *flame_pattern_names(const struct flame_tree *tree, const char *pattern)
{
	const size_t n = flame_names_count(tree);
	bool *matches;

	if (!pattern)
		return NULL;
	matches = mem_zalloc(n * sizeof(*matches));
	for (size_t i = 0; i < n; i++)
		matches[i] = flame_pattern_matches(pattern, flame_name_text(tree, (uint32_t)i));
	return matches;
}
