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

static int skip_note_found(void *arg, const char *path, const char *star)
{
	(void)path;
	(void)star;
	*(bool *)arg = true;
	return 1;
}

static bool path_is_there(struct capture *fs, const char *path)
{
	bool found = false;

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

char *judge_why_skipped(const struct check *check, struct capture *fs, bool *unknown)
{
	char *path, *why = applies_not(check, fs, unknown);

	if (why)
		return why;
	path = missing_need(check, fs);
	if (path) {
		size_t first = strcspn(path, "|");

		why = path[first]
			? mem_printf("no %.*s or %s here", (int)first, path, path + first + 1)
			: mem_printf("no %s here", path);
	}
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
