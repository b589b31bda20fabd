/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Does a program accept its connections too slowly?
 *
 * A queue is full when it holds more than its limit, since the kernel tests "more than", not "as
 * many as": with listen(fd, 4) the fifth connection still gets in, the backlog then reads 5 of 4,
 * and each SYN and each last ACK of a handshake that comes from there on is dropped, counted in
 * drops of this very socket as well as in the machine's ListenOverflows and ListenDrops. drops
 * counts some other losses too (no memory for the connection, a filter), but only of this listener.
 * At a full Unix socket nothing is dropped: connect() waits, or fails with EAGAIN.
 */
#include "base/banned.h"

#include <errno.h>
#include <unistd.h>

#include "sources/net/listener_table.h"
#include "capture/netns.h"
#include "capture/capture.h"
#include "capture/sockdiag.h"
#include "sources/net/socket_owner.h"
#include "sample/source.h"
#include "base/str.h"
#include "sample/sink.h"
#include "base/culprit.h"

/* A network namespace that can be asked. */
struct listen_place {
	char *prefix; /* "" for our own */
	int fd;
};

/* What both sources ask with: looking for namespaces means looking at every process. */
struct listen_places {
	struct listen_place *list;
	size_t n, room;
	struct str missing; /* lines of what could not be opened */
};

struct listen_state {
	const struct listen_places *places; /* NULL in a replay */
	struct listeners seen;
};

__attribute__((format(printf, 2, 3))) static void missing(struct str *text, const char *format, ...)
{
	struct str phrase = STR_INIT;
	va_list args;

	va_start(args, format);
	str_addv(&phrase, format, args);
	va_end(args);
	listeners_write_missing(text, str_text(&phrase));
	str_free(&phrase);
}

static int open_place(void *arg, const char *name, const char *label)
{
	struct listen_places *places = arg;
	int fd;

	(void)label;
	fd = sockdiag_open();
	if (fd < 0) {
		missing(&places->missing, "network namespace %s: %s", name, strerror(-fd));
		return 0;
	}
	ARRAY_GROW(places->list, places->n, places->room);
	places->list[places->n++] = (struct listen_place){
		.prefix = mem_strdup(strcmp(name, "host") ? name : ""),
		.fd = fd,
	};
	return 0;
}

static void open_places(struct capture *fs, struct listen_places *places)
{
	int error = netns_each(fs, open_place, places);

	if (error)
		missing(&places->missing, "%s", netns_unseen(error));
}

static void close_places(void *arg)
{
	struct listen_places *places = arg;
	size_t i;

	for (i = 0; i < places->n; i++) {
		close(places->list[i].fd);
		free(places->list[i].prefix);
	}
	free(places->list);
	str_free(&places->missing);
	free(places);
}

static int listen_open(struct capture *fs, void **out)
{
	struct listen_state *state = mem_zalloc(sizeof(*state));
	struct listen_places *places;

	*out = state;
	if (!capture_is_live(fs))
		return 0;
	places = capture_attached(fs, "listen");
	if (!places) {
		places = mem_zalloc(sizeof(*places));
		open_places(fs, places);
		capture_attach(fs, "listen", places, close_places);
	}
	state->places = places;
	return 0;
}

static void listen_close(void *arg)
{
	struct listen_state *state = arg;

	if (!state)
		return;
	listeners_free(&state->seen);
	free(state);
}

/* The text of a sample while it is written. */
struct gathering {
	struct str text;
	const char *prefix;
	size_t n;
};

static void listen_gather_listener(void *arg, const struct sock_listener *listener)
{
	struct gathering *gathering = arg;

	if (gathering->n++ < LISTENERS_MAX)
		listeners_write(&gathering->text, gathering->prefix, listener);
}

static const char *listen_kind_text(enum sockdiag_kind kind)
{
	switch (kind) {
	case SOCKDIAG_TCP4:
		return "IPv4";
	case SOCKDIAG_TCP6:
		return "IPv6";
	case SOCKDIAG_UNIX:
		return "Unix";
	}
	return "";
}

static void gather_kind(
	struct gathering *gathering, const struct listen_place *place, enum sockdiag_kind kind)
{
	int error = sockdiag_listeners(place->fd, kind, listen_gather_listener, gathering);

