/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Does UDP lose what came in, and whose socket is it? Instances are the network namespaces, ours is
 * "host"; IPv4 and IPv6 are added up.
 *
 * The kernel's counters know no socket, the tables of sockets do: their last column is how much
 * each lost in its life. They are read where the counters move, and before that where something was
 * lost since boot: what a socket lost meanwhile is the difference. Where nothing is lost they cost
 * nothing.
 */
#include "base/banned.h"

#include <errno.h>

#include "sources/net/socket_owner.h"
#include "sources/net/net_namespaces.h"
#include "sources/common/parse_text.h"
#include "base/str.h"
#include "sample/instances.h"
#include "sample/sink.h"
#include "base/culprit.h"
#include "sources/net/udp.h"

/* As snmp calls them behind "Udp", and snmp6 behind "Udp6". */
static const struct {
	const char *kernel, *field;
} counters[] = {
	{"InDatagrams", "in_datagrams"},
	{"OutDatagrams", "out_datagrams"},
	{"InErrors", "in_errors"},
	{"RcvbufErrors", "rcvbuf_errors"},
	{"SndbufErrors", "sndbuf_errors"},
	{"MemErrors", "mem_errors"},
	{"InCsumErrors", "csum_errors"},
};
enum { RCVBUF = 3 };

struct socket {
	uint32_t inode;
	double drops;
};

struct sockets {
	struct socket *list;
	size_t n, room;
};

struct udp_place {
	double lost; /* at the sample before */
	struct sockets before, now;
	bool sampled;
	bool unknown; /* what sockets had lost before is not known: nor what they lost since */
};

struct udp_state {
	void *family;
	struct instances *names; /* of the places */
	struct udp_place **places;
	size_t n, room;
};

struct reader {
	struct capture *fs;
	struct udp_state *state;
	struct sink *sink;
};

static void add_socket(void *arg, uint32_t inode, double drops)
{
	struct sockets *sockets = arg;

	ARRAY_GROW(sockets->list, sockets->n, sockets->room);
	sockets->list[sockets->n++] = (struct socket){inode, drops};
}

/* "  12: 0100007F:1F90 00000000:0000 07 00000000:00000000 00:00000000 00000000 0 0 1234 2 00… 0" */
void parse_udp_sockets(
	struct bytes text, void (*each)(void *arg, uint32_t inode, double drops), void *arg)
{
	enum { INODE = 9, DROPS = 12 };
	struct bytes line, word;
	double inode, drops;
	size_t i;

	while (text_line(&text, &line)) {
		inode = drops = -1;
		for (i = 0; text_word(&line, &word); i++) {
			if (i == INODE && !text_number(word, &inode))
				break;
			if (i == DROPS && !text_number(word, &drops))
				break;
		}
		if (i == DROPS + 1 && inode > 0 && inode <= UINT32_MAX && drops > 0)
			each(arg, (uint32_t)inode, drops);
	}
}

/* Adds the counters of a line pair "Udp: InDatagrams …" and "Udp: 0 …". */
static void add_pairs(struct bytes keys, struct bytes values, double *sums)
{
	struct bytes key;
	double value;
	size_t i;

	while (text_word(&keys, &key) && text_next_number(&values, &value))
		for (i = 0; i < ARRAY_SIZE(counters); i++)
			if (text_is(key, counters[i].kernel) && value >= 0)
				sums[i] = (sums[i] < 0 ? 0 : sums[i]) + value;
}

static void add_snmp(struct bytes text, double *sums)
{
	struct bytes line, keys = {0}, name;

	while (text_line(&text, &line)) {
		if (!text_until(&line, ':', &name) || !text_is(name, "Udp"))
			continue;
		if (keys.len)
			add_pairs(keys, line, sums);
		keys = line;
	}
}

static void add_snmp6(struct bytes text, double *sums)
{
	struct bytes line, word;
	double value;
	size_t i;

	while (text_line(&text, &line)) {
		if (!text_word(&line, &word) || !text_starts(word, "Udp6") ||
			!text_next_number(&line, &value) || value < 0)
			continue;
		word.data += strlen("Udp6");
		word.len -= strlen("Udp6");
		for (i = 0; i < ARRAY_SIZE(counters); i++)
			if (text_is(word, counters[i].kernel))
				sums[i] = (sums[i] < 0 ? 0 : sums[i]) + value;
	}
}

double parse_udp_counters(
	struct bytes snmp, struct bytes snmp6, struct sink *sink, const char *instance)
{
	double sums[ARRAY_SIZE(counters)];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(counters); i++)
		sums[i] = -1;
	add_snmp(snmp, sums);
	add_snmp6(snmp6, sums);
	for (i = 0; i < ARRAY_SIZE(counters); i++)
		if (sums[i] >= 0)
			sink_put(sink, instance, counters[i].field, sums[i]);
	return sums[RCVBUF];
}

