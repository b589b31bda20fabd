/* SPDX-License-Identifier: GPL-2.0-only */
/* Which numbers does limits.ini name, and is each of them there once? */
#include "base/banned.h"

#include "base/diag.h"
#include "base/ini_numbers.h"
#include "tools/gpu/limits.h"
#include "base/str.h"

extern const char gpu_limits_ini[], gpu_limits_ini_end[];

#define KEY(section, key) INI_NUMBER(struct gpu_limits, section, key)

static const struct ini_number limits_keys[] = {
	KEY(enough, samples),
	KEY(enough, windows),
	KEY(lost, maybe),
	KEY(lost, unknown),
	KEY(odd, bad_end_flags),
	KEY(odd, saturated),
	KEY(stall, good),
	KEY(stall, much),
	KEY(name, reason),
	KEY(name, instruction),
	KEY(name, other),
};

int gpu_limits_read(struct gpu_limits *limits, const char *file, const char *text, size_t len,
	struct complaints *complaints)
{
	return ini_numbers_read(
		limits, limits_keys, ARRAY_SIZE(limits_keys), file, text, len, complaints);
}

void gpu_limits_default(struct gpu_limits *limits)
{
	struct complaints none = {0};

	*limits = (struct gpu_limits){0};
	gpu_limits_read(limits, "limits.ini", gpu_limits_ini,
		(size_t)(gpu_limits_ini_end - gpu_limits_ini), &none);
}
