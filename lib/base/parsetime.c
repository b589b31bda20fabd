/* SPDX-License-Identifier: GPL-2.0-only */
/* Which time does a person mean? */
#include "base/banned.h"

#include <errno.h>
#include <stdio.h>

#include "base/parsetime.h"
#include "base/num.h"
#include "base/str.h"

#define LONGEST_AGO (100 * 366 * 86400.0)

/* The start of the day that is so many days after that of a time; days of 23 and 25 hours are
 * days. */
static time_t day_of(time_t time, int days)
{
	struct tm tm;

	if (!localtime_r(&time, &tm))
		return time;
	tm.tm_mday += days;
	tm.tm_hour = tm.tm_min = tm.tm_sec = 0;
	tm.tm_isdst = -1;
	return mktime(&tm);
}

static int one_day(time_t start, time_t *from, time_t *to)
{
	*from = start;
	*to = day_of(start, 1) - 1;
	return 0;
}

static int parse_clock_time(const char *text, struct tm *tm, int *seconds_given)
{
	unsigned int hour, minute, second = 0;
	int end = 0;

	*seconds_given = 0;
	if (sscanf(text, "%2u:%2u%n", &hour, &minute, &end) != 2 || !end)
		return -EINVAL;
	if (text[end] == ':') {
		int more = 0;

		if (sscanf(text + end, ":%2u%n", &second, &more) != 1)
			return -EINVAL;
		end += more;
		*seconds_given = 1;
	}
	if (text[end] || hour > 23 || minute > 59 || second > 59)
		return -EINVAL;
	tm->tm_hour = (int)hour;
	tm->tm_min = (int)minute;
	tm->tm_sec = (int)second;
	return 0;
}

static int parse_date(const char *text, time_t *from, time_t *to)
{
	unsigned int year, month, day;
	int end = 0, seconds;
	struct tm tm = {.tm_isdst = -1}, check;
	time_t start;

	if (sscanf(text, "%4u-%2u-%2u%n", &year, &month, &day, &end) != 3 || year < 1970 ||
		!month || month > 12 || !day || day > 31)
		return -EINVAL;
	tm.tm_year = (int)year - 1900;
	tm.tm_mon = (int)month - 1;
	tm.tm_mday = (int)day;
	check = tm;
	start = mktime(&check);
	if (check.tm_mday != (int)day)
		return -EINVAL; /* the 31st of November */
	if (!text[end])
		return one_day(start, from, to);
	if ((text[end] != ' ' && text[end] != 'T') ||
		parse_clock_time(text + end + 1, &tm, &seconds))
		return -EINVAL;
	*from = mktime(&tm);
	*to = *from + (seconds ? 0 : 59);
	return 0;
}

/* The last one there was. */
static int parse_today(const char *text, time_t now, time_t *from, time_t *to)
{
	struct tm tm;
	int seconds;

	if (!localtime_r(&now, &tm) || parse_clock_time(text, &tm, &seconds))
		return -EINVAL;
	tm.tm_isdst = -1;
	*from = mktime(&tm);
	if (*from > now) {
		tm.tm_mday--;
		tm.tm_isdst = -1;
		*from = mktime(&tm);
	}
	*to = *from + (seconds ? 0 : 59);
	return 0;
}

static int parse_ago(const char *text, time_t now, time_t *from, time_t *to)
{
	double seconds;
	int n = num_with_unit(text, &seconds);

	/* A number alone is the number of a run. */
	if (n < 2 || text[n] || !strchr("smhdn", text[n - 1]) || seconds > LONGEST_AGO)
		return -EINVAL;
	*from = now - (time_t)seconds;
	*to = now;
	return 0;
}

int parsetime(const char *text, time_t now, time_t *from, time_t *to)
{
	char *word;
	size_t len = strlen(text);
	int err;

	if (!strcmp(text, "now")) {
		*from = *to = now;
		return 0;
	}
	if (!strcmp(text, "today"))
		return one_day(day_of(now, 0), from, to);
	if (!strcmp(text, "yesterday"))
		return one_day(day_of(now, -1), from, to);
	if (!parse_date(text, from, to) || !parse_today(text, now, from, to))
		return 0;
	/* "90m" is what people say; the unit is min. */
	word = len > 1 && text[len - 1] == 'm' ? mem_printf("%sin", text) : mem_strdup(text);
	err = parse_ago(word, now, from, to);
	free(word);
	return err;
}
