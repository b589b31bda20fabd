/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How much of a request's time is its device's own, where the device is made of others? Instances
 * are whole devices of device-mapper, md, bcache and DRBD; fields are those of /proc/diskstats, and
 * the same with below_ in front: the sum over the devices right beneath, by sysfs. 0 is below one
 * that is made of nothing (dm-error, a DRBD that has lost its disk).
 */
#include "base/banned.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>

#include "sources/common/parse_text.h"
#include "base/str.h"
#include "sample/instances.h"
#include "sample/sink.h"
#include "base/culprit.h"
#include "capture/list.h"
#include "sources/block/stacked.h"
#include "sample/source.h"

#define NAME_BYTES 64

enum { READS, READ_MS, WRITES, WRITE_MS, FIELDS };

static const struct {
	const char *field, *below;
	int column; /* of /proc/diskstats, behind the name */
} columns[FIELDS] = {
	[READS] = {"reads", "below_reads", 0},
	[READ_MS] = {"read_ms", "below_read_ms", 3},
	[WRITES] = {"writes", "below_writes", 4},
	[WRITE_MS] = {"write_ms", "below_write_ms", 7},
};

struct stacked_row {
	char name[NAME_BYTES];
	double value[FIELDS];
};

/* A device, and whether it is made of others: then of which, separated by blanks. */
struct stacked_device {
	char name[NAME_BYTES];
	char label[NAME_BYTES + 160];
	bool stacked;
	struct str beneath;
};

struct stacked {
	struct instances *names; /* as numbered in list */
	struct stacked_device *list;
	size_t n, room;
};

struct stacked_rows {
	struct stacked_row *list;
	size_t n, room;
};

static const char *stacked_class(const char *name)
{
	static const char *const by_name[][2] = {{"dm-[0-9]*", "dm"}, {"md[0-9_]*", "md"},
		{"bcache[0-9]*", "bcache"}, {"drbd[0-9]*", "drbd"}};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(by_name); i++)
		if (!fnmatch(by_name[i][0], name, 0))
			return by_name[i][1];
	return NULL;
}

static bool stacked_parse_row(struct bytes line, struct stacked_row *row)
{
	double number;
	struct bytes word;
	int column, i = 0;

	if (!text_next_number(&line, &number) || !text_next_number(&line, &number) ||
		!text_word(&line, &word) || !text_copy(word, row->name, sizeof(row->name)))
		return false;
	for (column = 0; i < FIELDS && text_next_number(&line, &number); column++)
		if (column == columns[i].column)
			row->value[i++] = number;
	return i == FIELDS;
}

static int stacked_compare_rows(const void *a, const void *b)
{
	return strcmp(((const struct stacked_row *)a)->name, ((const struct stacked_row *)b)->name);
}

static void stacked_parse_rows(struct bytes text, struct stacked_rows *rows)
{
	struct stacked_row row;
	struct bytes line;

	while (text_line(&text, &line)) {
		if (!stacked_parse_row(line, &row))
			continue;
		ARRAY_GROW(rows->list, rows->n, rows->room);
		rows->list[rows->n++] = row;
	}
	if (rows->n)
		qsort(rows->list, rows->n, sizeof(*rows->list), stacked_compare_rows);
}

/* Adds up what the devices did whose names are in beneath. */
static void stacked_add_beneath(
	const struct stacked_rows *rows, struct bytes beneath, double sum[FIELDS])
{
	struct stacked_row key = {0};
	const struct stacked_row *row;
	struct bytes word;
	int i;

	while (text_word(&beneath, &word)) {
		if (!text_copy(word, key.name, sizeof(key.name)))
			continue;
		row = bsearch(&key, rows->list, rows->n, sizeof(*rows->list), stacked_compare_rows);
		for (i = 0; row && i < FIELDS; i++)
			sum[i] += row->value[i];
	}
}

static void stacked_put_row(struct sink *sink, const struct stacked_rows *rows,
	const struct stacked_row *row, struct bytes beneath)
{
	double sum[FIELDS] = {0};
	int i;

	stacked_add_beneath(rows, beneath, sum);
	for (i = 0; i < FIELDS; i++) {
		sink_put(sink, row->name, columns[i].field, row->value[i]);
		sink_put(sink, row->name, columns[i].below, sum[i]);
	}
}

