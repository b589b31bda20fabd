/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How many local ports are taken by connections to one and the same place? A connection needs a
 * local port that no other connection to the same address and port has, and sysctl
 * net.ipv4.ip_local_port_range says which there are. Instances are the network namespaces.
 *
 * Which connection goes where only a dump of all of them says, which takes the kernel milliseconds.
 * It is asked for where there are connections for half of the ports at least: busiest is exact
 * then, and otherwise the number of all connections, which it cannot exceed. Ports that connect()
 * takes again although a closed connection is remembered by them (tcp_tw_reuse) count as free.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <stdio.h>

#include "sockdiag.h"
#include "sockowner.h"
#include "sources/netfamily.h"
#include "sources/parsers.h"
#include "sources/text.h"
#include "str.h"

#define CONNECTIONS_MAX (1 << 20)

/* All between one local address and one remote address and port. */
struct flow {
	struct sock_connection key;
	uint32_t inode;
};

struct gathering {
	uint16_t low, high; /* the range of ports */
	int reuse;	    /* as in tcp_tw_reuse */
	struct flow *list;
	size_t n, room;
};

struct place {
	char *name;
	bool asked;
	double busiest, opens; /* when it was asked */
	uint32_t inode;	       /* of a connection to the busiest place */
	char destination[64];
};

struct ports_state {
	void *family;
	struct place *places;
	size_t n, room;
};

struct reader {
	struct procfs *fs;
	struct ports_state *state;
	struct sink *sink;
};

static bool is_loopback(const struct sock_connection *connection)
{
	static const uint8_t six[16] = {[15] = 1};

	if (connection->family == AF_INET)
		return connection->remote[0] == 127;
	return !memcmp(connection->remote, six, sizeof(six));
}

static bool is_free_again(const struct gathering *all, const struct sock_connection *connection)
{
	return connection->time_wait &&
		(all->reuse == 1 || (all->reuse == 2 && is_loopback(connection)));
}

static void gather(void *arg, const struct sock_connection *connection)
{
	struct gathering *all = arg;
	struct flow *flow;

	if (connection->local_port < all->low || connection->local_port > all->high ||
		is_free_again(all, connection) || all->n == CONNECTIONS_MAX)
		return;
	ARRAY_GROW(all->list, all->n, all->room);
	flow = &all->list[all->n++];
	*flow = (struct flow){.inode = connection->inode};
	flow->key.family = connection->family;
	flow->key.remote_port = connection->remote_port;
	memcpy(flow->key.local, connection->local, sizeof(flow->key.local));
	memcpy(flow->key.remote, connection->remote, sizeof(flow->key.remote));
}

static int compare_places(const struct flow *left, const struct flow *right)
{
	int order = memcmp(left->key.remote, right->key.remote, sizeof(left->key.remote));

	if (!order)
		order = memcmp(left->key.local, right->key.local, sizeof(left->key.local));
	if (!order)
		order = left->key.remote_port - right->key.remote_port;
	return order ? order : left->key.family - right->key.family;
}

/* Those that a program still has come first. */
static int compare(const void *a, const void *b)
{
	const struct flow *left = a, *right = b;
	int order = compare_places(left, right);

	return order ? order : (left->inode < right->inode) - (left->inode > right->inode);
}

static void destination_of(const struct sock_connection *key, char *out, size_t size)
{
	char ip[INET6_ADDRSTRLEN] = "?";

	inet_ntop(key->family, key->remote, ip, sizeof(ip));
	snprintf(out, size, key->family == AF_INET6 ? "[%s]:%u" : "%s:%u", ip, key->remote_port);
}

/* "COUNT INODE DESTINATION" of the place that most ports lead to. */
static void write_busiest(struct gathering *all, struct str *text)
{
	size_t i, first = 0, best = 0, most = 0;
	char destination[64];

	if (!all->n)
		return;
	qsort(all->list, all->n, sizeof(*all->list), compare);
	for (i = 0; i < all->n; i++) {
		if (compare_places(&all->list[first], &all->list[i]))
			first = i;
		if (i - first + 1 <= most)
			continue;
		most = i - first + 1;
		best = first;
	}
	destination_of(&all->list[best].key, destination, sizeof(destination));
	str_addf(text, "%zu %u %s\n", most, all->list[best].inode, destination);
}