static struct udp_place *udp_find_place(const struct udp_state *state, const char *name)
{
	long i = instances_find(state->names, name);

	return i < 0 ? NULL : state->places[i];
}

static struct udp_place *udp_intern_place(struct udp_state *state, const char *name)
{
	size_t i = instances_intern(state->names, name);

	if (i == state->n) {
		ARRAY_GROW(state->places, state->n, state->room);
		state->places[state->n++] = mem_zalloc(sizeof(struct udp_place));
	}
	return state->places[i];
}

static int udp_compare_inodes(const void *a, const void *b)
{
	const struct socket *x = a, *y = b;

	return (x->inode > y->inode) - (x->inode < y->inode);
}

/* By their inodes. Returns 0 or the -errno of a table that is there and cannot be read. */
static int udp_read_sockets(struct capture *fs, const char *name, struct sockets *out)
{
	static const char *const files[] = {"udp", "udp6"};
	struct bytes text;
	int err = 0, error;
	size_t i;

	out->n = 0;
	for (i = 0; i < ARRAY_SIZE(files); i++) {
		error = netfamily_read(fs, name, files[i], &text);
		if (!error)
			parse_udp_sockets(text, add_socket, out);
		else if (error != -ENOENT)
			err = error;
	}
	if (out->n)
		qsort(out->list, out->n, sizeof(*out->list), udp_compare_inodes);
	return err;
}

/* Of the first sample the sockets of before, of later ones those of now. */
static void follow_sockets(
	struct reader *reader, struct udp_place *place, const char *name, double lost)
{
	if (!place->sampled && lost > 0)
		place->unknown = udp_read_sockets(reader->fs, name, &place->before) != 0;
	else if (place->sampled && lost > place->lost)
		place->unknown |= udp_read_sockets(reader->fs, name, &place->now) != 0;
	place->sampled = true;
	place->lost = lost;
}

static void udp_read_place(void *arg, const char *name, const char *label)
{
	struct reader *reader = arg;
	struct bytes snmp, snmp6 = {0};

	if (netfamily_read(reader->fs, name, "snmp", &snmp))
		return;
	/* Without IPv6 there is no such file. */
	if (netfamily_read(reader->fs, name, "snmp6", &snmp6))
		snmp6 = (struct bytes){"", 0};
	follow_sockets(reader, udp_intern_place(reader->state, name), name,
		parse_udp_counters(snmp, snmp6, reader->sink, name));
	sink_label(reader->sink, name, label);
}

static int udp_open(struct capture *fs, void **out)
{
	struct udp_state *state = mem_zalloc(sizeof(*state));

	state->names = instances_new();
	*out = state;
	return netfamily_open(fs, &state->family);
}

static int udp_read(struct capture *fs, void *arg, struct sink *sink)
{
	struct udp_state *state = arg;
	struct reader reader = {fs, state, sink};

	netfamily_names(state->family, udp_read_place, sink, &reader);
	if (!state->n)
		sink_missing(sink, "/proc/net/snmp cannot be read");
	return state->n ? 0 : -ENOENT;
}

static void udp_close(void *arg)
{
	struct udp_state *state = arg;
	size_t i;

	for (i = 0; i < state->n; i++) {
		free(state->places[i]->before.list);
		free(state->places[i]->now.list);
		free(state->places[i]);
	}
	free(state->places);
	instances_free(state->names);
	free(state);
}

/* What the socket lost since the first sample; one that was not there then began at 0. */
static double loss_of(const struct udp_place *place, const struct socket *socket)
{
	const struct socket *before = place->before.n
		? bsearch(socket, place->before.list, place->before.n, sizeof(*socket),
			  udp_compare_inodes)
		: NULL;

	return socket->drops - (before ? before->drops : 0);
}

static bool udp_culprit(struct capture *fs, void *arg, const char *instance, struct culprit *out)
{
	const struct udp_place *place = udp_find_place(arg, instance);
	const struct socket *worst = NULL;
	double most = 0;
	size_t i;

	for (i = 0; place && !place->unknown && i < place->now.n; i++) {
		double lost = loss_of(place, &place->now.list[i]);

		if (lost > most) {
			most = lost;
			worst = &place->now.list[i];
		}
	}
	return worst && sockowner_find(fs, worst->inode, out);
}

SOURCE(udp) = {
	.name = "udp",
	.what = "UDP datagrams and losses, IPv4 and IPv6, of each network namespace",
	.open = udp_open,
	.read = udp_read,
	.close = udp_close,
	.culprit = udp_culprit,
};