void parse_stacked(struct bytes text, struct sink *sink,
	bool (*beneath)(void *arg, const char *device, struct bytes *names), void *arg)
{
	struct stacked_rows rows = {0};
	bool any = false;
	struct bytes names;
	size_t i;

	stacked_parse_rows(text, &rows);
	for (i = 0; i < rows.n; i++) {
		if (!stacked_class(rows.list[i].name) || !beneath(arg, rows.list[i].name, &names))
			continue;
		stacked_put_row(sink, &rows, &rows.list[i], names);
		any = true;
	}
	if (!any)
		sink_none(sink);
	free(rows.list);
}

/* sysfs has '!' where a name has '/'. */
static int stacked_add_name(void *arg, const char *name)
{
	struct str *beneath = arg;
	const char *at;

	if (beneath->len)
		str_addc(beneath, ' ');
	for (at = name; *at; at++)
		str_addc(beneath, *at == '!' ? '/' : *at);
	return 0;
}

/* "dm-0 (vg-root)": people know a device of device-mapper by its other name. */
static void stacked_know_label(struct capture *fs, struct stacked_device *device)
{
	char path[128], name[144];
	struct bytes text, line;

	snprintf(path, sizeof(path), "/sys/block/%s/dm/name", device->name);
	if (!capture_read(fs, path, &text) && text_any_line(&text, &line) &&
		text_copy(line, name, sizeof(name)))
		snprintf(device->label, sizeof(device->label), "%s (%s)", device->name, name);
}

struct stacked_look {
	struct capture *fs;
	struct stacked *stacked;
};

/* What is beneath a device is asked once: a partition has nothing of the kind. */
static struct stacked_device *stacked_device_of(struct stacked_look *look, const char *name)
{
	struct stacked *stacked = look->stacked;
	struct stacked_device *device;
	char path[128];
	size_t i = instances_intern(stacked->names, name);

	if (i < stacked->n)
		return &stacked->list[i];
	ARRAY_GROW(stacked->list, stacked->n, stacked->room);
	device = &stacked->list[stacked->n++];
	memset(device, 0, sizeof(*device));
	snprintf(device->name, sizeof(device->name), "%s", name);
	snprintf(path, sizeof(path), "/sys/block/%s/slaves", name);
	device->stacked = !capture_list(look->fs, path, stacked_add_name, &device->beneath);
	if (device->stacked)
		stacked_know_label(look->fs, device);
	return device;
}

static bool stacked_beneath(void *arg, const char *name, struct bytes *names)
{
	struct stacked_device *device = stacked_device_of(arg, name);

	*names = (struct bytes){str_text(&device->beneath), device->beneath.len};
	return device->stacked;
}

static int open_stacked(struct capture *fs, void **state)
{
	struct stacked *stacked = mem_zalloc(sizeof(*stacked));

	(void)fs;
	stacked->names = instances_new();
	*state = stacked;
	return 0;
}

static void close_stacked(void *state)
{
	struct stacked *stacked = state;
	size_t i;

	for (i = 0; i < stacked->n; i++)
		str_free(&stacked->list[i].beneath);
	free(stacked->list);
	instances_free(stacked->names);
	free(stacked);
}

static int read_stacked(struct capture *fs, void *state, struct sink *sink)
{
	struct stacked_look look = {fs, state};
	struct bytes text;
	int err = capture_read(fs, "/proc/diskstats", &text);
	size_t i;

	if (err == -ENOENT) {
		sink_absent(sink, "no /proc/diskstats here");
		return 0;
	}
	if (err) {
		sink_missing(sink, "/proc/diskstats: %s", strerror(-err));
		return err;
	}
	parse_stacked(text, sink, stacked_beneath, &look);
	for (i = 0; i < look.stacked->n; i++)
		if (*look.stacked->list[i].label)
			sink_label(sink, look.stacked->list[i].name, look.stacked->list[i].label);
	return 0;
}

static const char *stacked_class_of(struct capture *fs, void *state, const char *name)
{
	(void)fs;
	(void)state;
	return stacked_class(name);
}

SOURCE(stacked) = {
	.name = "stacked",
	.what = "disks that are made of others: what they did, and what those beneath did",
	.open = open_stacked,
	.read = read_stacked,
	.close = close_stacked,
	.class_of = stacked_class_of,
	.culprit = source_device_culprit,
};
