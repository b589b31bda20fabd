/* SPDX-License-Identifier: GPL-2.0-only */
/* How is a time said? */
#include "base/banned.h"

#include <stdio.h>

#include "base/str.h"
#include "base/unit.h"
#include "tools/keepalive/seconds.h"

const char *answer_seconds(char *buf, size_t size, double seconds)
{
	struct str text = STR_INIT;

	value_for_people(&text, seconds, UNIT_SECONDS);
	snprintf(buf, size, "%s", str_text(&text));
	str_free(&text);
	return buf;
}
