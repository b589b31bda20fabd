/* SPDX-License-Identifier: GPL-2.0-only */
/* Which tracepoints does this kernel have, and what do they say? */
#include "base/banned.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/str.h"
#include "sys/caps.h"
#include "tools/sources/internal.h"
#include "trace/event_format.h"
#include "trace/tracefs.h"

#define WITH_FIELDS 12 /* as many are shown with their fields */
#define EVENTS_MAX 20000

struct events {
	const char *pattern;
	char **list;
	size_t n, room;
};

static int events_by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The entries of a directory of tracefs, without files. Returns NULL where it cannot be read. */
static DIR *events_open(int dir, const char *path)
{
	int fd = openat(dir, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	DIR *opened = fd < 0 ? NULL : fdopendir(fd);

	if (fd >= 0 && !opened)
		close(fd);
	return opened;
}

static void events_of_subsystem(struct events *events, int dir, const char *subsystem)
{
	char *path = mem_printf("events/%s", subsystem);
	DIR *opened = events_open(dir, path);
	struct dirent *entry;

	while (opened && events->n < EVENTS_MAX && (entry = readdir(opened))) {
		char *name;

		if (*entry->d_name == '.' || entry->d_type != DT_DIR)
			continue;
		name = mem_printf("%s:%s", subsystem, entry->d_name);
		if (!sources_match(name, events->pattern)) {
			free(name);
			continue;
		}
		ARRAY_GROW(events->list, events->n, events->room);
		events->list[events->n++] = name;
	}
	if (opened)
		closedir(opened);
	free(path);
}

static int events_find(struct events *events, int dir)
{
	DIR *opened = events_open(dir, "events");
	struct dirent *entry;
	int err = opened ? 0 : -errno;

	while (opened && (entry = readdir(opened)))
		if (*entry->d_name != '.' && entry->d_type == DT_DIR)
			events_of_subsystem(events, dir, entry->d_name);
	if (opened)
		closedir(opened);
	if (events->n)
		qsort(events->list, events->n, sizeof(*events->list), events_by_name);
	return err;
}

/* What the kernel says of each field that a trace can name; the first eight bytes are its own. */
static void events_print_fields(int dir, const char *event)
{
	struct event_format format = {0};
	struct str text = STR_INIT, line = STR_INIT;
	size_t i;

	if (!tracefs_format(dir, event, &text) &&
		!event_format_parse(&format, str_text(&text), text.len))
		for (i = 0; i < format.n; i++) {
			const struct event_field *field = &format.fields[i];

			if (field->offset < 8)
				continue;
			str_clear(&line);
			escape_terminal(&line, field->name);
			str_add(&line, "  ");
			escape_terminal(&line, field->type);
			printf("  %s, %u bytes\n", str_text(&line), field->size);
		}
	event_format_free(&format);
	str_free(&text);
	str_free(&line);
}

static void events_print(struct events *events, int dir)
{
	struct str line = STR_INIT;
	size_t i;

	for (i = 0; i < events->n; i++) {
		str_clear(&line);
		escape_terminal(&line, events->list[i]);
		puts(str_text(&line));
		if (events->n <= WITH_FIELDS)
			events_print_fields(dir, events->list[i]);
		free(events->list[i]);
	}
	if (events->n > WITH_FIELDS)
		printf("# %zu tracepoints; with %d or fewer their fields are shown too\n",
			events->n, WITH_FIELDS);
	free(events->list);
	str_free(&line);
}

int sources_print_tracepoints(const char *program, const char *pattern)
{
	struct events events = {.pattern = pattern};
	int dir, err;

	caps_raise(CAPS_NAMESPACE | CAPS_READ);
	dir = tracefs_open();
	err = dir < 0 ? dir : events_find(&events, dir);
	if (!err)
		events_print(&events, dir);
	caps_lower(CAPS_NAMESPACE | CAPS_READ);
	if (dir >= 0)
		close(dir);
	if (err)
		fprintf(stderr, "%s: tracepoints cannot be read (%s): run as root\n", program,
			strerror(-err));
	return err ? err : (int)events.n;
}
