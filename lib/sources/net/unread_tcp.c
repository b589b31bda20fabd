/* SPDX-License-Identifier: GPL-2.0-only */
/* How long has what lies unread before a server lain there, or what is read waited for its answer,
 * and did others get theirs meanwhile? */
#include "base/banned.h"

#include <errno.h>
#include <inttypes.h>

#include "base/num.h"
#include "capture/sockdiag.h"
#include "base/str.h"
#include "sources/net/unread_tcp.h"

/* The kernel's clock for these is in jiffies, 10 ms at worst, and two sockets are asked one after
 * the other. */
#define LEAD_MS 20

void unread_add_server(struct unread *table, uint16_t port, uint32_t inode)
{
	ARRAY_GROW(table->list, table->n, table->room);
	table->list[table->n++] = (struct unread_server){.port = port, .inode = inode};
}

void unread_add(struct unread *table, const struct sock_waiting *waiting)
{
	ARRAY_GROW(table->waits, table->n_waits, table->room_waits);
	table->waits[table->n_waits++] = *waiting;
}

static int by_port(const void *a, const void *b)
{
	const struct unread_server *x = a, *y = b;

	if (x->port != y->port)
		return x->port - y->port;
	return (x->inode > y->inode) - (x->inode < y->inode);
}

/* A port may have several listeners, one for each address or process: one line. */
static void unread_remove_doubles(struct unread *table)
{
	size_t i, n = 0;

	for (i = 0; i < table->n; i++)
		if (!n || table->list[n - 1].port != table->list[i].port)
			table->list[n++] = table->list[i];
	table->n = n;
}

