/* SPDX-License-Identifier: GPL-2.0-only */
/* Does this kernel have the tracepoints and the fields that a check file names? */
#include "base/banned.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/str.h"
#include "base/suggest.h"
#include "trace/event_fields.h"
#include "trace/event_format.h"
#include "trace/since.h"
#include "trace/lookup.h"
#include "trace/spec.h"
#include "trace/tracefs.h"

/* Of the greatest subsystem, syscalls, half of these. */
#define NAMES_MAX 2048

struct tracefs_names {
	char *list[NAMES_MAX];
	size_t n;
};

/* The folders of a folder below tracefs. */
static void tracefs_names_read(struct tracefs_names *names, int tracefs, const char *path)
{
	int fd = openat(tracefs, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
	const struct dirent *entry;

	names->n = 0;
	if (!dir) {
		if (fd >= 0)
			close(fd);
		return;
	}
	while (names->n < NAMES_MAX && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			names->list[names->n++] = mem_strdup(entry->d_name);
	closedir(dir);
}

static void tracefs_names_free(struct tracefs_names *names)
{
	while (names->n)
		free(names->list[--names->n]);
	free(names);
}

static bool event_is_there(int tracefs, const char *subsystem, const char *event)
{
	char *path = mem_printf("events/%s/%s/format", subsystem, event);
	bool is_there = !faccessat(tracefs, path, F_OK, AT_EACCESS);

	free(path);
	return is_there;
}

/* The tracepoint that was meant by one that is not there. */
static enum trace_lookup lookup_missing(int tracefs, const char *name, struct str *why)
{
	char *subsystem = mem_strndup(name, strcspn(name, ":")), *path;
	const char *event = name + strlen(subsystem) + 1, *near;
	struct tracefs_names *names = mem_zalloc(sizeof(*names));
	enum trace_lookup found = LOOKUP_WRONG;

	path = mem_printf("events/%s", subsystem);
	tracefs_names_read(names, tracefs, path);
	str_addf(why, "this kernel has no tracepoint %s", name);
	if (names->n) {
		near = suggest(event, (const char *const *)names->list, names->n);
		if (near)
			str_addf(why, "; did you mean '%s:%s'?", subsystem, near);
	} else {
		tracefs_names_read(names, tracefs, "events");
		near = suggest(subsystem, (const char *const *)names->list, names->n);
		if (near && event_is_there(tracefs, near, event)) {
			str_addf(why, "; did you mean '%s:%s'?", near, event);
		} else {
			str_add(why, ": is it of a module that is not loaded?");
			found = LOOKUP_UNKNOWN;
		}
	}
	tracefs_names_free(names);
	free(path);
	free(subsystem);
	return found;
}

static enum trace_lookup lookup_format(
	int tracefs, const char *event, struct event_format *format, struct str *why)
{
	struct str text = STR_INIT;
	int err = tracefs_format(tracefs, event, &text);
	enum trace_lookup found = LOOKUP_RIGHT;

	if (err == -ENOENT) {
		found = lookup_missing(tracefs, event, why);
	} else if (err || event_format_parse(format, str_text(&text), text.len)) {
		str_addf(why, "the format of tracepoint %s cannot be read", event);
		found = LOOKUP_UNKNOWN;
	}
	str_free(&text);
	return found;
}

/* Whether the kernel is older than the one that a trace is for. */
static bool kernel_is_too_old(const struct trace_spec *spec)
{
	unsigned int major, minor;

	return spec->since && sscanf(spec->since, "%u.%u", &major, &minor) == 2 &&
		kernel_is_before(major, minor);
}

enum trace_lookup trace_spec_lookup(int tracefs, const struct trace_spec *spec, struct str *why)
{
	const char *first = spec->event ? spec->event : spec->begin;
	struct event_format begin = {0}, end = {0};
	enum trace_lookup found = LOOKUP_RIGHT;
	struct declared declared;

	if (!first || kernel_is_too_old(spec))
		return LOOKUP_RIGHT;
	found = lookup_format(tracefs, first, &begin, why);
	if (found == LOOKUP_RIGHT && spec->end)
		found = lookup_format(tracefs, spec->end, &end, why);
	if (found == LOOKUP_RIGHT &&
		declared_compile(spec, &begin, spec->end ? &end : NULL, &declared, why))
		found = LOOKUP_WRONG;
	event_format_free(&begin);
	event_format_free(&end);
	return found;
}
