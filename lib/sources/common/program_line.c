/* SPDX-License-Identifier: GPL-2.0-only */
/* What does a command line say of its program? */
#include "base/banned.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/num.h"
#include "sources/common/program_line.h"

enum { WORDS = 3 }; /* "ruby", "bundle", "exec": what it is comes soon */

/* Of a word that is the name, a path to it, or begins with it as titles do: what stands behind the
 * name. NULL for any other. */
static const char *programline_behind(const char *word, size_t len, const char *program)
{
	size_t first = strcspn(word, " :"), n = strlen(program);
	const char *slash = memrchr(word, '/', first < len ? first : len);

	if (slash) {
		len -= (size_t)(slash + 1 - word);
		word = slash + 1;
	}
	if (len < n || memcmp(word, program, n) != 0)
		return NULL;
	return len == n || word[n] == ' ' || word[n] == ':' ? word + n : NULL;
}

/* The first word that names the program, and in *behind what stands behind the name. */
static const char *programline_find(
	const char *line, size_t len, const char *program, const char **behind)
{
	const char *end = line + len;
	size_t i;

	for (i = 0; i < WORDS && line < end; i++) {
		size_t n = strnlen(line, (size_t)(end - line));

		*behind = programline_behind(line, n, program);
		if (*behind)
			return line + n;
		line += n + 1;
	}
	return NULL;
}

bool programline_is(const char *line, size_t len, const char *program)
{
	const char *behind;

	return programline_find(line, len, program, &behind) != NULL;
}

bool programline_is_worker(const char *line, size_t len, const char *program)
{
	const char *behind, *end = programline_find(line, len, program, &behind);

	return end && behind < end && *behind == ':';
}

static bool programline_take_version(
	const char *at, const char *end, const char *stops, char version[PROGRAM_VERSION_BYTES])
{
	size_t len = 0;

	while (at + len < end && (isalnum((unsigned char)at[len]) || strchr("+.~_-", at[len])))
		len++;
	if (!len || len >= PROGRAM_VERSION_BYTES || !isdigit((unsigned char)*at) ||
		(at + len < end && !strchr(stops, at[len])))
		return false;
	memcpy(version, at, len);
	version[len] = 0;
	return true;
}

bool programline_version(
	const char *line, size_t len, const char *program, char version[PROGRAM_VERSION_BYTES])
{
	const char *behind, *end = programline_find(line, len, program, &behind);

	return end && behind < end && *behind == ' ' &&
		programline_take_version(behind + 1, end, " ", version);
}

bool programline_path_version(
	const char *path, size_t len, const char *program, char version[PROGRAM_VERSION_BYTES])
{
	const char *end = path + len, *at = path;
	size_t n = strlen(program);

	while (at < end) {
		const char *slash = memchr(at, '/', (size_t)(end - at));
		const char *stop = slash ? slash : end;

		if ((size_t)(stop - at) > n + 1 && !memcmp(at, program, n) && at[n] == '-' &&
			programline_take_version(at + n + 1, stop, "", version))
			return true;
		at = slash ? slash + 1 : end;
	}
	return false;
}

double programline_number(const char *version)
{
	const char *at = version, *end = version + strlen(version);
	uint64_t major = 0, minor = 0;

	if (num_next(&at, end, &major))
		return NAN;
	if (at + 1 < end && *at == '.' && isdigit((unsigned char)at[1])) {
		at++;
		if (num_next(&at, end, &minor) || minor > 999)
			minor = 999;
	}
	return (double)major + (double)minor / 1000;
}