	if (error == -ENOENT)
		missing(&gathering->text,
			"this kernel does not tell of %s sockets: it has no %s, or the module is "
			"not loaded",
			listen_kind_text(kind), kind == SOCKDIAG_UNIX ? "unix_diag" : "tcp_diag");
	else if (error)
		missing(&gathering->text, "%s sockets%s%s: %s", listen_kind_text(kind),
			*place->prefix ? " in network namespace " : "", place->prefix,
			strerror(-error));
}

static struct str listen_gather(const struct listen_places *places, bool unix_sockets)
{
	struct gathering gathering = {.text = STR_INIT};
	size_t i;

	for (i = 0; i < places->n; i++) {
		gathering.prefix = places->list[i].prefix;
		if (unix_sockets) {
			gather_kind(&gathering, &places->list[i], SOCKDIAG_UNIX);
			continue;
		}
		gather_kind(&gathering, &places->list[i], SOCKDIAG_TCP4);
		gather_kind(&gathering, &places->list[i], SOCKDIAG_TCP6);
	}
	/* Of several reasons the first one is told: what the kernel lacks, before what a right
	 * would add. */
	str_add(&gathering.text, str_text(&places->missing));
	if (!gathering.text.len)
		listeners_write_none(&gathering.text);
	if (gathering.n > LISTENERS_MAX)
		missing(&gathering.text, "%zu listeners: %d of them were looked at", gathering.n,
			LISTENERS_MAX);
	return gathering.text;
}

static void listen_put(struct capture *fs, struct sink *sink, const struct listener *listener)
{
	const char *name = listener->name;

	sink_put(sink, name, "backlog", listener->backlog);
	sink_put(sink, name, "limit", listener->limit);
	sink_put(sink, name, "full", listener->backlog > listener->limit);
	sink_put(sink, name, "inode", listener->inode);
	if (listener->has_uid)
		sink_put(sink, name, "uid", listener->uid);
	if (listener->has_drops)
		sink_put(sink, name, "drops", listener->drops);
	sockowner_put(fs, sink, name, listener->inode, listener->backlog != 0);
}

/* Live and replayed samples go the same way: through the text. */
static int listen_put_all(struct capture *fs, struct listen_state *state, struct sink *sink,
	const char *text, size_t len)
{
	struct listeners now = {0};
	size_t i;
	int error;

	error = listeners_parse(&now, text, len);
	if (error)
		return error;
	if (now.none)
		sink_none(sink);
	listeners_number(&now, &state->seen);
	for (i = 0; i < now.n_missing; i++)
		sink_missing(sink, "%s", now.missing[i]);
	for (i = 0; i < now.n; i++)
		listen_put(fs, sink, &now.list[i]);
	listeners_free(&state->seen);
	state->seen = now;
	return 0;
}

static int read_sample(struct capture *fs, void *arg, struct sink *sink, bool unix_sockets)
{
	const char *blob = unix_sockets ? "listen-unix" : "listen";
	struct listen_state *state = arg;
	struct bytes recorded;
	struct str text;
	int error;

	if (capture_is_replay(fs)) {
		error = capture_get_blob(fs, blob, &recorded);
		return error ? error : listen_put_all(fs, state, sink, recorded.data, recorded.len);
	}
	if (!capture_is_live(fs)) {
		sink_missing(sink, "only the kernel that runs here can be asked for its sockets");
		return -EOPNOTSUPP;
	}
	text = listen_gather(state->places, unix_sockets);
	capture_put_blob(fs, blob, str_text(&text), text.len);
	error = listen_put_all(fs, state, sink, str_text(&text), text.len);
	str_free(&text);
	return error;
}

static int read_tcp(struct capture *fs, void *state, struct sink *sink)
{
	return read_sample(fs, state, sink, false);
}

static int read_unix(struct capture *fs, void *state, struct sink *sink)
{
	return read_sample(fs, state, sink, true);
}

static bool listen_culprit(struct capture *fs, void *arg, const char *instance, struct culprit *out)
{
	const struct listen_state *state = arg;
	const struct listener *listener = listeners_find(&state->seen, instance);

	return listener && sockowner_find(fs, listener->inode, out);
}

SOURCE(listen_tcp) = {
	.name = "listen",
	.what = "listening TCP sockets of every network namespace, by address and port",
	.open = listen_open,
	.read = read_tcp,
	.close = listen_close,
	.culprit = listen_culprit,
};

SOURCE(listen_unix) = {
	.name = "listen/unix",
	.what = "listening Unix sockets of every network namespace, by path",
	.open = listen_open,
	.read = read_unix,
	.close = listen_close,
	.culprit = listen_culprit,
};
