/* SPDX-License-Identifier: GPL-2.0-only */
/* Which numbers has limits.ini? */
#include "base/banned.h"

#include "base/diag.h"
#include "base/ini_numbers.h"
#include "base/str.h"
#include "tools/queue/limits.h"

extern const char queue_limits_ini[], queue_limits_ini_end[];

static const struct ini_number limits_keys[] = {
	INI_NUMBER(struct queue_limits, trust, differs),
	INI_NUMBER(struct queue_limits, trust, least),
};

void queue_limits_default(struct queue_limits *limits)
{
	struct complaints none = {0};

	*limits = (struct queue_limits){0};
	ini_numbers_read(limits, limits_keys, ARRAY_SIZE(limits_keys), "limits.ini",
		queue_limits_ini, (size_t)(queue_limits_ini_end - queue_limits_ini), &none);
}
