/* SPDX-License-Identifier: GPL-2.0-only */
/* Which sources are linked into this program? */
#include "sample/source.h"

/* Weak, since a program without any source (a unit test) has no such section. */
extern const struct source *const __start_tuesday_sources[] __attribute__((weak));
extern const struct source *const __stop_tuesday_sources[] __attribute__((weak));

void source_each(void (*each)(void *arg, const struct source *source), void *arg)
{
	const struct source *const *at;

	for (at = __start_tuesday_sources; at < __stop_tuesday_sources; at++)
		each(arg, *at);
}

const struct source *source_find(const char *name)
{
	const struct source *const *at;

	if (*name == '/')
		name = "path";
	for (at = __start_tuesday_sources; at < __stop_tuesday_sources; at++)
		if (!strcmp((*at)->name, name))
			return *at;
	return NULL;
}
