/* SPDX-License-Identifier: GPL-2.0-only */
/* Is what a check is about here at all? */
#include "base/banned.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "capture/capture.h"
#include "check/applies.h"
#include "check/check.h"
#include "judge/skip.h"
#include "capture/glob.h"
#include "report/report.h"
#include "sources/common/value_files.h"

static int skip_note_found(void *arg, const char *path, const char *star)
{
	(void)path;
	(void)star;
	*(bool *)arg = true;
	return 1;
}

/* PATH[=WORD]: the word is in the file, the chosen one where one is in brackets. */
static bool word_is_there(struct capture *fs, const char *path, const char *bracket)
{
	char *file = mem_strndup(path, (size_t)(bracket - path));
	char *word = mem_strndup(bracket + 2, strcspn(bracket + 2, "]"));
	struct bytes text;
	bool found = false;

	if (!capture_read_once(fs, file, &text))
		parse_chosen_word(text, word, &found);
	free(file);
	free(word);
	return found;
}

static bool path_is_there(struct capture *fs, const char *path)
{
	const char *bracket = strstr(path, "[=");
	bool found = false;

	if (bracket)
		return word_is_there(fs, path, bracket);
	if (!strchr(path, '*'))
		return capture_exists(fs, path);
	capture_glob(fs, path, skip_note_found, &found);
	return found;
}

/* One of several paths with | between them is enough. */
static bool skip_need_is_there(struct capture *fs, const char *paths)
{
	bool found = false;

	while (*paths && !found) {
		size_t len = strcspn(paths, "|");
		char *path = mem_strndup(paths, len);

		found = path_is_there(fs, path);
		free(path);
		paths += len + (paths[len] == '|');
	}
	return found;
}

/* The first needed path that is not there, or NULL. The caller frees. */
static char *missing_need(const struct check *check, struct capture *fs)
{
	const char *at = check->needs ? check->needs : "";

	for (;;) {
		size_t len;
		char *path;

		at += strspn(at, " \t");
		len = strcspn(at, " \t");
		if (!len)
			return NULL;
		path = mem_strndup(at, len);
		if (!skip_need_is_there(fs, path))
			return path;
		free(path);
		at += len;
	}
}

/* "no /proc/x or /proc/y here", "no dctcp in /proc/x" */
static char *say_missing_need(const char *path)
{
	size_t first = strcspn(path, "|");
	const char *bracket = strstr(path, "[="), *last = strrchr(path, '|');

	if (bracket && bracket < path + first)
		return mem_printf("no %.*s in %.*s", (int)strcspn(bracket + 2, "]"), bracket + 2,
			(int)(bracket - path), path);
	if (last && last > path + first)
		return mem_printf("no %.*s … %s here", (int)first, path, last + 1);
	if (last)
		return mem_printf("no %.*s or %s here", (int)first, path, last + 1);
	return mem_printf("no %s here", path);
}

char *judge_why_skipped(const struct check *check, struct capture *fs, bool *unknown)
{
	char *path, *why = applies_not(check, fs, unknown);

	if (why)
		return why;
	path = missing_need(check, fs);
	if (path)
		why = say_missing_need(path);
	free(path);
	return why;
}

void judge_skip(
	const struct check *check, const char *why, bool unknown, struct check_result *result)
{
	*result = (struct check_result){
		.check = check,
		.verdict = unknown ? VERDICT_UNKNOWN : VERDICT_SKIP,
		.reason = mem_strdup(why),
		.summary = mem_strdup(why),
	};
}
