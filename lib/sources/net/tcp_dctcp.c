/* SPDX-License-Identifier: GPL-2.0-only */
/* Is what DCTCP sends marked, lost, or sent by Reno after all? */
#include "base/banned.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/str.h"
#include "capture/sockdiag.h"
#include "sample/instances.h"
#include "sources/net/tcp_dctcp.h"

/* What a connection had counted by the sample before: the kernel's counters have 32 bits. */
struct dctcp_connection {
	uint64_t cookie;
	struct tcp_marks marks;
};

static int dctcp_compare_cookies(const void *a, const void *b)
{
	const struct dctcp_connection *x = a, *y = b;

	return (x->cookie > y->cookie) - (x->cookie < y->cookie);
}

/* A bit for each port that somebody listens on. */
struct dctcp_servers {
	uint64_t bits[(UINT16_MAX + 1) / 64];
};

static bool dctcp_is_server(const struct dctcp_servers *servers, uint16_t port)
{
	return servers->bits[port / 64] >> port % 64 & 1;
}

static struct dctcp_servers *dctcp_find_servers(const struct sock_waiting *list, size_t n)
{
	struct dctcp_servers *servers = mem_zalloc(sizeof(*servers));
	size_t i;

	for (i = 0; i < n; i++)
		if (list[i].listens)
			servers->bits[list[i].local_port / 64] |= UINT64_C(1)
				<< list[i].local_port % 64;
	return servers;
}

/* An IPv4 address in an IPv6 socket is one of IPv4. */
static void dctcp_name(const struct sock_waiting *one, bool is_server, char *name)
{
	static const uint8_t mapped[12] = {[10] = 0xff, 0xff};
	bool is_mapped = one->family == AF_INET6 && !memcmp(one->remote, mapped, sizeof(mapped));
	char address[INET6_ADDRSTRLEN];

	if (is_server) {
		snprintf(name, DCTCP_NAME_BYTES, ":%u", one->local_port);
		return;
	}
	if (!inet_ntop(is_mapped ? AF_INET : one->family, one->remote + (is_mapped ? 12 : 0),
		    address, sizeof(address)))
		*address = 0;
	snprintf(name, DCTCP_NAME_BYTES, strchr(address, ':') ? "[%s]:%u" : "%s:%u", address,
		one->remote_port);
}

static struct dctcp_place *dctcp_place_of(struct dctcp *dctcp, const char *name)
{
	long known = instances_find(dctcp->names, name);

	if (known >= 0)
		return &dctcp->list[known];
	if (dctcp->n >= DCTCP_PLACES_MAX && strcmp(name, DCTCP_OTHERS) != 0)
		return dctcp_place_of(dctcp, DCTCP_OTHERS);
	instances_intern(dctcp->names, name);
	ARRAY_GROW(dctcp->list, dctcp->n, dctcp->room);
	dctcp->list[dctcp->n] = (struct dctcp_place){0};
	snprintf(dctcp->list[dctcp->n].name, DCTCP_NAME_BYTES, "%s", name);
	return &dctcp->list[dctcp->n++];
}

/* What grew since the sample before; what one that is new had before it was seen does not count. */
static void dctcp_add_growth(
	const struct dctcp *dctcp, struct dctcp_place *place, const struct sock_waiting *one)
{
	const struct dctcp_connection key = {.cookie = one->cookie};
	const struct dctcp_connection *before = dctcp->n_before
		? bsearch(&key, dctcp->before, dctcp->n_before, sizeof(key), dctcp_compare_cookies)
		: NULL;

	if (!before)
		return;
	place->delivered += (uint32_t)(one->marks.delivered - before->marks.delivered);
	place->marked += (uint32_t)(one->marks.marked - before->marks.marked);
	place->sent += (uint32_t)(one->marks.sent - before->marks.sent);
	place->repeated += (uint32_t)(one->marks.repeated - before->marks.repeated);
}