static int ask(struct reader *reader, const char *name, struct gathering *all, struct str *text)
{
	int fd = netfamily_socket(reader->state->family, name, NETLINK_SOCK_DIAG);
	int err;

	if (fd < 0)
		return fd;
	err = sockdiag_connections(fd, SOCKDIAG_TCP4, gather, all);
	if (err)
		return err;
	/* A kernel without IPv6 has none of its connections. */
	err = sockdiag_connections(fd, SOCKDIAG_TCP6, gather, all);
	if (err && err != -ENOENT)
		return err;
	write_busiest(all, text);
	if (!text->len)
		str_add(text, "0 0 -\n");
	return 0;
}

bool parse_busiest(
	struct bytes text, double *count, uint32_t *inode, char *destination, size_t size)
{
	struct bytes line, word;
	double number;

	if (!text_line(&text, &line) || !text_next_number(&line, count) || *count < 0 ||
		!text_next_number(&line, &number) || number < 0 || number > UINT32_MAX)
		return false;
	*inode = (uint32_t)number;
	return text_word(&line, &word) && text_copy(word, destination, size);
}

static struct place *intern_place(struct ports_state *state, const char *name)
{
	size_t i;

	for (i = 0; i < state->n; i++)
		if (!strcmp(state->places[i].name, name))
			return &state->places[i];
	ARRAY_GROW(state->places, state->n, state->room);
	state->places[state->n] = (struct place){.name = mem_strdup(name)};
	return &state->places[state->n++];
}

/* What a dump says, or what it said when this was recorded. */
static void ask_busiest(struct reader *reader, struct place *place, struct gathering *all)
{
	const char *name = place->name;
	char *blob = mem_printf("ports-%s", name);
	struct str text = STR_INIT;
	struct bytes recorded;
	double reuse = 0;
	int err = 0;

	if (procfs_is_replay(reader->fs)) {
		err = procfs_get_blob(reader->fs, blob, &recorded);
	} else {
		if (!netfamily_read(reader->fs, name, "ipv4/tcp_tw_reuse", &recorded) &&
			parse_value(recorded, 0, &reuse))
			all->reuse = (int)reuse;
		err = ask(reader, name, all, &text);
		procfs_put_blob(reader->fs, blob, str_text(&text), text.len);
		recorded = (struct bytes){str_text(&text), text.len};
	}
	place->asked = !err &&
		parse_busiest(recorded, &place->busiest, &place->inode, place->destination,
			sizeof(place->destination));
	if (err)
		sink_missing(reader->sink, "connections cannot be listed: %s", strerror(-err));
	free(blob);
	str_free(&text);
}

static void put_busiest(struct reader *reader, const struct place *place, const char *label)
{
	char *shown = mem_printf("%s, to %s", label ? label : place->name, place->destination);

	sink_put(reader->sink, place->name, "busiest", place->busiest);
	sink_label(reader->sink, place->name, shown);
	free(shown);
}

/* Of connections there are no more than sockets in use and those that TIME_WAIT remembers. */
static double count_sockets(struct reader *reader, const char *name)
{
	double sum = 0, value;
	struct bytes text;
	size_t i;
	static const struct {
		const char *file, *line, *field;
	} parts[] = {
		{"sockstat", "TCP:", "inuse"},
		{"sockstat", "TCP:", "tw"},
		{"sockstat6", "TCP6:", "inuse"},
	};

	for (i = 0; i < ARRAY_SIZE(parts); i++) {
		if (!netfamily_read(reader->fs, name, parts[i].file, &text) &&
			parse_sockstat_field(text, parts[i].line, parts[i].field, &value))
			sum += value;
		else if (i < 2)
			return -1;
	}
	return sum;
}

