/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who waits for the answer of a name server? Without sending anything: the resolver of the C
 * library, of Go, of systemd and others open a socket for each question, connected to port 53, and
 * close it when they have their answer. A socket that opens while we look, and is still there at
 * the next look, waits for it.
 *
 * Instances are the servers, "NAMESPACE/ADDRESS" in other network namespaces. A socket that was
 * there before we looked may be one that a program keeps, so it does not count as waiting.
 */
#include "base/banned.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>

#include "base/num.h"
#include "base/number_map.h"
#include "sample/instances.h"
#include "sources/net/socket_owner.h"
#include "sources/net/net_namespaces.h"
#include "sources/common/parse_text.h"
#include "base/str.h"
#include "sample/sink.h"
#include "base/culprit.h"
#include "sources/net/dns_waits.h"

#define PORT_DNS 53
#define LOOKUPS_MAX 262144
#define NOBODY "any server" /* the instance while nobody asks */

struct lookup {
	size_t server; /* its number */
	uint32_t inode;
	bool kept;    /* was there at the first sample */
	bool waiting; /* was there at the sample before, and not at the first one */
};

struct lookups {
	struct lookup *list;
	size_t n, room;
	struct number_map by_inode; /* their numbers in list */
};

struct lookups_state {
	void *family;
	struct instances *servers; /* each with its namespace */
	struct lookups before, now;
	size_t samples;
};

struct reader {
	struct capture *fs;
	struct lookups_state *state;
	const char *namespace;
	size_t files;
	bool cut; /* there are more lookups than are followed */
	int err;  /* why a file could not be read that is there, or 0 */
};

/* "0100007F" as the kernel prints each 32 bits of an address, which are in network order. */
static bool parse_address(struct bytes hex, char *out, size_t size)
{
	const char *at = hex.data, *end = hex.data + hex.len;
	size_t words = hex.len / 8, i;
	uint32_t address[4];
	uint64_t word;

	if (hex.len != 8 && hex.len != 32)
		return false;
	for (i = 0; i < words; i++, at += 8) {
		const char *from = at;

		if (num_next_hex(&from, at + 8 < end ? at + 8 : end, &word) || from != at + 8)
			return false;
		address[i] = (uint32_t)word;
	}
	return inet_ntop(words == 1 ? AF_INET : AF_INET6, address, out, (socklen_t)size);
}

/* "12: 0100007F:1F90 35FFFF0A:0035 01 00000000:00000000 00:00000000 00000000 0 0 1234 2 00… 0" */
void parse_udp_peers(struct bytes text,
	void (*each)(void *arg, const char *address, uint32_t port, uint32_t inode), void *arg)
{
	enum { PEER = 2, INODE = 9 };
	char address[INET6_ADDRSTRLEN];
	struct bytes line, word, peer, hex;
	double inode;
	uint64_t port;
	size_t i;

	while (text_line(&text, &line)) {
		peer = (struct bytes){0};
		inode = -1;
		for (i = 0; i <= INODE && text_word(&line, &word); i++) {
			if (i == PEER)
				peer = word;
			if (i == INODE && !text_number(word, &inode))
				inode = -1;
		}
		if (inode < 1 || inode > UINT32_MAX || !text_until(&peer, ':', &hex) ||
			!parse_address(hex, address, sizeof(address)) ||
			num_next_hex(&peer.data, peer.data + peer.len, &port) || port > 65535)
			continue;
		if (port)
			each(arg, address, (uint32_t)port, (uint32_t)inode);
	}
}

static const struct lookup *lookups_find(const struct lookups *lookups, uint32_t inode)
{
	size_t i;

	return number_map_get(&lookups->by_inode, inode, &i) ? &lookups->list[i] : NULL;
}

static void lookups_clear(struct lookups *lookups)
{
	lookups->n = 0;
	number_map_clear(&lookups->by_inode);
}

static void add_lookup(void *arg, const char *address, uint32_t port, uint32_t inode)
{
	struct reader *reader = arg;
	struct lookups *now = &reader->state->now;
	const struct lookup *before;
	struct lookup *lookup;
	char server[256];

	if (port != PORT_DNS)
		return;
	reader->cut |= now->n == LOOKUPS_MAX;
	if (reader->cut)
		return;
	snprintf(server, sizeof(server), "%s%s%s", reader->namespace, *reader->namespace ? "/" : "",
		address);
	number_map_add(&now->by_inode, inode, now->n);
	ARRAY_GROW(now->list, now->n, now->room);
	lookup = &now->list[now->n++];
	before = lookups_find(&reader->state->before, inode);
	*lookup = (struct lookup){
		.server = instances_intern(reader->state->servers, server), .inode = inode};
	lookup->kept = before ? before->kept : !reader->state->samples;
	lookup->waiting = before && !lookup->kept;
}

