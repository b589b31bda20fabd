/* SPDX-License-Identifier: GPL-2.0-only */
/* What do those who send by TCP wait for: the receiver, their own buffer, or the network? */
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
#include "sources/net/tcp_sending.h"

#define LOCAL "local:"

/* What a connection had waited by the sample before. */
struct sending_connection {
	uint64_t cookie;
	struct tcp_limits limits;
};

/* While a sample is added: what it says of one place. */
struct sending_worst {
	uint64_t receiver_us, buffer_us;
	uint32_t repeats;
};

struct sending_sample {
	struct sending *sending;
	uint64_t passed_us; /* since the sample before */
	const struct sock_waiting *list;
	size_t n;
	const struct sock_waiting **by_end; /* by local port, then remote port */
	uint16_t *servers;		    /* ports that somebody listens on */
	size_t n_servers;
	struct sending_worst *worst; /* SENDING_PLACES_MAX and one more */
};

static int compare_cookies(const void *a, const void *b)
{
	const struct sending_connection *x = a, *y = b;

	return (x->cookie > y->cookie) - (x->cookie < y->cookie);
}

static int compare_ports(const void *a, const void *b)
{
	return *(const uint16_t *)a - *(const uint16_t *)b;
}

static int compare_ends(const void *a, const void *b)
{
	const struct sock_waiting *x = *(const struct sock_waiting *const *)a,
				  *y = *(const struct sock_waiting *const *)b;

	if (x->local_port != y->local_port)
		return x->local_port - y->local_port;
	return x->remote_port - y->remote_port;
}

static bool sending_is_server(const struct sending_sample *sample, uint16_t port)
{
	return bsearch(&port, sample->servers, sample->n_servers, sizeof(port), compare_ports);
}

/* An IPv4 address in an IPv6 socket is one of IPv4. */
static bool sending_is_mapped(const struct sock_waiting *one)
{
	static const uint8_t prefix[12] = {[10] = 0xff, 0xff};

	return one->family == AF_INET6 && !memcmp(one->remote, prefix, sizeof(prefix));
}

/* The socket at the other end, where that is on this machine as well. */
static const struct sock_waiting *sending_peer(
	const struct sending_sample *sample, const struct sock_waiting *one)
{
	const struct sock_waiting wanted = {
		.local_port = one->remote_port, .remote_port = one->local_port};
	const struct sock_waiting *key = &wanted, **found;
	size_t len = one->family == AF_INET ? 4 : 16;

	if (memcmp(one->local, one->remote, len) != 0 && one->remote[0] != IN_LOOPBACKNET)
		return NULL;
	found = bsearch(&key, sample->by_end, sample->n, sizeof(*found), compare_ends);
	return found ? *found : NULL;
}

static void sending_name(const struct sending_sample *sample, const struct sock_waiting *one,
	bool is_local, char *name)
{
	bool mapped = sending_is_mapped(one);
	char address[INET6_ADDRSTRLEN];

	if (sending_is_server(sample, one->local_port)) {
		snprintf(name, SENDING_NAME_BYTES, "%s%u", is_local ? LOCAL : ":", one->local_port);
		return;
	}
	if (!inet_ntop(mapped ? AF_INET : one->family, one->remote + (mapped ? 12 : 0), address,
		    sizeof(address)))
		*address = 0;
	snprintf(name, SENDING_NAME_BYTES, strchr(address, ':') ? "[%s]:%u" : "%s:%u", address,
		one->remote_port);
}

/* There may be a hundred thousand connections to as many places. */
static size_t sending_place_of(struct sending *sending, const char *name)
{
	long known = instances_find(sending->names, name);

	if (known >= 0)
		return (size_t)known;
	if (sending->n >= SENDING_PLACES_MAX && strcmp(name, SENDING_OTHERS) != 0)
		return sending_place_of(sending, SENDING_OTHERS);
	instances_intern(sending->names, name);
	ARRAY_GROW(sending->list, sending->n, sending->room);
	sending->list[sending->n] = (struct sending_place){0};
	snprintf(sending->list[sending->n].name, SENDING_NAME_BYTES, "%s", name);
	return sending->n++;
}

