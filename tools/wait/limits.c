/* SPDX-License-Identifier: GPL-2.0-only */
/* Which numbers has limits.ini? */
#include "base/banned.h"

#include "base/diag.h"
#include "base/ini_numbers.h"
#include "base/str.h"
#include "tools/wait/limits.h"

extern const char wait_limits_ini[], wait_limits_ini_end[];

#define KEY(section, key) INI_NUMBER(struct wait_limits, section, key)

static const struct ini_number limits_keys[] = {
	KEY(told, busy),
	KEY(told, part),
	KEY(told, party),
	KEY(told, function),
	KEY(nothing, calls),
	KEY(nothing, share),
	KEY(children, count),
	KEY(children, life),
	KEY(small, count),
	KEY(small, wait),
	KEY(disk, behind),
	KEY(disk, seen),
	KEY(rare, times),
	KEY(rare, time),
	KEY(rare, count),
	KEY(rare, least),
	KEY(trust, residue),
	KEY(trust, ticks),
	KEY(trust, lost),
};

void wait_limits_default(struct wait_limits *limits)
{
	struct complaints none = {0};

	*limits = (struct wait_limits){0};
	ini_numbers_read(limits, limits_keys, ARRAY_SIZE(limits_keys), "limits.ini",
		wait_limits_ini, (size_t)(wait_limits_ini_end - wait_limits_ini), &none);
}
