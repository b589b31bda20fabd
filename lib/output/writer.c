/* SPDX-License-Identifier: GPL-2.0-only */
/* Which formats are there, and which exit status does a reader of each expect? */
#include "base/banned.h"
#include "base/str.h"
#include "output/writer.h"

extern const struct writer *const __start_tuesday_writers[] __attribute__((weak));
extern const struct writer *const __stop_tuesday_writers[] __attribute__((weak));

void writer_each(void (*each)(void *arg, const struct writer *writer), void *arg)
{
	const struct writer *const *at;

	for (at = __start_tuesday_writers; at < __stop_tuesday_writers; at++)
		each(arg, *at);
}

const struct writer *writer_find(const char *name)
{
	const struct writer *const *at;

	for (at = __start_tuesday_writers; at < __stop_tuesday_writers; at++)
		if (!strcmp((*at)->name, name))
			return *at;
	return NULL;
}

int writer_exit_status(const char *name, enum verdict verdict)
{
	const struct writer *writer = writer_find(name);

	return writer && writer->exit_status ? writer->exit_status(verdict)
					     : verdict_exit_status(verdict);
}

const char *metric_label(const struct check_result *check, const struct metric_result *metric)
{
	bool is_other = check->check->foreign && metric->label && *metric->label;

	return is_other ? metric->label : metric->metric->name;
}