static uint64_t sending_grown(uint64_t now, uint64_t before)
{
	return now > before ? now - before : 0;
}

/*
 * What grew since the sample before. What there was before the first sample does not count, nor
 * does what was there for longer than since the sample before and was not in that: the kernel's
 * list leaves a connection out now and then, while others come and go. Where that sample was a part
 * of all, nobody knows which are new.
 */
static struct tcp_limits sending_since(
	const struct sending_sample *sample, const struct sock_waiting *one)
{
	const struct sending *sending = sample->sending;
	const struct sending_connection key = {.cookie = one->cookie};
	const struct sending_connection *before = sending->n_before
		? bsearch(&key, sending->before, sending->n_before, sizeof(key), compare_cookies)
		: NULL;
	const struct tcp_limits *now = &one->limits;

	if (!sending->samples || (!before && (sending->cut || now->busy_us > sample->passed_us)))
		return (struct tcp_limits){0};
	if (!before)
		return *now;
	return (struct tcp_limits){sending_grown(now->busy_us, before->limits.busy_us),
		sending_grown(now->receiver_us, before->limits.receiver_us),
		sending_grown(now->buffer_us, before->limits.buffer_us)};
}

static void sending_note_repeats(struct sending_place *place, const struct sock_waiting *one)
{
	bool fills_packet = one->segment_bytes && one->queued_bytes >= one->segment_bytes;

	if (one->repeated > place->repeats)
		place->repeats = one->repeated;
	if (fills_packet && one->repeated > place->large_repeats)
		place->large_repeats = one->repeated;
}

static void sending_add_one(struct sending_sample *sample, const struct sock_waiting *one)
{
	struct sending *sending = sample->sending;
	const struct sock_waiting *peer = sending_peer(sample, one);
	struct tcp_limits since = sending_since(sample, one);
	char name[SENDING_NAME_BYTES];
	struct sending_place *place;
	struct sending_worst *worst;
	size_t i;

	sending_name(sample, one, peer != NULL, name);
	i = sending_place_of(sending, name);
	place = &sending->list[i];
	worst = &sample->worst[i];
	place->connections++;
	place->busy_us += since.busy_us;
	place->receiver_us += since.receiver_us;
	place->buffer_us += since.buffer_us;
	sending_note_repeats(place, one);
	if (since.receiver_us > worst->receiver_us ||
		(!worst->receiver_us && one->repeated > worst->repeats)) {
		worst->receiver_us = since.receiver_us;
		worst->repeats = one->repeated;
		place->receiver_inode = peer ? peer->inode : 0;
	}
	if (since.buffer_us > worst->buffer_us) {
		worst->buffer_us = since.buffer_us;
		place->sender_inode = one->inode;
	}
}

static void sending_remember(struct sending *sending, const struct sock_waiting *one)
{
	if (!one->limits.busy_us)
		return;
	ARRAY_GROW(sending->now, sending->n_now, sending->room_now);
	sending->now[sending->n_now++] = (struct sending_connection){one->cookie, one->limits};
}

static void sending_turn(struct sending *sending)
{
	struct sending_connection *list = sending->before;
	size_t room = sending->room_before;

	if (sending->n_now)
		qsort(sending->now, sending->n_now, sizeof(*sending->now), compare_cookies);
	sending->before = sending->now;
	sending->room_before = sending->room_now;
	sending->n_before = sending->n_now;
	sending->now = list;
	sending->room_now = room;
	sending->n_now = 0;
	sending->samples++;
}

/* Who listens where, and all ends by their ports. */
static void sending_sort(struct sending_sample *sample)
{
	size_t i, n = 0;

	for (i = 0; i < sample->n; i++) {
		if (sample->list[i].listens)
			sample->servers[sample->n_servers++] = sample->list[i].local_port;
		else
			sample->by_end[n++] = &sample->list[i];
	}
	sample->n = n;
	qsort(sample->servers, sample->n_servers, sizeof(*sample->servers), compare_ports);
	qsort(sample->by_end, n, sizeof(*sample->by_end), compare_ends);
}

