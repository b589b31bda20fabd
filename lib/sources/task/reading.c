/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How much do programs read, whatever the kernel fetches from disks for that?
 *
 * The counters of a disk have the size of its requests in them: half as many of twice the size may
 * be the same work, or read-ahead that nobody wants. What system calls gave to those who read from
 * disks is the work; that of a process counts from one sample to the next only if something was
 * fetched for it meanwhile, so that whoever reads what is in memory is left out.
 *
 * Instances are processes, "PID@START". A file of /proc is read for each process and sample, so
 * this is for experiments.
 */
#include "base/banned.h"

#include <errno.h>
#include <linux/types.h>
#include <stdio.h>

#include "base/hash.h"
#include "base/number_map.h"
#include "base/str.h"
#include "bpf/iter/task.h"
#include "capture/capture.h"
#include "sample/sink.h"
#include "sample/source.h"
#include "sources/common/parse_text.h"
#include "sources/task/reading.h"
#include "sources/task/task.h"

bool parse_process_io(struct bytes text, struct reading *out)
{
	bool calls = false, disk = false;
	struct bytes line, name;

	while (text_line(&text, &line)) {
		if (!text_word(&line, &name))
			continue;
		if (text_is(name, "rchar:"))
			calls = text_next_number(&line, &out->by_calls);
		else if (text_is(name, "read_bytes:"))
			disk = text_next_number(&line, &out->from_disk);
	}
	return calls && disk;
}

struct reader {
	struct reading last;
	double counted; /* of by_calls */
};

struct readers {
	void *threads;		  /* of task_each */
	struct number_map places; /* in list, by process and start */
	struct reader *list;
	size_t n, room;
};

static int open_reading(struct capture *fs, void **state)
{
	struct readers *readers = mem_zalloc(sizeof(*readers));

	*state = readers;
	return task_open(fs, &readers->threads);
}

static void close_reading(void *state)
{
	struct readers *readers = state;

	number_map_free(&readers->places);
	free(readers->list);
	free(readers);
}

/* What has been counted of it by now. */
static double reading_count(
	struct readers *readers, const struct task_record *task, const struct reading *now)
{
	const uint64_t key[2] = {task->tgid, task->start};
	struct reader *reader;
	size_t at = readers->n;

	if (number_map_add(&readers->places, hash_keyed(key, sizeof(key)), at)) {
		ARRAY_GROW(readers->list, readers->n, readers->room);
		readers->list[readers->n++] = (struct reader){.last = *now};
	} else {
		number_map_get(&readers->places, hash_keyed(key, sizeof(key)), &at);
	}
	reader = &readers->list[at];
	if (now->from_disk > reader->last.from_disk)
		reader->counted += now->by_calls - reader->last.by_calls;
	reader->last = *now;
	return reader->counted;
}

struct reading_walk {
	struct readers *readers;
	struct capture *fs;
	struct sink *sink;
	size_t seen, refused;
};

/* What we read ourselves is no work of the machine. */
static void reading_take(void *arg, const struct task_record *task)
{
	struct reading_walk *walk = arg;
	struct task_instance instance = task_instance_of(task);
	struct reading reading;
	struct bytes text;
	char path[48];
	int err;

	if (task->tid != task->tgid || task->has & TASK_HAS_READ_THIS)
		return;
	snprintf(path, sizeof(path), "/proc/%u/io", task->tgid);
	err = capture_read_hidden(walk->fs, path, &text);
	walk->refused += err == -EACCES;
	walk->seen += !err;
	if (err || !parse_process_io(text, &reading) || !(reading.from_disk > 0))
		return;
	sink_put(walk->sink, instance.name, "call_bytes",
		reading_count(walk->readers, task, &reading));
}

static int read_reading(struct capture *fs, void *state, struct sink *sink)
{
	struct readers *readers = state;
	struct reading_walk walk = {.readers = readers, .fs = fs, .sink = sink};
	int err = task_each(fs, readers->threads, sink, reading_take, &walk);

	if (err)
		sink_missing(sink, "processes: %s", strerror(-err));
	else if (walk.refused)
		sink_missing(sink,
			"what other users' processes read needs CAP_SYS_PTRACE (run as root)");
	else if (!walk.seen)
		sink_missing(sink,
			"/proc/PID/io: this kernel does not count it (CONFIG_TASK_IO_ACCOUNTING)");
	return err;
}

SOURCE(reading) = {
	.name = "reading",
	.what = "how much processes read by their calls, while something is fetched from disks for "
		"them",
	.open = open_reading,
	.read = read_reading,
	.close = close_reading,
	.fleeting = true,
};