static void lookups_read_place(void *arg, const char *name, const char *label)
{
	static const char *const files[] = {"udp", "udp6"};
	struct reader *reader = arg;
	struct bytes text;
	size_t i;
	int err;

	(void)label;
	reader->namespace = strcmp(name, "host") ? name : "";
	for (i = 0; i < ARRAY_SIZE(files); i++) {
		err = netfamily_read(reader->fs, name, files[i], &text);
		/* Without IPv6 there is no such file; one that is too long may hide who waits. */
		if (err && err != -ENOENT)
			reader->err = err;
		if (err)
			continue;
		reader->files++;
		parse_udp_peers(text, add_lookup, reader);
	}
}

/* What is open to each server, and waits. */
struct lookups_sum {
	double open, waiting;
};

static void put_servers(const struct lookups_state *state, struct sink *sink)
{
	size_t n = instances_count(state->servers), i;
	struct lookups_sum *sums = mem_zalloc((n + 1) * sizeof(*sums));

	for (i = 0; i < state->now.n; i++) {
		struct lookups_sum *sum = &sums[state->now.list[i].server];

		sum->open++;
		sum->waiting += state->now.list[i].waiting;
	}
	for (i = 0; i < n; i++) {
		const char *server = instances_name(state->servers, i);

		if (sums[i].open < 1)
			continue;
		sink_put(sink, server, "open", sums[i].open);
		sink_put(sink, server, "waiting", sums[i].waiting);
	}
	free(sums);
}

static int lookups_open(struct capture *fs, void **out)
{
	struct lookups_state *state = mem_zalloc(sizeof(*state));

	state->servers = instances_new();
	*out = state;
	return netfamily_open(fs, &state->family);
}

static int lookups_read(struct capture *fs, void *arg, struct sink *sink)
{
	struct lookups_state *state = arg;
	struct reader reader = {.fs = fs, .state = state};
	struct lookups last = state->before;

	state->before = state->now;
	state->now = last;
	lookups_clear(&state->now);
	netfamily_names(state->family, lookups_read_place, sink, &reader);
	state->samples++;
	if (!reader.files) {
		sink_missing(sink, "/proc/net/udp cannot be read");
		return -ENOENT;
	}
	if (reader.err)
		sink_missing(
			sink, "some of /proc/net/udp cannot be read: %s", strerror(-reader.err));
	if (reader.cut)
		sink_missing(sink,
			"more than %d sockets ask name servers: the rest is not followed",
			LOOKUPS_MAX);
	/* What was looked at is not unknown because other namespaces could not be. */
	if (!state->now.n) {
		sink_put(sink, NOBODY, "open", 0);
		sink_put(sink, NOBODY, "waiting", 0);
	}
	put_servers(state, sink);
	return 0;
}

static void lookups_close(void *arg)
{
	struct lookups_state *state = arg;

	free(state->before.list);
	free(state->now.list);
	number_map_free(&state->before.by_inode);
	number_map_free(&state->now.by_inode);
	instances_free(state->servers);
	free(state);
}

/* The program that waits; it may have got its answer by the last sample. */
static bool lookups_culprit(
	struct capture *fs, void *arg, const char *instance, struct culprit *out)
{
	const struct lookups_state *state = arg;
	const struct lookups *samples[] = {&state->now, &state->before};
	long server = instances_find(state->servers, instance);
	size_t i, k;

	for (i = 0; server >= 0 && i < ARRAY_SIZE(samples); i++)
		for (k = 0; k < samples[i]->n; k++)
			if (samples[i]->list[k].waiting &&
				samples[i]->list[k].server == (size_t)server &&
				sockowner_find(fs, samples[i]->list[k].inode, out))
				return true;
	return false;
}

SOURCE(lookups) = {
	.name = "lookups",
	.what = "sockets that ask a name server, and those that still wait, by server",
	.open = lookups_open,
	.read = lookups_read,
	.close = lookups_close,
	.culprit = lookups_culprit,
};
