/* SPDX-License-Identifier: GPL-2.0-only */
/* How is a time said, to people and to programs? */
#include "base/banned.h"

#include <stdlib.h>
#include <string.h>

#include "base/datetime.h"
#include "base/str.h"

char *format_since(time_t time, time_t now)
{
	struct tm then, today;
	char text[64];

	if (!localtime_r(&time, &then) || !localtime_r(&now, &today))
		return mem_strdup("the last run");
	if (!strftime(text, sizeof(text),
		    then.tm_yday == today.tm_yday && then.tm_year == today.tm_year
			    ? "%H:%M"
			    : "%Y-%m-%d %H:%M",
		    &then))
		return mem_strdup("the last run");
	return mem_strdup(text);
}

bool datetime_utc(char text[DATETIME_UTC_SIZE], time_t time)
{
	struct tm utc;

	return gmtime_r(&time, &utc) &&
		strftime(text, DATETIME_UTC_SIZE, "%Y-%m-%dT%H:%M:%SZ", &utc);
}
