/* SPDX-License-Identifier: GPL-2.0-only */
/* What did the administrator say about how long things are kept? */
#include "base/banned.h"

#include <errno.h>
#include <stdio.h>

#include "base/diag.h"
#include "base/escape.h"
#include "base/ini.h"
#include "check/site.h"
#include "history/retention.h"
#include "base/num.h"
#include "base/str.h"
#include "sys/caller_env.h"
#include "sys/file_trust.h"

#define FILE_NAME "/etc/tuesday/history.ini"
#define DAYS_MAX 3650
#define BYTES_MAX ((uint64_t)1 << 40)

struct retention retention_default(void)
{
	return (struct retention){
		.keep_seconds = 90 * 86400.0,
		.max_bytes = 64 << 20,
		.damping = {.rise_k = 2, .rise_n = 3, .fall_n = 3},
		.remind_seconds = 12 * 3600.0,
		.digest_minute = 8 * 60,
	};
}

static int take_days(struct retention *retention, const char *value)
{
	uint64_t days;

	if (num_u64(value, 1, DAYS_MAX, &days))
		return -EINVAL;
	retention->keep_seconds = (double)days * 86400;
	return 0;
}

static int retention_take_size(struct retention *retention, const char *value)
{
	double bytes;
	int n = num_with_unit(value, &bytes);

	if (n < 0 || value[n] || bytes < 1 << 20 || bytes > (double)BYTES_MAX)
		return -EINVAL;
	retention->max_bytes = (uint64_t)bytes;
	return 0;
}

static int take_rise(struct retention *retention, const char *value)
{
	unsigned int k, n;
	int end = 0;

	if (sscanf(value, "%1u/%1u%n", &k, &n, &end) != 2 || value[end] || !k || k > n ||
		n > DAMP_RUNS)
		return -EINVAL;
	retention->damping.rise_k = k;
	retention->damping.rise_n = n;
	return 0;
}

static int take_fall(struct retention *retention, const char *value)
{
	uint64_t n;

	if (num_u64(value, 1, DAMP_RUNS, &n))
		return -EINVAL;
	retention->damping.fall_n = (unsigned int)n;
	return 0;
}

static int take_remind(struct retention *retention, const char *value)
{
	double seconds;
	int n = num_with_unit(value, &seconds);

	if (n < 0 || value[n] || seconds < 60 || seconds > 366 * 86400.0)
		return -EINVAL;
	retention->remind_seconds = seconds;
	return 0;
}

static int take_digest(struct retention *retention, const char *value)
{
	unsigned int hour, minute;
	int end = 0;

	if (!strcmp(value, "no")) {
		retention->digest_minute = -1;
		return 0;
	}
	if (sscanf(value, "%2u:%2u%n", &hour, &minute, &end) != 2 || value[end] || hour > 23 ||
		minute > 59)
		return -EINVAL;
	retention->digest_minute = (int)(hour * 60 + minute);
	return 0;
}

static const struct {
	const char *section, *key, *wanted;
	int (*take)(struct retention *retention, const char *value);
} keys[] = {
	{"history", "days", "a whole number of days from 1 to 3650", take_days},
	{"history", "size", "a size from 1M to 1T", retention_take_size},
	{"cron", "rise", "K/N, K of the last N runs, N at most 8", take_rise},
	{"cron", "fall", "a number of runs from 1 to 8", take_fall},
	{"cron", "remind", "a time from 60s to 366d", take_remind},
	{"cron", "digest", "a time of day, HH:MM, or no", take_digest},
};

static void retention_take_entry(struct retention *retention, const struct ini_entry *entry,
	const char *file, struct complaints *complaints)
{
	bool section = false;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(keys); i++) {
		if (strcmp(keys[i].section, entry->section) != 0)
			continue;
		section = true;
		if (!*entry->key)
			return;
		if (strcmp(keys[i].key, entry->key) != 0)
			continue;
		if (keys[i].take(retention, entry->value))
			complain(complaints, file, entry->line, "%s: '%s' is not %s", entry->key,
				entry->value, keys[i].wanted);
		return;
	}
	if (section)
		complain(complaints, file, entry->line, "[%s] has no key '%s'", entry->section,
			entry->key);
	else if (!*entry->key)
		complain(complaints, file, entry->line,
			"there is no section [%s]; known are [history] and [cron]", entry->section);
}

