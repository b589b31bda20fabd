/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How many connections to the Unix sockets of this network namespace does nobody read?
 *
 * Asked of the kernel by netlink, as anybody may. It has no times of them, so this says that
 * something lies unread and not for how long. Those that nobody has accepted are counted as unread.
 */
#include <errno.h>
#include <unistd.h>

#include "capture/capture.h"
#include "capture/sockdiag.h"
#include "sources/net/socket_owner.h"
#include "sample/source.h"
#include "base/str.h"
#include "sources/net/unread_unix.h"
#include "sample/sink.h"
#include "base/culprit.h"

#define BLOB "unread-unix"

struct unreadunix_state {
	int fd; /* negative: -errno */
	struct unreadunix seen;
};

static int unreadunix_open(struct procfs *fs, void **out)
{
	struct unreadunix_state *state = mem_zalloc(sizeof(*state));

	state->fd = procfs_is_live(fs) ? sockdiag_open() : -EOPNOTSUPP;
	*out = state;
	return 0;
}

static void unreadunix_close(void *arg)
{
	struct unreadunix_state *state = arg;

	if (!state)
		return;
	if (state->fd >= 0)
		close(state->fd);
	unreadunix_free(&state->seen);
	free(state);
}

static void gather_listener(void *arg, const struct sock_listener *listener)
{
	unreadunix_add_server(arg, listener->address, listener->inode, listener->backlog);
}

static void gather_waiting(void *arg, const char *address, uint32_t unread_bytes)
{
	unreadunix_add(arg, address, unread_bytes);
}

/* A kernel may have no such interface: then nothing is seen here, and the trace looks. */
static int gather(int fd, struct unreadunix *table)
{
	int err = sockdiag_listeners(fd, SOCKDIAG_UNIX, gather_listener, table);

	unreadunix_sort(table);
	if (!err)
		err = sockdiag_unix_waiting(fd, gather_waiting, table);
	return err == -ENOENT ? 0 : err;
}

/* Live and replayed samples go the same way: through the text. */
static int put_all(struct unreadunix_state *state, struct sink *sink, const char *text, size_t len)
{
	size_t i;
	int err;

	unreadunix_free(&state->seen);
	err = unreadunix_parse(&state->seen, text, len);
	if (err)
		return err;
	if (!state->seen.n)
		sink_none(sink);
	for (i = 0; i < state->seen.n; i++) {
		const struct unreadunix_server *server = &state->seen.list[i];

		sink_put(sink, server->address, "connections", server->connections);
		sink_put(sink, server->address, "unread", server->unread);
	}
	return 0;
}

static int unreadunix_read(struct procfs *fs, void *arg, struct sink *sink)
{
	struct unreadunix_state *state = arg;
	struct unreadunix table = {0};
	struct str text = STR_INIT;
	struct bytes recorded;
	int err;

	if (procfs_is_replay(fs)) {
		err = procfs_get_blob(fs, BLOB, &recorded);
		if (err == -ENOENT) /* recorded before there was this source */
			sink_none(sink);
		return err == -ENOENT ? 0
			: err	      ? err
				      : put_all(state, sink, recorded.data, recorded.len);
	}
	err = state->fd < 0 ? state->fd : gather(state->fd, &table);
	if (err) {
		sink_missing(
			sink, "connections to Unix sockets cannot be listed: %s", strerror(-err));
	} else {
		unreadunix_write(&text, &table);
		procfs_put_blob(fs, BLOB, str_text(&text), text.len);
		err = put_all(state, sink, str_text(&text), text.len);
	}
	unreadunix_free(&table);
	str_free(&text);
	return err;
}

static bool unreadunix_culprit(
	struct procfs *fs, void *arg, const char *instance, struct culprit *out)
{
	const struct unreadunix_state *state = arg;
	const struct unreadunix_server *server = unreadunix_find(&state->seen, instance);

	return server && sockowner_find(fs, server->inode, out);
}

SOURCE(unreadunix) = {
	.name = "unread/unix",
	.what = "connections to Unix sockets that nobody reads, by the path of their server",
	.open = unreadunix_open,
	.read = unreadunix_read,
	.close = unreadunix_close,
	.culprit = unreadunix_culprit,
};
