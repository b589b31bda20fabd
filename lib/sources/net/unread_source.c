/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What lies unread before the servers of this network namespace, and how many connections to its
 * Unix sockets does nobody read?
 *
 * Asked of the kernel by netlink, as anybody may. A connection that nobody has accepted has its
 * request in the kernel too. One look at TCP costs a third of a millisecond, and 1 us more for each
 * connection.
 *
 * Of Unix sockets the kernel has no times, so this says that something lies unread and not for how
 * long. Those that nobody has accepted are counted as unread.
 */
#include "base/banned.h"

#include <errno.h>
#include <unistd.h>

#include "base/culprit.h"
#include "base/num.h"
#include "base/str.h"
#include "capture/capture.h"
#include "capture/sockdiag.h"
#include "sample/sink.h"
#include "sample/source.h"
#include "sources/net/socket_owner.h"
#include "sources/net/tcp_connections.h"
#include "sources/net/unread_tcp.h"
#include "sources/net/unread_unix.h"

#define TCP_BLOB "unread"
#define UNIX_BLOB "unread-unix"

/* Each source has one of its own, and of the tables only its own. */
struct unread_state {
	int fd; /* negative: -errno */
	struct unread tcp;
	struct unreadunix local;
};

static int unread_open(struct capture *fs, void **out)
{
	struct unread_state *state = mem_zalloc(sizeof(*state));

	state->fd = capture_is_live(fs) ? sockdiag_open() : -EOPNOTSUPP;
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
	unread_free(&state->tcp);
	unreadunix_free(&state->local);
	free(state);
}

static int tcp_gather(struct capture *fs, int fd, struct str *text)
{
	const struct tcp_connections *all = tcpconnections_get(fs);
	struct unread table = {0};
	size_t i;

	(void)fd;
	if (all->err)
		return all->err;
	for (i = 0; i < all->n; i++)
		if (!all->list[i].listens)
			unread_add(&table, &all->list[i]);
		else if (all->list[i].local_port)
			unread_add_server(&table, all->list[i].local_port, all->list[i].inode);
	unread_count(&table);
	unread_write(text, &table);
	unread_free(&table);
	return 0;
}

static void tcp_put_server(
	struct capture *fs, struct sink *sink, const struct unread_server *server)
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

static int tcp_put(struct capture *fs, struct unread_state *state, struct sink *sink,
	const char *text, size_t len)
{
	size_t i;
	int err;

	unread_free(&state->tcp);
	err = unread_parse(&state->tcp, text, len);
	if (err)
		return err;
	if (!state->tcp.n)
		sink_none(sink);
	tcpconnections_say_cut(fs, sink);
	for (i = 0; i < state->tcp.n; i++)
		tcp_put_server(fs, sink, &state->tcp.list[i]);
	return 0;
}

static void unix_take_listener(void *arg, const struct sock_listener *listener)
{
	unreadunix_add_server(arg, listener->address, listener->inode, listener->backlog);
}

static void unix_take(void *arg, const char *address, uint32_t unread_bytes)
{
	unreadunix_add(arg, address, unread_bytes);
}

/* A kernel may have no such interface: then nothing is seen here, and the trace looks. */
static int unix_gather(struct capture *fs, int fd, struct str *text)
{
	struct unreadunix table = {0};
	int err = sockdiag_listeners(fd, SOCKDIAG_UNIX, unix_take_listener, &table);

	(void)fs;
	unreadunix_sort(&table);
	if (!err)
		err = sockdiag_unix_waiting(fd, unix_take, &table);
	if (err == -ENOENT)
		err = 0;
	if (!err)
		unreadunix_write(text, &table);
	unreadunix_free(&table);
	return err;
}