static bool retention_is_section(const char *section)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(keys); i++)
		if (!strcmp(keys[i].section, section))
			return true;
	return false;
}

int retention_parse_part(struct retention *retention, const char *file, const char *text,
	size_t len, struct str *errors)
{
	struct complaints unsaid = {0}, complaints = {.out = errors};
	struct inifile *ini = inifile_parse(file, text, len, &unsaid);
	size_t i;

	for (i = 0; ini && i < inifile_count(ini); i++)
		if (retention_is_section(inifile_entry(ini, i)->section))
			retention_take_entry(retention, inifile_entry(ini, i), file, &complaints);
	inifile_free(ini);
	return complaints.n ? -EINVAL : 0;
}

int retention_parse(struct retention *retention, const char *file, const char *text, size_t len,
	struct str *errors)
{
	struct complaints complaints = {.out = errors};
	struct inifile *ini = inifile_parse(file, text, len, &complaints);
	size_t i;

	for (i = 0; ini && i < inifile_count(ini); i++)
		retention_take_entry(retention, inifile_entry(ini, i), file, &complaints);
	inifile_free(ini);
	return complaints.n ? -EINVAL : 0;
}

/* What it says could have the whole history forgotten, and all news kept from people. */
static bool retention_is_obeyed(const char *path)
{
	struct str why = STR_INIT, message = STR_INIT;
	struct complaints complaints = {.out = &message};
	bool obeyed = obeyed_file(path, &why);

	if (!obeyed) {
		complain(&complaints, path, 0, "not obeyed: %s", str_text(&why));
		fputs(str_text(&message), stderr);
	}
	str_free(&message);
	str_free(&why);
	return obeyed;
}

/* Whoever wrote a file that is there may want more to be kept than who wrote none. */
static void retention_keep_all(struct retention *retention, const char *path, int err)
{
	char *shown = escape_path(path);

	fprintf(stderr, "tuesday: %s: %s: the history forgets nothing this time\n", shown,
		strerror(err));
	free(shown);
	retention->keep_seconds = DAYS_MAX * 86400.0;
	retention->max_bytes = BYTES_MAX;
}

/* What stands in the main file of the machine, of which site_load says what else is wrong. */
static void retention_take_site(struct retention *retention)
{
	const char *path = caller_env("TUESDAY_INI");
	struct str text = STR_INIT, errors = STR_INIT, why = STR_INIT;
	static bool said; /* a run loads it more than once */

	path = path && *path ? path : SITE_FILE;
	if (obeyed_file(path, &why) && !site_read(path, &text) &&
		retention_parse_part(retention, path, str_text(&text), text.len, &errors)) {
		fputs(said ? "" : str_text(&errors), stderr);
		said = true;
	}
	str_free(&text);
	str_free(&errors);
	str_free(&why);
}

struct retention retention_load(void)
{
	struct retention retention = retention_default();
	const char *path = caller_env("TUESDAY_HISTORY_INI");
	char buf[INIFILE_MAX_BYTES / 16];
	struct str errors = STR_INIT;
	FILE *file;
	size_t len;

	retention_take_site(&retention);
	path = path && *path ? path : FILE_NAME;
	if (!retention_is_obeyed(path))
		return retention;
	file = fopen(path, "re");
	if (!file) {
		/* One that is closed to a user is not about the history of his own. */
		if (errno != ENOENT && errno != ENOTDIR && errno != EACCES)
			retention_keep_all(&retention, path, errno);
		return retention;
	}
	len = fread(buf, 1, sizeof(buf), file);
	if (ferror(file))
		retention_keep_all(&retention, path, errno);
	fclose(file);
	if (retention_parse(&retention, path, buf, len, &errors))
		fputs(str_text(&errors), stderr);
	str_free(&errors);
	return retention;
}