static void dctcp_add_one(struct dctcp *dctcp, const struct sock_waiting *one, bool is_server)
{
	bool reno = one->dctcp == SOCK_DCTCP_RENO;
	char name[DCTCP_NAME_BYTES];
	struct dctcp_place *place;

	dctcp_name(one, is_server, name);
	place = dctcp_place_of(dctcp, name);
	if (!place->connections || (reno && !place->reno))
		place->inode = one->inode;
	place->connections++;
	place->reno += reno;
	dctcp_add_growth(dctcp, place, one);
	ARRAY_GROW(dctcp->now, dctcp->n_now, dctcp->room_now);
	dctcp->now[dctcp->n_now++] = (struct dctcp_connection){one->cookie, one->marks};
}

static void dctcp_turn(struct dctcp *dctcp)
{
	struct dctcp_connection *list = dctcp->before;
	size_t room = dctcp->room_before;

	if (dctcp->n_now)
		qsort(dctcp->now, dctcp->n_now, sizeof(*dctcp->now), dctcp_compare_cookies);
	dctcp->before = dctcp->now;
	dctcp->room_before = dctcp->room_now;
	dctcp->n_before = dctcp->n_now;
	dctcp->now = list;
	dctcp->room_now = room;
	dctcp->n_now = 0;
}

void dctcp_add(struct dctcp *dctcp, const struct sock_waiting *list, size_t n)
{
	struct dctcp_servers *servers = dctcp_find_servers(list, n);
	size_t i;

	if (!dctcp->names)
		dctcp->names = instances_new();
	for (i = 0; i < dctcp->n; i++)
		dctcp->list[i].connections = dctcp->list[i].reno = 0;
	for (i = 0; i < n; i++)
		if (!list[i].listens && list[i].dctcp != SOCK_NOT_DCTCP)
			dctcp_add_one(
				dctcp, &list[i], dctcp_is_server(servers, list[i].local_port));
	dctcp_turn(dctcp);
	free(servers);
}

void dctcp_write(struct str *text, const struct dctcp *dctcp)
{
	size_t i, before = text->len;

	for (i = 0; i < dctcp->n; i++) {
		const struct dctcp_place *place = &dctcp->list[i];

		str_addf(text,
			"%s %" PRIu32 " %" PRIu32 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
			" %" PRIu32 "\n",
			place->name, place->connections, place->reno, place->delivered,
			place->marked, place->sent, place->repeated, place->inode);
	}
	if (text->len == before)
		str_add(text, ".\n");
}

static bool dctcp_parse_line(const char **at, const char *end, struct dctcp_place *out)
{
	uint64_t number[7];
	size_t len = 0, i;

	while (*at + len < end && (unsigned char)(*at)[len] > ' ')
		len++;
	if (!len || len >= sizeof(out->name) || *at + len == end || (*at)[len] != ' ')
		return false;
	*out = (struct dctcp_place){0};
	memcpy(out->name, *at, len);
	*at += len;
	for (i = 0; i < ARRAY_SIZE(number); i++)
		if (*at >= end || *(*at)++ != ' ' || *at >= end || **at == ' ' ||
			num_next(at, end, &number[i]))
			return false;
	out->connections = (uint32_t)number[0];
	out->reno = (uint32_t)number[1];
	out->delivered = number[2];
	out->marked = number[3];
	out->sent = number[4];
	out->repeated = number[5];
	out->inode = (uint32_t)number[6];
	return *at < end && *(*at)++ == '\n';
}

int dctcp_parse(struct dctcp *out, const char *text, size_t len)
{
	const char *at = text, *end = text + len;
	struct dctcp_place place;
	bool wrong = !len;

	if (len == 2 && !memcmp(text, ".\n", 2))
		return 0;
	while (at < end && !wrong) {
		wrong = out->n > DCTCP_PLACES_MAX || !dctcp_parse_line(&at, end, &place);
		if (wrong)
			break;
		ARRAY_GROW(out->list, out->n, out->room);
		out->list[out->n++] = place;
	}
	if (!wrong)
		return 0;
	dctcp_free(out);
	return -EBADMSG;
}

void dctcp_free(struct dctcp *dctcp)
{
	free(dctcp->list);
	free(dctcp->before);
	free(dctcp->now);
	instances_free(dctcp->names);
	*dctcp = (struct dctcp){0};
}
