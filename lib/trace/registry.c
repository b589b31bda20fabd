/* SPDX-License-Identifier: GPL-2.0-only */
/* Which tracers are linked into this program, and how much room does each get? */
#include "base/banned.h"

#include <errno.h>
#include <string.h>

#include "base/str.h"
#include "trace/registry.h"

#define STANDS_IN "___"

/* Weak, since a program without any tracer has no such section. */
extern const struct tracer *const __start_tuesday_tracers[] __attribute__((weak));
extern const struct tracer *const __stop_tuesday_tracers[] __attribute__((weak));

const struct tracer *tracer_find(const char *name)
{
	const struct tracer *const *at;

	for (at = __start_tuesday_tracers; at < __stop_tuesday_tracers; at++)
		if (!strcmp((*at)->name, name))
			return *at;
	return NULL;
}

const struct tracer *tracer_instead(const struct tracer *tracer)
{
	size_t len = strlen(tracer->name);
	const struct tracer *const *at;

	for (at = __start_tuesday_tracers; at < __stop_tuesday_tracers; at++)
		if (!strncmp((*at)->name, tracer->name, len) &&
			!strncmp((*at)->name + len, STANDS_IN, strlen(STANDS_IN)))
			return *at;
	return NULL;
}

size_t tracer_names(const char **names, size_t room)
{
	const struct tracer *const *at;
	size_t n = 0;

	for (at = __start_tuesday_tracers; at < __stop_tuesday_tracers && n < room; at++)
		if (!strstr((*at)->name, STANDS_IN))
			names[n++] = (*at)->name;
	return n;
}

/* What a tracer says of itself. A check file asks for each of its metrics, and its tracer is one.
 */
static const struct tracer_info *tracer_info_of(const struct tracer *tracer)
{
	static const struct tracer *described;
	static struct tracer_info known;
	int err;

	if (tracer == described)
		return &known;
	err = tracer->describe(&known);
	if (err == -ENOMEM)
		out_of_memory(sizeof(known));
	described = err ? NULL : tracer;
	return err ? NULL : &known;
}

size_t tracer_fields(
	const struct tracer *tracer, struct tracer_info *info, const char **names, size_t room)
{
	const struct tracer_info *known = tracer_info_of(tracer);
	char *at, *save = NULL;
	size_t n = 0;

	if (!known)
		return 0;
	*info = *known;
	for (at = strtok_r(info->fields, " ", &save); at && n < room;
		at = strtok_r(NULL, " ", &save))
		names[n++] = *at == '#' ? at + 1 : at;
	return n;
}

bool tracer_keeps_budget(const struct tracer *tracer)
{
	const struct tracer_info *known = tracer_info_of(tracer);

	return known && known->keeps_budget;
}

unsigned int tracer_since(const struct tracer *tracer)
{
	const struct tracer_info *known = tracer_info_of(tracer);

	return known ? known->since : 0;
}

/* Of a list of names that are separated by blanks: one at least. */
static __u32 registry_count_fields(const char *fields)
{
	__u32 n = 1;

	for (; *fields; fields++)
		n += *fields == ' ';
	return n;
}

struct tracer_rows tracer_rows(const struct tracer_setup *setup, const struct tracer_info *info)
{
	bool by = setup->by || info->instances != INSTANCE_NONE;
	unsigned int limit = by ? TRACE_INSTANCE_CPUS : TRACE_CPUS;
	struct tracer_rows rows = {.hists = 1, .rows = 1, .destinations = 1};

	rows.cpus = setup->cpus < limit ? setup->cpus : limit;
	if (by)
		rows.rows = TRACE_INSTANCES * rows.cpus;
	else
		rows.hists = rows.cpus;
	/* Many names, and some that have no room: a name has one row or none, and never a part. */
	if (setup->params.others)
		rows.cpus = 1;
	if (*info->fields) {
		/* Many numbers and few events: all CPUs share a row. */
		rows.cpus = 1;
		rows.rows = TRACE_INSTANCES * registry_count_fields(info->fields);
	}
	if (info->instances == INSTANCE_DESTINATION)
		rows.destinations = TRACE_INSTANCES;
	return rows;
}