static int unix_put(struct capture *fs, struct unread_state *state, struct sink *sink,
	const char *text, size_t len)
{
	size_t i;
	int err;

	(void)fs;
	unreadunix_free(&state->local);
	err = unreadunix_parse(&state->local, text, len);
	if (err)
		return err;
	if (!state->local.n)
		sink_none(sink);
	if (state->local.cut)
		sink_missing(sink, "there are more servers of Unix sockets than are looked at, %d",
			UNREADUNIX_MAX);
	for (i = 0; i < state->local.n; i++) {
		const struct unreadunix_server *server = &state->local.list[i];

		sink_put(sink, server->address, "connections", server->connections);
		sink_put(sink, server->address, "unread", server->unread);
	}
	return 0;
}

/* What the two differ in. */
struct family {
	const char *blob, *what;
	int (*gather)(struct capture *fs, int fd, struct str *text);
	int (*put)(struct capture *fs, struct unread_state *state, struct sink *sink,
		const char *text, size_t len);
};

/* Live and replayed samples go the same way: through the text. */
static int read_live(const struct family *family, struct capture *fs, struct unread_state *state,
	struct sink *sink)
{
	struct str text = STR_INIT;
	int err = state->fd < 0 ? state->fd : family->gather(fs, state->fd, &text);

	if (err) {
		sink_missing(
			sink, "%s cannot be listed: %s", family->what, capture_why_untold(fs, err));
	} else {
		capture_put_blob(fs, family->blob, str_text(&text), text.len);
		err = family->put(fs, state, sink, str_text(&text), text.len);
	}
	str_free(&text);
	return err;
}

static int tcp_read(struct capture *fs, void *arg, struct sink *sink)
{
	static const struct family tcp = {TCP_BLOB, "connections", tcp_gather, tcp_put};
	struct bytes recorded;
	int err;

	if (!capture_is_replay(fs))
		return read_live(&tcp, fs, arg, sink);
	err = capture_get_blob(fs, TCP_BLOB, &recorded);
	if (err == -ENOENT)
		sink_missing(sink,
			"this recording has no data on unread requests (older version, or "
			"keepalive was not selected)");
	return err ? err : tcp_put(fs, arg, sink, recorded.data, recorded.len);
}

static int unix_read(struct capture *fs, void *arg, struct sink *sink)
{
	static const struct family local = {
		UNIX_BLOB, "connections to Unix sockets", unix_gather, unix_put};
	struct bytes recorded;
	int err;

	if (!capture_is_replay(fs))
		return read_live(&local, fs, arg, sink);
	err = capture_get_blob(fs, UNIX_BLOB, &recorded);
	if (err == -ENOENT) { /* recorded before there was this source */
		sink_none(sink);
		return 0;
	}
	return err ? err : unix_put(fs, arg, sink, recorded.data, recorded.len);
}

static bool tcp_culprit(struct capture *fs, void *arg, const char *instance, struct culprit *out)
{
	const struct unread_state *state = arg;
	const struct unread_server *server = NULL;
	uint64_t port;

	if (*instance == ':' && !num_u64(instance + 1, 1, UINT16_MAX, &port))
		server = unread_find(&state->tcp, (uint16_t)port);
	return server && sockowner_find(fs, server->inode, out);
}

static bool unix_culprit(struct capture *fs, void *arg, const char *instance, struct culprit *out)
{
	const struct unread_state *state = arg;
	const struct unreadunix_server *server = unreadunix_find(&state->local, instance);

	return server && sockowner_find(fs, server->inode, out);
}

SOURCE(unread) = {
	.name = "unread",
	.what = "requests before the servers of this network namespace, unread or not answered, by "
		"port",
	.open = unread_open,
	.read = tcp_read,
	.close = unread_close,
	.culprit = tcp_culprit,
	.fleeting = true,
};

SOURCE(unreadunix) = {
	.name = "unread/unix",
	.what = "connections to Unix sockets that nobody reads, by the path of their server",
	.open = unread_open,
	.read = unix_read,
	.close = unread_close,
	.culprit = unix_culprit,
};