bool parse_sockstat_field(struct bytes text, const char *name, const char *field, double *out)
{
	struct bytes line, word;

	while (text_line(&text, &line)) {
		if (!text_word(&line, &word) || !text_is(word, name))
			continue;
		while (text_word(&line, &word) && text_next_number(&line, out))
			if (text_is(word, field))
				return *out >= 0;
	}
	return false;
}

bool parse_pair_field(struct bytes text, const char *name, const char *field, double *out)
{
	struct bytes line, before, word, keys = {0};

	while (text_line(&text, &line)) {
		if (!text_until(&line, ':', &before) || !text_is(before, name))
			continue;
		if (!keys.len) {
			keys = line;
			continue;
		}
		while (text_word(&keys, &word) && text_next_number(&line, out))
			if (text_is(word, field))
				return *out >= 0;
		return false;
	}
	return false;
}

/* More than are taken for any one destination, without asking. */
static double bound_of(
	struct reader *reader, const struct place *place, double sockets, double *opens)
{
	struct bytes text;
	double later;

	*opens = -1;
	if (netfamily_read(reader->fs, place->name, "snmp", &text) ||
		!parse_pair_field(text, "Tcp", "ActiveOpens", opens))
		return sockets;
	if (!place->asked || *opens < place->opens || place->opens < 0)
		return sockets;
	later = place->busiest + *opens - place->opens;
	return later < sockets ? later : sockets;
}

static bool read_range(struct reader *reader, const char *name, double *low, double *high)
{
	struct bytes text;

	return !netfamily_read(reader->fs, name, "ipv4/ip_local_port_range", &text) &&
		parse_value(text, 0, low) && parse_value(text, 1, high) && *low >= 1 &&
		*high <= UINT16_MAX && *high >= *low;
}

static void read_place(void *arg, const char *name, const char *label)
{
	struct reader *reader = arg;
	struct gathering all = {0};
	double low, high, sockets, bound, opens;
	struct place *place;

	sockets = count_sockets(reader, name);
	if (sockets < 0 || !read_range(reader, name, &low, &high))
		return;
	place = intern_place(reader->state, name);
	bound = bound_of(reader, place, sockets, &opens);
	if (label)
		sink_label(reader->sink, name, label);
	sink_put(reader->sink, name, "range", high - low + 1);
	sink_put(reader->sink, name, "sockets", sockets);
	if (bound * 2 < high - low + 1) {
		sink_put(reader->sink, name, "busiest", bound);
		return;
	}
	all.low = (uint16_t)low;
	all.high = (uint16_t)high;
	place->opens = opens;
	ask_busiest(reader, place, &all);
	if (place->asked)
		put_busiest(reader, place, label);
	free(all.list);
}

static int ports_open(struct procfs *fs, void **out)
{
	struct ports_state *state = mem_zalloc(sizeof(*state));

	*out = state;
	return netfamily_open(fs, &state->family);
}

static int ports_read(struct procfs *fs, void *arg, struct sink *sink)
{
	struct ports_state *state = arg;
	struct reader reader = {fs, state, sink};

	netfamily_names(state->family, read_place, sink, &reader);
	return 0;
}

static void ports_close(void *arg)
{
	struct ports_state *state = arg;
	size_t i;

	for (i = 0; i < state->n; i++)
		free(state->places[i].name);
	free(state->places);
	free(state);
}

/* The program that has such connections; where all of them are closed, the place they led to. */
static bool ports_culprit(struct procfs *fs, void *arg, const char *instance, struct culprit *out)
{
	const struct ports_state *state = arg;
	size_t i;

	for (i = 0; i < state->n; i++) {
		if (strcmp(state->places[i].name, instance) != 0)
			continue;
		if (sockowner_find(fs, state->places[i].inode, out))
			return true;
		snprintf(out->kind, sizeof(out->kind), "remote");
		snprintf(out->name, sizeof(out->name), "%s", state->places[i].destination);
		return *out->name != 0;
	}
	return false;
}

SOURCE(ports) = {
	.name = "ports",
	.what = "local ports and the place that most of them are used for, of each network "
		"namespace",
	.open = ports_open,
	.read = ports_read,
	.close = ports_close,
	.culprit = ports_culprit,
};
