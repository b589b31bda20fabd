/* SPDX-License-Identifier: GPL-2.0-only */
/* Which TCP connections are there in this sample? */
#include "base/banned.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/str.h"
#include "capture/capture.h"
#include "capture/recording.h"
#include "capture/sockdiag.h"
#include "sample/sink.h"
#include "sources/common/parse_text.h"
#include "sources/common/value_files.h"
#include "sources/net/tcp_connections.h"

/* How many were told of, in a sample in which that was not all. */
#define CUT_BLOB "tcp-connections-cut"

struct connection_table {
	struct tcp_connections shared;
	struct sock_waiting *list;
	size_t room;
	struct capture_identity moment;
	bool is_taken;
	int fd; /* negative: -errno */
	bool asks_congestion;
};

static void connections_add(void *arg, const struct sock_waiting *waiting)
{
	struct connection_table *table = arg;

	ARRAY_GROW(table->list, table->shared.n, table->room);
	table->list[table->shared.n++] = *waiting;
}

static void connections_release(void *object)
{
	struct connection_table *table = object;

	if (table->fd >= 0)
		close(table->fd);
	free(table->list);
	free(table);
}

/* What this kernel does not have nobody uses, and each answer would be longer for nothing. */
static bool connections_may_be_dctcp(struct capture *fs)
{
	bool paused = capture_pause_recording(fs, true), found = false;
	struct bytes text;

	if (!capture_read_once(fs, "/proc/sys/net/ipv4/tcp_available_congestion_control", &text))
		parse_chosen_word(text, "dctcp", &found);
	capture_pause_recording(fs, paused);
	return found;
}

static struct connection_table *connections_shared(struct capture *fs)
{
	static const char key[] = "tcp connections";
	struct connection_table *table = capture_attached(fs, key);

	if (table)
		return table;
	table = mem_zalloc(sizeof(*table));
	table->fd = sockdiag_open();
	table->asks_congestion = connections_may_be_dctcp(fs);
	capture_attach(fs, key, table, connections_release);
	return table;
}

/* What the kernel would still say belongs to this question: the next one needs another socket. */
static void connections_note_cut(struct capture *fs, struct connection_table *table)
{
	char text[24];
	int len = snprintf(text, sizeof(text), "%zu\n", table->shared.n);

	capture_put_blob(fs, CUT_BLOB, text, (size_t)len);
	close(table->fd);
	table->fd = sockdiag_open();
	table->shared.err = 0;
}

const struct tcp_connections *tcpconnections_get(struct capture *fs)
{
	struct connection_table *table = connections_shared(fs);
	struct capture_identity now = capture_identity(fs);

	if (table->is_taken && table->moment.sample == now.sample)
		return &table->shared;
	table->is_taken = true;
	table->moment = now;
	table->shared.n = 0;
	table->shared.err = table->fd < 0
		? table->fd
		: sockdiag_waiting(table->fd, table->asks_congestion, connections_add, table);
	table->shared.cut = table->shared.err == -EMSGSIZE && table->shared.n;
	if (table->shared.cut)
		connections_note_cut(fs, table);
	if (table->shared.err)
		table->shared.n = 0;
	table->shared.list = table->list;
	return &table->shared;
}

void tcpconnections_say_cut(struct capture *fs, struct sink *sink)
{
	struct bytes text, line;
	double n;

	if (!capture_get_blob(fs, CUT_BLOB, &text) && text_any_line(&text, &line) &&
		text_next_number(&line, &n))
		sink_missing(sink,
			"there are more TCP connections than %.0f: the rest was not looked at", n);
}