static struct unread_server *server_of(const struct unread *table, uint16_t port)
{
	size_t low = 0, high = table->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (table->list[middle].port == port)
			return &table->list[middle];
		if (table->list[middle].port < port)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

/* Whether what this connection has brought last is answered: all is read, and the last word ours.
 */
static bool is_answered(const struct sock_waiting *waiting)
{
	return waiting->has_times && !waiting->unread_bytes &&
		waiting->since_sent_ms < waiting->since_received_ms;
}

/* What a server did last: how long ago, in ms; UINT32_MAX for never. */
struct latest {
	uint32_t answered_ms; /* the arrival of the latest request that is answered */
	uint32_t sent_ms;     /* the latest answer, whatever came after it */
};

static void note_latest(const struct unread *table, struct latest *latest)
{
	size_t i;

	for (i = 0; i < table->n_waits; i++) {
		const struct sock_waiting *waiting = &table->waits[i];
		struct unread_server *server = server_of(table, waiting->local_port);
		struct latest *of = server ? &latest[server - table->list] : NULL;

		if (!server || !waiting->has_times)
			continue;
		if (is_answered(waiting) && waiting->since_received_ms < of->answered_ms)
			of->answered_ms = waiting->since_received_ms;
		if (waiting->since_sent_ms < of->sent_ms)
			of->sent_ms = waiting->since_sent_ms;
	}
}

static void count_unread(struct unread_server *server, const struct sock_waiting *waiting,
	const struct latest *latest)
{
	server->unread++;
	if (!waiting->has_times)
		return;
	if (waiting->since_received_ms > server->oldest_ms)
		server->oldest_ms = waiting->since_received_ms;
	if (waiting->since_received_ms > (uint64_t)latest->answered_ms + LEAD_MS)
		server->overtaken++;
}

/*
 * Whether a request that is read has no answer yet. A client without a pause asks again within the
 * very tick of the answer; so does its next request look that was answered at once. But that one's
 * answer was acknowledged later, by itself.
 */
static bool is_open(const struct sock_waiting *waiting)
{
	if (!waiting->has_times || waiting->since_sent_ms < waiting->since_received_ms)
		return false;
	return waiting->since_sent_ms > waiting->since_received_ms ||
		waiting->since_acked_ms >= waiting->since_received_ms;
}

static void count_read(struct unread_server *server, const struct sock_waiting *waiting,
	const struct latest *latest)
{
	if (!is_open(waiting) || waiting->since_received_ms <= (uint64_t)latest->sent_ms + LEAD_MS)
		return;
	server->passed++;
	if (waiting->since_received_ms > server->passed_ms)
		server->passed_ms = waiting->since_received_ms;
}

void unread_count(struct unread *table)
{
	struct latest *latest;
	size_t i;

	if (!table->n)
		return;
	qsort(table->list, table->n, sizeof(*table->list), by_port);
	unread_remove_doubles(table);
	latest = mem_realloc_array(NULL, table->n, sizeof(*latest));
	for (i = 0; i < table->n; i++)
		latest[i] = (struct latest){UINT32_MAX, UINT32_MAX};
	note_latest(table, latest);
	for (i = 0; i < table->n_waits; i++) {
		const struct sock_waiting *waiting = &table->waits[i];
		struct unread_server *server = server_of(table, waiting->local_port);

		if (!server)
			continue;
		server->connections++;
		if (waiting->unread_bytes)
			count_unread(server, waiting, &latest[server - table->list]);
		else
			count_read(server, waiting, &latest[server - table->list]);
	}
	for (i = 0; i < table->n; i++)
		table->list[i].has_passed = true;
	free(latest);
}

void unread_write(struct str *text, const struct unread *table)
{
	size_t i, before = text->len;

	for (i = 0; i < table->n; i++) {
		const struct unread_server *server = &table->list[i];

		if (!server->connections)
			continue;
		str_addf(text, "%u %u %u %u %u %u", server->port, server->inode,
			server->connections, server->unread, server->oldest_ms, server->overtaken);
		if (server->has_passed)
			str_addf(text, " %u %u", server->passed, server->passed_ms);
		str_addc(text, '\n');
	}
	if (text->len == before)
		str_add(text, ".\n");
}

/* Numbers, with a blank before each but the first, to the end of the line. Returns how many, or 0
 * where there is anything else. */
static size_t parse_numbers(const char **at, const char *end, uint64_t *numbers, size_t most)
{
	size_t n = 0;

	do {
		if (n == most || *at >= end || **at == ' ' || num_next(at, end, &numbers[n]) ||
			numbers[n] > UINT32_MAX || *at >= end || (**at != ' ' && **at != '\n'))
			return 0;
		n++;
	} while (*(*at)++ == ' ');
	return n;
}

static bool unread_parse_line(const char **at, const char *end, struct unread_server *out)
{
	uint64_t numbers[8];
	size_t n = parse_numbers(at, end, numbers, ARRAY_SIZE(numbers));

	if (n != 6 && n != 8)
		return false;
	*out = (struct unread_server){
		.port = (uint16_t)numbers[0],
		.inode = (uint32_t)numbers[1],
		.connections = (uint32_t)numbers[2],
		.unread = (uint32_t)numbers[3],
		.oldest_ms = (uint32_t)numbers[4],
		.overtaken = (uint32_t)numbers[5],
		.has_passed = n == 8,
		.passed = n == 8 ? (uint32_t)numbers[6] : 0,
		.passed_ms = n == 8 ? (uint32_t)numbers[7] : 0,
	};
	return numbers[0] <= UINT16_MAX && out->unread <= out->connections &&
		out->overtaken <= out->unread && out->passed <= out->connections - out->unread;
}

int unread_parse(struct unread *out, const char *text, size_t len)
{
	const char *at = text, *end = text + len;
	struct unread_server server;
	bool wrong = !len;

	if (len == 2 && !memcmp(text, ".\n", 2))
		return 0;
	while (at < end && !wrong) {
		wrong = !unread_parse_line(&at, end, &server) || out->n >= UNREAD_SERVERS_MAX ||
			(out->n && out->list[out->n - 1].port >= server.port);
		if (wrong)
			break;
		ARRAY_GROW(out->list, out->n, out->room);
		out->list[out->n++] = server;
	}
	if (!wrong)
		return 0;
	unread_free(out);
	return -EBADMSG;
}

const struct unread_server *unread_find(const struct unread *table, uint16_t port)
{
	return server_of(table, port);
}

void unread_free(struct unread *table)
{
	free(table->list);
	free(table->waits);
	*table = (struct unread){0};
}
