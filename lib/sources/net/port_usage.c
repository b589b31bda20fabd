/* SPDX-License-Identifier: GPL-2.0-only */
/* Where do connections lead, and when is there no local port left for more of them? */
#include "base/banned.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>

#include "sources/net/port_usage.h"
#include "sources/common/parse_text.h"
#include "base/str.h"

#define REUSE_SECONDS 1
/* Those whose growth is followed. */
#define COMPARED 64

static bool is_set(const uint8_t *bits, unsigned int port)
{
	return bits[port / 8] & 1 << port % 8;
}

static void set(uint8_t *bits, unsigned int port)
{
	bits[port / 8] |= (uint8_t)(1 << port % 8);
}

void destinations_reserve(struct destinations *all, struct bytes list)
{
	struct bytes line, item, first;
	double low, high, port;

	if (!text_line(&list, &line))
		return;
	while (line.len) {
		if (!text_until(&line, ',', &item)) {
			item = line;
			line.len = 0;
		}
		if (!text_until(&item, '-', &first))
			first = item;
		if (!text_number(first, &low) || !text_number(item, &high))
			continue;
		for (port = low < 1 ? 1 : low; port <= high && port <= UINT16_MAX; port++)
			set(all->reserved, (unsigned int)port);
	}
}

unsigned int destinations_ports(const struct destinations *all)
{
	unsigned int port, n = 0;

	for (port = all->low; port <= all->high; port++) {
		unsigned int taken = all->reserved[port / 8] | all->listens[port / 8];

		/* Ranges are of tens of thousands of ports: eight at a time, where all are in it.
		 */
		if (port % 8 == 0 && port + 7 <= all->high) {
			n += 8 - (unsigned int)__builtin_popcount(taken);
			port += 7;
		} else {
			n += !(taken >> port % 8 & 1);
		}
	}
	return n;
}

void destinations_add(void *arg, const struct sock_connection *connection)
{
	struct destinations *all = arg;

	if (connection->listens) {
		set(all->listens, connection->local_port);
		return;
	}
	all->cut |= all->n_connections == CONNECTIONS_MAX;
	if (all->cut)
		return;
	ARRAY_GROW(all->connections, all->n_connections, all->room_connections);
	all->connections[all->n_connections++] = *connection;
}

static int compare_keys(const struct sock_connection *left, const struct sock_connection *right)
{
	int order = memcmp(left->remote, right->remote, sizeof(left->remote));

	if (!order)
		order = memcmp(left->local, right->local, sizeof(left->local));
	if (!order)
		order = left->remote_port - right->remote_port;
	return order ? order : left->family - right->family;
}

static int by_key(const void *a, const void *b)
{
	return compare_keys(a, b);
}

static bool destinations_is_loopback(const struct sock_connection *connection)
{
	static const uint8_t six[16] = {[15] = 1}, mapped[13] = {[10] = 0xff, [11] = 0xff, 127};

	if (connection->family == AF_INET)
		return connection->remote[0] == 127 || connection->local[0] == 127;
	return !memcmp(connection->remote, six, sizeof(six)) ||
		!memcmp(connection->remote, mapped, sizeof(mapped));
}

static void add_time_wait(struct destination *destination, const struct sock_connection *connection)
{
	uint32_t left = connection->left_ms / 1000, age;

	if (left >= TIME_WAIT_SECONDS)
		left = TIME_WAIT_SECONDS - 1;
	age = TIME_WAIT_SECONDS - 1 - left;
	destination->time_wait++;
	if (age < STEADY_SECONDS)
		destination->recent[age]++;
	if (!destination->reuse)
		destination->until[left + 1]++;
	else if (age < REUSE_SECONDS)
		destination->until[REUSE_SECONDS]++;
}

static struct destination *next_destination(
	struct destinations *all, const struct sock_connection *key)
{
	struct destination *destination;

	ARRAY_GROW(all->list, all->n, all->room);
	destination = &all->list[all->n++];
	*destination = (struct destination){.key = *key, .reuse = all->reuse == 1};
	if (all->reuse == 2)
		destination->reuse = destinations_is_loopback(key);
	return destination;
}

static int most_first(const void *a, const void *b)
{
	const struct destination *left = a, *right = b;
	unsigned int x = destination_taken(left), y = destination_taken(right);

	if (x != y)
		return x < y ? 1 : -1;
	if (left->time_wait != right->time_wait)
		return left->time_wait < right->time_wait ? 1 : -1;
	return compare_keys(&left->key, &right->key);
}

static void count_connection(
	struct destination *destination, const struct sock_connection *connection)
{
	if (connection->inode)
		destination->inode = connection->inode;
	if (connection->time_wait)
		add_time_wait(destination, connection);
	else
		destination->open++;
}

/* Whether it has a port of the range, which it did not get by being accepted from a listener. */
static bool destinations_is_client(
	const struct destinations *all, const struct sock_connection *connection)
{
	return !is_set(all->listens, connection->local_port) &&
		connection->local_port >= all->low && connection->local_port <= all->high;
}

