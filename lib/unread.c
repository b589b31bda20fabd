/* SPDX-License-Identifier: GPL-2.0-only */
/* How long has what lies unread before a server lain there, and was it overtaken? */
#include <errno.h>
#include <inttypes.h>

#include "num.h"
#include "sockdiag.h"
#include "str.h"
#include "unread.h"

/* The kernel's clock for these is in jiffies, 10 ms at worst, and two sockets are asked one after
 * the other. */
#define LEAD_MS 20

void unread_add_server(struct unread *table, uint16_t port, uint32_t inode)
{
	if (table->n >= UNREAD_SERVERS_MAX)
		return;
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
static void remove_doubles(struct unread *table)
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

/* For each server the arrival of the latest request that is answered: how long ago, in ms. */
static void note_answered(const struct unread *table, uint32_t *latest_ms)
{
	size_t i;

	for (i = 0; i < table->n_waits; i++) {
		const struct sock_waiting *waiting = &table->waits[i];
		struct unread_server *server = server_of(table, waiting->local_port);
		size_t at = server ? (size_t)(server - table->list) : 0;

		if (server && is_answered(waiting) && waiting->since_received_ms < latest_ms[at])
			latest_ms[at] = waiting->since_received_ms;
	}
}

static void count_one(
	struct unread_server *server, const struct sock_waiting *waiting, uint32_t latest_ms)
{
	server->connections++;
	if (!waiting->unread_bytes)
		return;
	server->unread++;
	if (!waiting->has_times)
		return;
	if (waiting->since_received_ms > server->oldest_ms)
		server->oldest_ms = waiting->since_received_ms;
	if (latest_ms != UINT32_MAX && waiting->since_received_ms > (uint64_t)latest_ms + LEAD_MS)
		server->overtaken++;
}

void unread_count(struct unread *table)
{
	uint32_t *latest_ms;
	size_t i;

	if (!table->n)
		return;
	qsort(table->list, table->n, sizeof(*table->list), by_port);
	remove_doubles(table);
	latest_ms = mem_realloc_array(NULL, table->n, sizeof(*latest_ms));
	for (i = 0; i < table->n; i++)
		latest_ms[i] = UINT32_MAX;
	note_answered(table, latest_ms);
	for (i = 0; i < table->n_waits; i++) {
		struct unread_server *server = server_of(table, table->waits[i].local_port);

		if (server)
			count_one(server, &table->waits[i], latest_ms[server - table->list]);
	}
	free(latest_ms);
}

void unread_write(struct str *text, const struct unread *table)
{
	size_t i, before = text->len;

	for (i = 0; i < table->n; i++) {
		const struct unread_server *server = &table->list[i];

		if (server->connections)
			str_addf(text, "%u %u %u %u %u %u\n", server->port, server->inode,
				server->connections, server->unread, server->oldest_ms,
				server->overtaken);
	}
	if (text->len == before)
		str_add(text, ".\n");
}

static bool parse_line(const char **at, const char *end, struct unread_server *out)
{
	uint64_t numbers[6];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(numbers); i++) {
		if (*at >= end || **at == ' ' || num_next(at, end, &numbers[i]) ||
			numbers[i] > UINT32_MAX || *at >= end ||
			*(*at)++ != (i + 1 < ARRAY_SIZE(numbers) ? ' ' : '\n'))
			return false;
	}
	*out = (struct unread_server){(uint16_t)numbers[0], (uint32_t)numbers[1],
		(uint32_t)numbers[2], (uint32_t)numbers[3], (uint32_t)numbers[4],
		(uint32_t)numbers[5]};
	return numbers[0] <= UINT16_MAX && out->unread <= out->connections &&
		out->overtaken <= out->unread;
}

int unread_parse(struct unread *out, const char *text, size_t len)
{
	const char *at = text, *end = text + len;
	struct unread_server server;
	bool wrong = !len;

	if (len == 2 && !memcmp(text, ".\n", 2))
		return 0;
	while (at < end && !wrong) {
		wrong = !parse_line(&at, end, &server) || out->n >= UNREAD_SERVERS_MAX ||
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
