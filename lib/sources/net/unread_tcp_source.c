/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What lies unread before the servers of this network namespace?
 *
 * Asked of the kernel by netlink, as anybody may. A connection that nobody has accepted has its
 * request in the kernel too. One look costs a third of a millisecond, and 1 us more for each
 * connection.
 */
#include <errno.h>
#include <unistd.h>

#include "base/num.h"
#include "capture/capture.h"
#include "capture/sockdiag.h"
#include "sources/net/socket_owner.h"
#include "sample/source.h"
#include "base/str.h"
#include "sources/net/unread_tcp.h"
#include "sample/sink.h"
#include "base/culprit.h"

#define BLOB "unread"

struct unread_state {
	int fd; /* negative: -errno */
	struct unread seen;
};

static int unread_open(struct procfs *fs, void **out)
{
	struct unread_state *state = mem_zalloc(sizeof(*state));

	state->fd = procfs_is_live(fs) ? sockdiag_open() : -EOPNOTSUPP;
	*out = state;
	return 0;
}

static void unread_close(void *arg)
{
	struct unread_state *state = arg;

	if (!state)
		return;
	if (state->fd >= 0)
		close(state->fd);
	unread_free(&state->seen);
	free(state);
}

static void gather(void *arg, const struct sock_waiting *waiting)
{
	if (!waiting->listens)
		unread_add(arg, waiting);
	else if (waiting->local_port)
		unread_add_server(arg, waiting->local_port, waiting->inode);
}

static void put(struct procfs *fs, struct sink *sink, const struct unread_server *server)
{
	char name[16];

	snprintf(name, sizeof(name), ":%u", server->port);
	sink_put(sink, name, "connections", server->connections);
	sink_put(sink, name, "unread", server->unread);
	sink_put(sink, name, "oldest_ms", server->oldest_ms);
	sink_put(sink, name, "overtaken", server->overtaken);
	if (!server->has_passed)
		return;
	sockowner_put(fs, sink, name, server->inode, server->passed != 0);
	sink_put(sink, name, "passed", server->passed);
	sink_put(sink, name, "passed_ms", server->passed_ms);
}

/* Live and replayed samples go the same way: through the text. */
static int put_all(struct procfs *fs, struct unread_state *state, struct sink *sink,
	const char *text, size_t len)
{
	size_t i;
	int err;

	unread_free(&state->seen);
	err = unread_parse(&state->seen, text, len);
	if (err)
		return err;
	if (!state->seen.n)
		sink_none(sink);
	for (i = 0; i < state->seen.n; i++)
		put(fs, sink, &state->seen.list[i]);
	return 0;
}

static int unread_read(struct procfs *fs, void *arg, struct sink *sink)
{
	struct unread_state *state = arg;
	struct unread table = {0};
	struct str text = STR_INIT;
	struct bytes recorded;
	int err;

	if (procfs_is_replay(fs)) {
		err = procfs_get_blob(fs, BLOB, &recorded);
		if (err == -ENOENT)
			sink_missing(sink,
				"the recording does not say what lay unread: an older "
				"Tuesday made it, or one of other checks");
		return err ? err : put_all(fs, state, sink, recorded.data, recorded.len);
	}
	err = state->fd < 0 ? state->fd : sockdiag_waiting(state->fd, gather, &table);
	if (err) {
		sink_missing(sink, "connections cannot be listed: %s", strerror(-err));
		unread_free(&table);
		return err;
	}
	unread_count(&table);
	unread_write(&text, &table);
	procfs_put_blob(fs, BLOB, str_text(&text), text.len);
	err = put_all(fs, state, sink, str_text(&text), text.len);
	unread_free(&table);
	str_free(&text);
	return err;
}

static bool unread_culprit(struct procfs *fs, void *arg, const char *instance, struct culprit *out)
{
	const struct unread_state *state = arg;
	const struct unread_server *server = NULL;
	uint64_t port;

	if (*instance == ':' && !num_u64(instance + 1, 1, UINT16_MAX, &port))
		server = unread_find(&state->seen, (uint16_t)port);
	return server && sockowner_find(fs, server->inode, out);
}

SOURCE(unread) = {
	.name = "unread",
	.what = "requests before the servers of this network namespace, unread or not answered, by "
		"port",
	.open = unread_open,
	.read = unread_read,
	.close = unread_close,
	.culprit = unread_culprit,
	.fleeting = true,
};
