/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Was ftrace told to watch something, and forgotten? tracefs keeps what was switched on until
 * somebody switches it off, whether or not he is still there.
 *
 * Instances of buffers are "main" and the names below instances/, with the fields events_on (1 for
 * each line of set_event) and written, how many events went into it while any was on or a tracer
 * ran. Instances of probes are their names, with uprobe_hits or kprobe_hits. "none" has 0 hits.
 */
#include "base/banned.h"

#include <errno.h>
#include <stdio.h>

#include "base/str.h"
#include "capture/capture.h"
#include "capture/list.h"
#include "sample/sink.h"
#include "sample/source.h"
#include "sources/common/parse_text.h"
#include "sources/common/value_files.h"
#include "sources/kernel/ftrace.h"

#define PROBES_MAX 256
#define BUFFERS_MAX 64

static const char *const roots[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};

/* "  FILE NAME HITS" of uprobes, "  NAME HITS MISSES" of kprobes: the last word that is no number
 * is the name, and what follows it the hits. */
static bool ftrace_parse_probe(struct bytes line, struct bytes *name, double *hits)
{
	struct bytes word;
	bool any = false;
	double value;

	name->len = 0;
	while (text_word(&line, &word)) {
		if (text_number(word, &value)) {
			if (!any && name->len)
				*hits = value;
			any |= name->len != 0;
		} else {
			*name = word;
			any = false;
		}
	}
	return any;
}

void parse_probe_profile(struct bytes text, struct sink *sink, const char *field)
{
	struct bytes line, name;
	char instance[64];
	double hits = 0;
	size_t n = 0;

	while (text_line(&text, &line)) {
		if (!ftrace_parse_probe(line, &name, &hits) ||
			!text_copy(name, instance, sizeof(instance)))
			continue;
		if (n++ == PROBES_MAX) {
			sink_missing(sink, "tracefs has more probes than are read, %d", PROBES_MAX);
			return;
		}
		sink_put(sink, instance, field, hits);
	}
}

double parse_buffer_stats(struct bytes text)
{
	static const char *const fields[] = {"entries: ", "overrun: ", "read events: "};
	struct bytes line;
	double sum = 0, value;
	size_t i;

	while (text_line(&text, &line)) {
		for (i = 0; i < ARRAY_SIZE(fields); i++) {
			if (!text_starts(line, fields[i]))
				continue;
			line.data += strlen(fields[i]);
			line.len -= strlen(fields[i]);
			sum += text_next_number(&line, &value) ? value : 0;
			break;
		}
	}
	return sum;
}

/* What was written to a buffer before something was switched on in it is not of this run. */
struct ftrace_buffer {
	char name[256];
	bool known, on; /* in the sample before */
	double before;	/* what it had then */
	double written;
};

struct ftrace {
	struct ftrace_buffer buffers[BUFFERS_MAX];
	size_t n;

	/* Of this sample. */
	struct capture *fs;
	struct sink *sink;
	const char *root;
	char buffer[300]; /* the directory that is read, below the root; "" for the main one */
	double sum;
};

static int ftrace_read_file(struct ftrace *ftrace, const char *file, struct bytes *text)
{
	char *path = mem_printf("%s%s/%s", ftrace->root, ftrace->buffer, file);
	int err;

	err = capture_read_once(ftrace->fs, path, text);
	free(path);
	return err;
}

static int ftrace_add_cpu(void *arg, const char *name)
{
	struct ftrace *ftrace = arg;
	struct bytes text;
	char file[300];

	snprintf(file, sizeof(file), "per_cpu/%s/stats", name);
	if (!ftrace_read_file(ftrace, file, &text))
		ftrace->sum += parse_buffer_stats(text);
	return 0;
}

static void ftrace_list(
	struct ftrace *ftrace, const char *below, int (*found)(void *arg, const char *name))
{
	char *path = mem_printf("%s%s/%s", ftrace->root, ftrace->buffer, below);

	capture_list_directories(ftrace->fs, path, found, ftrace);
	free(path);
}

