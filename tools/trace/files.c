/* SPDX-License-Identifier: GPL-2.0-only */
/* Which events do files have? */
#include "base/banned.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/str.h"
#include "heatmap/input.h"
#include "sys/opener.h"
#include "tools/trace/files.h"
#include "tools/trace/record.h"

#define COLUMN_NS 1000000000

static int files_complain(const struct trace_options *asked, const char *path, const char *what)
{
	char *shown = escape_path(path);

	fprintf(stderr, "%s: %s: %s\n", asked->program, shown, what);
	free(shown);
	return -EINVAL;
}

static void files_event(void *arg, uint64_t at_ns, uint64_t latency_ns, const char *name)
{
	struct trace_slow event = {.at_ns = at_ns, .latency_ns = latency_ns};

	snprintf(event.who, sizeof(event.who), "%s", name);
	trace_record_keep(arg, &event);
}

static const char *files_why(const struct trace_options *asked, int err, const struct str *why)
{
	if (err == -EINTR)
		return "interrupted";
	if (why->len)
		return str_text(why);
	if (err == -ENODATA && asked->begin)
		return "no thread in it has both events: expected the text of `perf script`";
	if (err == -ENODATA)
		return "it has no events: expected lines like \"12.5 0.003\", perf script text, "
		       "or cells";
	return strerror(-err);
}

static int files_read_one(const struct trace_options *asked, const char *path,
	struct heatmap_input *input, struct heatmap *map)
{
	const bool is_stdin = !strcmp(path, "-");
	const int fd = is_stdin ? STDIN_FILENO : opener_open(AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
	struct str why = STR_INIT;
	int err = fd;

	if (fd >= 0)
		err = heatmap_input_read(input, map, fd, &why);
	if (fd >= 0 && !is_stdin)
		close(fd);
	if (!err && asked->merge && input->format != HEATMAP_FORMAT_CELLS) {
		str_add(&why, "these are not cells, which --cells writes");
		err = -EINVAL;
	}
	if (err)
		files_complain(asked, path, files_why(asked, err, &why));
	str_free(&why);
	return err;
}

static struct heatmap_input files_input(const struct trace_options *asked, uint64_t column_ns)
{
	return (struct heatmap_input){
		.period_ns = column_ns,
		.column_ns = column_ns,
		.time_unit_ns = asked->time_unit_ns,
		.latency_unit_ns = asked->latency_unit_ns,
		.begin = asked->begin,
		.end = asked->end,
		.doing = "reading",
	};
}

static uint64_t files_column(const struct trace_options *asked)
{
	return asked->column_seconds > 0 ? (uint64_t)(asked->column_seconds * 1e9 + 0.5)
					 : COLUMN_NS;
}

int trace_files_read(struct trace_record *record, const struct trace_options *asked)
{
	struct heatmap_input input = files_input(asked, files_column(asked));
	struct str why = STR_INIT;
	int err = 0;

	record->column_ns = input.column_ns;
	input.each = files_event;
	input.arg = record;
	for (size_t i = 0; i < asked->common.n_names && !err; i++) {
		struct heatmap more = {0};

		err = files_read_one(
			asked, asked->common.names[i], &input, i ? &more : &record->map);
		record->unread += input.unread;
		if (i && !err && heatmap_merge(&record->map, &more, &why))
			err = files_complain(asked, asked->common.names[i], str_text(&why));
		heatmap_free(&more);
	}
	record->is_counted = record->map.kind == HEATMAP_OFFSET;
	if (record->is_counted)
		record->n_slowest = 0;
	str_free(&why);
	return err;
}

int trace_files_before(
	struct heatmap *before, const struct heatmap *map, const struct trace_options *asked)
{
	struct heatmap_input input = files_input(asked, map->column_ns);
	int err = files_read_one(asked, asked->compare, &input, before);

	if (!err &&
		(before->kind != map->kind || before->rows != map->rows ||
			before->column_ns != map->column_ns))
		err = files_complain(asked, asked->compare,
			"it is another kind of map, or has columns of a different length "
			"(--column)");
	return err;
}
