/* SPDX-License-Identifier: GPL-2.0-only */
/* Which TCP connections are there in this sample? */
#include "base/banned.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/str.h"
#include "capture/capture.h"
#include "capture/sockdiag.h"
#include "sources/net/tcp_connections.h"

struct connection_table {
	struct tcp_connections shared;
	struct sock_waiting *list;
	size_t room;
	struct capture_identity moment;
	bool is_taken;
	int fd; /* negative: -errno */
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

static struct connection_table *connections_shared(struct capture *fs)
{
	static const char key[] = "tcp connections";
	struct connection_table *table = capture_attached(fs, key);

	if (table)
		return table;
	table = mem_zalloc(sizeof(*table));
	table->fd = sockdiag_open();
	capture_attach(fs, key, table, connections_release);
	return table;
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
	table->shared.err =
		table->fd < 0 ? table->fd : sockdiag_waiting(table->fd, connections_add, table);
	if (table->shared.err)
		table->shared.n = 0;
	table->shared.list = table->list;
	return &table->shared;
}