static bool ftrace_tracer_runs(struct ftrace *ftrace)
{
	struct bytes text;
	bool off;

	return !ftrace_read_file(ftrace, "current_tracer", &text) &&
		parse_chosen_word(text, "nop", &off) && !off;
}

static struct ftrace_buffer *ftrace_buffer_of(struct ftrace *ftrace, const char *name)
{
	struct ftrace_buffer *buffer;
	size_t i;

	for (i = 0; i < ftrace->n; i++)
		if (!strcmp(ftrace->buffers[i].name, name))
			return &ftrace->buffers[i];
	if (i == BUFFERS_MAX)
		return NULL;
	buffer = &ftrace->buffers[ftrace->n++];
	snprintf(buffer->name, sizeof(buffer->name), "%s", name);
	return buffer;
}

/* Reads how much was written, which is asked only where something is on. */
static void ftrace_count_written(struct ftrace *ftrace, struct ftrace_buffer *buffer, bool on)
{
	if (on) {
		ftrace->sum = 0;
		ftrace_list(ftrace, "per_cpu", ftrace_add_cpu);
		if (buffer->known && !buffer->on)
			buffer->before = ftrace->sum - buffer->written;
		buffer->written = ftrace->sum - buffer->before;
	}
	buffer->on = on;
	buffer->known = true;
}

static int ftrace_put_buffer(struct ftrace *ftrace, const char *name)
{
	struct ftrace_buffer *buffer;
	struct bytes text, line;
	size_t on = 0;
	int err = ftrace_read_file(ftrace, "set_event", &text);

	if (err)
		return err;
	buffer = ftrace_buffer_of(ftrace, name);
	if (!buffer) {
		sink_missing(
			ftrace->sink, "tracefs has more instances than are read, %d", BUFFERS_MAX);
		return -E2BIG;
	}
	while (text_line(&text, &line))
		on += line.len != 0;
	sink_put(ftrace->sink, name, "events_on", (double)on);
	ftrace_count_written(ftrace, buffer, on || ftrace_tracer_runs(ftrace));
	sink_put(ftrace->sink, name, "written", buffer->written);
	return 0;
}

static int ftrace_put_instance(void *arg, const char *name)
{
	struct ftrace *ftrace = arg;

	snprintf(ftrace->buffer, sizeof(ftrace->buffer), "/instances/%s", name);
	return ftrace_put_buffer(ftrace, name) == -E2BIG;
}

static void ftrace_put_probes(struct ftrace *ftrace, const char *file, const char *field)
{
	struct bytes text;

	if (!ftrace_read_file(ftrace, file, &text))
		parse_probe_profile(text, ftrace->sink, field);
	sink_put(ftrace->sink, "none", field, 0);
}

static int open_ftrace(struct capture *fs, void **state)
{
	(void)fs;
	*state = mem_zalloc(sizeof(struct ftrace));
	return 0;
}

static int read_ftrace(struct capture *fs, void *state, struct sink *sink)
{
	struct ftrace *ftrace = state;
	int err = -ENOENT;
	size_t i;

	ftrace->fs = fs;
	ftrace->sink = sink;
	*ftrace->buffer = 0;
	for (i = 0; i < ARRAY_SIZE(roots) && err == -ENOENT; i++) {
		ftrace->root = roots[i];
		err = ftrace_put_buffer(ftrace, "main");
	}
	if (err == -ENOENT)
		sink_absent(sink, "tracefs is not mounted");
	else if (err)
		sink_missing(sink, "what ftrace was told needs the right to read tracefs: %s",
			strerror(-err));
	if (err)
		return err == -ENOENT ? 0 : err;
	ftrace_put_probes(ftrace, "uprobe_profile", "uprobe_hits");
	ftrace_put_probes(ftrace, "kprobe_profile", "kprobe_hits");
	ftrace_list(ftrace, "instances", ftrace_put_instance);
	return 0;
}

static void close_ftrace(void *state)
{
	free(state);
}

SOURCE(ftrace) = {
	.name = "ftrace",
	.what = "events and probes of tracefs that are switched on, and how often they come",
	.open = open_ftrace,
	.read = read_ftrace,
	.close = close_ftrace,
};
