/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How many System V shared memory segments, semaphore arrays and message queues are there, in this
 * IPC namespace? The columns are found by their names in the first line.
 */
#include "base/banned.h"
#include "sources/common/parse_text.h"
#include "sample/sink.h"
#include "sources/kernel/sysvipc.h"
#include "sample/source.h"

static int sysvipc_column_of(struct bytes line, const char *name)
{
	struct bytes word;
	int i;

	for (i = 0; text_word(&line, &word); i++)
		if (text_is(word, name))
			return i;
	return -1;
}

static bool number_at(struct bytes line, int column, double *out)
{
	struct bytes word;
	int i;

	for (i = 0; text_word(&line, &word); i++)
		if (i == column)
			return text_number(word, out) && *out >= 0;
	return false;
}

void parse_sysvipc(struct bytes text, struct sink *sink, const char *count, const char *sum,
	const char *column)
{
	struct bytes line;
	double n = 0, total = 0, value;
	int at;

	if (!text_line(&text, &line))
		return;
	at = sysvipc_column_of(line, column);
	if (at < 0)
		return;
	while (text_line(&text, &line)) {
		if (!number_at(line, at, &value))
			continue;
		n++;
		total += value;
	}
	sink_put(sink, "", count, n);
	sink_put(sink, "", sum, total);
}

static int read_sysvipc(struct capture *fs, void *state, struct sink *sink)
{
	static const struct {
		const char *path, *count, *sum, *column;
	} files[] = {
		{"/proc/sysvipc/shm", "shm.segments", "shm.bytes", "size"},
		{"/proc/sysvipc/sem", "sem.arrays", "sem.semaphores", "nsems"},
		{"/proc/sysvipc/msg", "msg.queues", "msg.bytes", "cbytes"},
	};
	struct bytes text;
	int err = 0;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(files) / sizeof(files[0]) && !err; i++) {
		err = capture_read(fs, files[i].path, &text);
		if (!err)
			parse_sysvipc(text, sink, files[i].count, files[i].sum, files[i].column);
	}
	if (err)
		sink_missing(sink, "/proc/sysvipc: %s", strerror(-err));
	return err;
}

SOURCE(sysvipc) = {
	.name = "sysvipc",
	.what = "/proc/sysvipc: shared memory segments, semaphores and message queues",
	.read = read_sysvipc,
};
