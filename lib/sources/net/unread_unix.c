/* SPDX-License-Identifier: GPL-2.0-only */
/* How many connections to which Unix socket does nobody read? */
#include "base/banned.h"

#include <errno.h>

#include "base/num.h"
#include "base/str.h"
#include "sources/net/unread_unix.h"

static bool unreadunix_is_address(const char *text, size_t len)
{
	size_t i;

	if (len <= strlen("unix:") || len >= UNREADUNIX_ADDRESS || strncmp(text, "unix:", 5) != 0)
		return false;
	for (i = 0; i < len; i++)
		if ((unsigned char)text[i] < ' ' || text[i] == 127)
			return false;
	return true;
}

void unreadunix_add_server(
	struct unreadunix *table, const char *address, uint32_t inode, uint32_t backlog)
{
	struct unreadunix_server *server;

	if (!unreadunix_is_address(address, strlen(address)))
		return;
	table->cut |= table->n >= UNREADUNIX_MAX;
	if (table->cut)
		return;
	ARRAY_GROW(table->list, table->n, table->room);
	server = &table->list[table->n++];
	*server = (struct unreadunix_server){
		.inode = inode, .connections = backlog, .unread = backlog};
	memcpy(server->address, address, strlen(address) + 1);
}

static int unreadunix_by_address(const void *a, const void *b)
{
	return strcmp(((const struct unreadunix_server *)a)->address,
		((const struct unreadunix_server *)b)->address);
}

void unreadunix_sort(struct unreadunix *table)
{
	size_t i, n = 0;

	if (!table->n)
		return;
	qsort(table->list, table->n, sizeof(*table->list), unreadunix_by_address);
	/* A path may be bound again where its file was removed: the connections cannot be told
	 * apart, so the line is that of both. */
	for (i = 1; i < table->n; i++) {
		if (unreadunix_by_address(&table->list[n], &table->list[i]) != 0) {
			table->list[++n] = table->list[i];
			continue;
		}
		table->list[n].connections += table->list[i].connections;
		table->list[n].unread += table->list[i].unread;
	}
	table->n = n + 1;
}

struct unreadunix_server *unreadunix_find(const struct unreadunix *table, const char *address)
{
	struct unreadunix_server wanted = {0};

	if (!table->n || strlen(address) >= sizeof(wanted.address))
		return NULL;
	memcpy(wanted.address, address, strlen(address) + 1);
	return bsearch(&wanted, table->list, table->n, sizeof(wanted), unreadunix_by_address);
}

void unreadunix_add(struct unreadunix *table, const char *address, uint32_t unread_bytes)
{
	struct unreadunix_server *server = unreadunix_find(table, address);

	if (!server)
		return;
	server->connections++;
	server->unread += unread_bytes != 0;
}

void unreadunix_write(struct str *text, const struct unreadunix *table)
{
	size_t i, before = text->len;

	for (i = 0; i < table->n; i++) {
		const struct unreadunix_server *server = &table->list[i];

		if (server->connections)
			str_addf(text, "%u %u %u %s\n", server->inode, server->connections,
				server->unread, server->address);
	}
	if (text->len == before)
		str_add(text, ".\n");
	if (table->cut)
		str_add(text, "!\n");
}

static bool unreadunix_parse_line(const char **at, const char *end, struct unreadunix_server *out)
{
	const char *stop = memchr(*at, '\n', (size_t)(end - *at));
	uint64_t numbers[3];
	size_t i;

	if (!stop)
		return false;
	for (i = 0; i < ARRAY_SIZE(numbers); i++)
		if (*at >= stop || **at == ' ' || num_next(at, stop, &numbers[i]) ||
			numbers[i] > UINT32_MAX || *at >= stop || *(*at)++ != ' ')
			return false;
	if (!unreadunix_is_address(*at, (size_t)(stop - *at)) || numbers[2] > numbers[1])
		return false;
	*out = (struct unreadunix_server){.inode = (uint32_t)numbers[0],
		.connections = (uint32_t)numbers[1],
		.unread = (uint32_t)numbers[2]};
	memcpy(out->address, *at, (size_t)(stop - *at));
	*at = stop + 1;
	return true;
}

int unreadunix_parse(struct unreadunix *out, const char *text, size_t len)
{
	const char *at = text, *end = text + len;
	struct unreadunix_server server;
	bool wrong = !len;
	size_t n;

	out->cut = len > 2 && !memcmp(end - 3, "\n!\n", 3);
	end -= out->cut ? 2 : 0;
	if (end - text == 2 && !memcmp(text, ".\n", 2))
		return 0;
	while (at < end && !wrong) {
		wrong = !unreadunix_parse_line(&at, end, &server) || out->n >= UNREADUNIX_MAX;
		if (wrong)
			break;
		ARRAY_GROW(out->list, out->n, out->room);
		out->list[out->n++] = server;
	}
	/* Redacted addresses are in any order; one that stands twice is none of ours. */
	n = out->n;
	unreadunix_sort(out);
	if (!wrong && out->n == n)
		return 0;
	unreadunix_free(out);
	return -EBADMSG;
}

void unreadunix_free(struct unreadunix *table)
{
	free(table->list);
	*table = (struct unreadunix){0};
}