void sending_add(struct sending *sending, uint64_t now_ns, const struct sock_waiting *list,
	size_t n, bool cut)
{
	struct sending_sample sample = {.sending = sending,
		.passed_us = (now_ns - sending->time_ns) / 1000,
		.list = list,
		.n = n,
		.worst = mem_zalloc((SENDING_PLACES_MAX + 1) * sizeof(*sample.worst))};
	size_t i;

	if (!sending->names)
		sending->names = instances_new();
	for (i = 0; i < sending->n; i++)
		sending->list[i].connections = sending->list[i].repeats =
			sending->list[i].large_repeats = 0;
	if (n) {
		sample.by_end = mem_realloc_array(NULL, n, sizeof(*sample.by_end));
		sample.servers = mem_realloc_array(NULL, n, sizeof(*sample.servers));
		sending_sort(&sample);
	}
	for (i = 0; i < sample.n; i++)
		if (sample.by_end[i]->has_limits) {
			sending_add_one(&sample, sample.by_end[i]);
			sending_remember(sending, sample.by_end[i]);
		}
	sending_turn(sending);
	sending->time_ns = now_ns;
	sending->cut = cut;
	free(sample.worst);
	free(sample.by_end);
	free(sample.servers);
}

void sending_write(struct str *text, const struct sending *sending)
{
	size_t i, before = text->len;

	for (i = 0; i < sending->n; i++) {
		const struct sending_place *place = &sending->list[i];

		str_addf(text,
			"%s %" PRIu32 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu32 " %" PRIu32
			" %" PRIu32 " %" PRIu32 "\n",
			place->name, place->connections, place->busy_us, place->receiver_us,
			place->buffer_us, place->repeats, place->large_repeats,
			place->receiver_inode, place->sender_inode);
	}
	if (text->len == before)
		str_add(text, ".\n");
}

static bool sending_parse_line(const char **at, const char *end, struct sending_place *out)
{
	size_t len = 0, i;
	uint64_t number[8];

	while (*at + len < end && (unsigned char)(*at)[len] > ' ')
		len++;
	if (!len || len >= sizeof(out->name) || *at + len == end || (*at)[len] != ' ')
		return false;
	*out = (struct sending_place){0};
	memcpy(out->name, *at, len);
	*at += len;
	for (i = 0; i < ARRAY_SIZE(number); i++)
		if (*at >= end || *(*at)++ != ' ' || *at >= end || **at == ' ' ||
			num_next(at, end, &number[i]))
			return false;
	out->connections = (uint32_t)number[0];
	out->busy_us = number[1];
	out->receiver_us = number[2];
	out->buffer_us = number[3];
	out->repeats = (uint32_t)number[4];
	out->large_repeats = (uint32_t)number[5];
	out->receiver_inode = (uint32_t)number[6];
	out->sender_inode = (uint32_t)number[7];
	return *at < end && *(*at)++ == '\n';
}

int sending_parse(struct sending *out, const char *text, size_t len)
{
	const char *at = text, *end = text + len;
	struct sending_place place;
	bool wrong = !len;

	if (len == 2 && !memcmp(text, ".\n", 2))
		return 0;
	while (at < end && !wrong) {
		wrong = out->n > SENDING_PLACES_MAX || !sending_parse_line(&at, end, &place);
		if (wrong)
			break;
		ARRAY_GROW(out->list, out->n, out->room);
		out->list[out->n++] = place;
	}
	if (!wrong)
		return 0;
	sending_free(out);
	return -EBADMSG;
}

const struct sending_place *sending_find(const struct sending *sending, const char *name)
{
	size_t i;

	for (i = 0; i < sending->n; i++)
		if (!strcmp(sending->list[i].name, name))
			return &sending->list[i];
	return NULL;
}

const char *sending_class(const char *name)
{
	if (*name == ':')
		return "server";
	if (str_starts(name, LOCAL) || str_starts(name, "127.") || str_starts(name, "[::1]"))
		return "local";
	return strcmp(name, SENDING_OTHERS) != 0 ? "client" : "server";
}

void sending_free(struct sending *sending)
{
	free(sending->list);
	free(sending->before);
	free(sending->now);
	instances_free(sending->names);
	*sending = (struct sending){0};
}