/* Where those end that lead where number i does; *clients: how many of them there are. */
static size_t destinations_group_end(const struct destinations *all, size_t i, size_t *clients)
{
	const struct sock_connection *key = &all->connections[i];

	for (*clients = 0; i < all->n_connections && !compare_keys(key, &all->connections[i]); i++)
		*clients += destinations_is_client(all, &all->connections[i]);
	return i;
}

/* How many connections a destination must have at least, so that there is room for all of those. */
static size_t destinations_least(const struct destinations *all)
{
	enum { MOST = CONNECTIONS_MAX / DESTINATIONS_MAX };
	size_t of_size[MOST + 1] = {0}, i = 0, clients, size, n = 0;

	while (i < all->n_connections) {
		i = destinations_group_end(all, i, &clients);
		of_size[clients < MOST ? clients : MOST]++;
	}
	for (size = MOST; size > 0; size--) {
		n += of_size[size];
		if (n > DESTINATIONS_MAX)
			return size + 1;
	}
	return 1;
}

static void destinations_count_group(
	struct destinations *all, size_t from, size_t to, bool is_listed)
{
	struct destination *destination = NULL;
	size_t i;

	for (i = from; i < to; i++) {
		const struct sock_connection *connection = &all->connections[i];

		if (is_set(all->listens, connection->local_port)) {
			all->server_time_wait += connection->time_wait;
		} else if (destinations_is_client(all, connection)) {
			if (is_listed && !destination)
				destination = next_destination(all, connection);
			if (destination)
				count_connection(destination, connection);
			else
				all->other_time_wait += connection->time_wait;
		}
	}
}

void destinations_count(struct destinations *all)
{
	size_t from, to, clients, least;

	if (all->n_connections)
		qsort(all->connections, all->n_connections, sizeof(*all->connections), by_key);
	least = destinations_least(all);
	for (from = 0; from < all->n_connections; from = to) {
		to = destinations_group_end(all, from, &clients);
		destinations_count_group(all, from, to, clients >= least);
	}
	if (all->n)
		qsort(all->list, all->n, sizeof(*all->list), most_first);
}

void destinations_free(struct destinations *all)
{
	free(all->connections);
	free(all->list);
	*all = (struct destinations){0};
}

static const struct destination *destinations_find(
	const struct destinations *all, const struct destination *like)
{
	size_t i;

	for (i = 0; i < all->n && i < COMPARED; i++)
		if (!compare_keys(&all->list[i].key, &like->key))
			return &all->list[i];
	return NULL;
}

void destinations_compare(
	struct destinations *now, const struct destinations *before, double seconds)
{
	size_t i;

	for (i = 0; i < now->n && i < COMPARED; i++) {
		struct destination *destination = &now->list[i];
		const struct destination *then = destinations_find(before, destination);

		destination->grew = ((double)destination->open - (then ? then->open : 0)) / seconds;
		destination->grew_before = then ? then->grew : 0;
	}
}

unsigned int destination_taken(const struct destination *destination)
{
	unsigned int taken = destination->open, i;

	for (i = 1; i <= TIME_WAIT_SECONDS; i++)
		taken += destination->until[i];
	return taken;
}

double destination_closed_per_second(const struct destination *destination)
{
	uint32_t least = destination->recent[0];
	size_t i;

	for (i = 1; i < STEADY_SECONDS; i++)
		if (destination->recent[i] < least)
			least = destination->recent[i];
	return least;
}

void destination_name(const struct destination *destination, char *out, size_t size)
{
	const struct sock_connection *key = &destination->key;
	char ip[INET6_ADDRSTRLEN] = "?";

	inet_ntop(key->family, key->remote, ip, sizeof(ip));
	snprintf(out, size, key->family == AF_INET6 ? "[%s]:%u" : "%s:%u", ip, key->remote_port);
}

static double growth_of(const struct destination *destination)
{
	double slower = destination->grew < destination->grew_before ? destination->grew
								     : destination->grew_before;

	return slower > 0 ? slower : 0;
}

double destination_forecast(const struct destination *destination, double ports, double *seconds)
{
	double rate = destination_closed_per_second(destination), growth = growth_of(destination);
	double life = destination->reuse ? REUSE_SECONDS : TIME_WAIT_SECONDS;
	double held = (double)destination_taken(destination) - destination->open;
	double most = destination->open + held, taken;
	unsigned int t;

	*seconds = most >= ports ? 0 : -1;
	for (t = 1; t <= TIME_WAIT_SECONDS; t++) {
		held -= destination->until[t];
		taken = destination->open + growth * t + held + rate * (t < life ? t : life);
		if (taken > most)
			most = taken;
		if (*seconds < 0 && taken >= ports)
			*seconds = t;
	}
	if (*seconds < 0 && growth > 0)
		*seconds = (ports - destination->open - rate * life) / growth;
	return most;
}
