/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How many local ports are taken by connections to one and the same place, and when are all of them
 * (see port_usage.h)? Instances are the network namespaces, and the places that most connections
 * lead to: those have open, time_wait and closed_per_second.
 *
 * Which connection goes where only a dump of all of them says, which takes the kernel milliseconds.
 * It is asked for where there are connections for half of the ports at least, or some were opened
 * since the last sample: busiest and forecast are exact then, and otherwise the number of all
 * connections, which they cannot exceed.
 */
#include "base/banned.h"

#include <errno.h>
#include <linux/netlink.h>
#include <stdio.h>

#include "base/clock.h"
#include "sources/net/port_usage.h"
#include "capture/sockdiag.h"
#include "sources/net/socket_owner.h"
#include "sources/net/net_namespaces.h"
#include "sources/net/local_ports_text.h"
#include "sources/common/parse_text.h"
#include "base/str.h"
#include "sample/instances.h"
#include "sample/sink.h"
#include "base/culprit.h"
#include "sources/net/net_field.h"
#include "sources/common/value_files.h"

/* So many connections opened since the last sample are worth a look at where they lead. */
#define OPENS_WORTH_A_LOOK 20

struct ports_place {
	char *name;
	bool asked, counted;
	double opens_before; /* at the last sample, if it was counted */
	double opens;	     /* when it was asked */
	struct port_lines lines;
	struct destinations before;
	double before_seconds; /* when those were counted */
};

struct ports_state {
	void *family;
	struct instances *names; /* of the places */
	struct ports_place *places;
	size_t n, room;
};

struct reader {
	struct capture *fs;
	struct ports_state *state;
	struct sink *sink;
};

static int dump(struct reader *reader, const char *name, struct destinations *all)
{
	int fd = netfamily_socket(reader->state->family, name, NETLINK_SOCK_DIAG);
	int err;

	if (fd < 0)
		return fd;
	err = sockdiag_connections(fd, destinations_add, all);
	if (err)
		return err;
	destinations_count(all);
	return 0;
}

/* Takes the contents of all over. */
static void ports_keep(struct ports_place *place, struct destinations *all)
{
	destinations_free(&place->before);
	place->before = *all;
	free(place->before.connections);
	place->before.connections = NULL;
	place->before.n_connections = place->before.room_connections = 0;
	*all = (struct destinations){0};
}

static int ports_ask(struct reader *reader, struct ports_place *place, struct destinations *all,
	struct str *text)
{
	double now = monotonic_seconds();
	int err = dump(reader, place->name, all);

	if (err)
		return err;
	if (place->before_seconds > 0 && now > place->before_seconds)
		destinations_compare(all, &place->before, now - place->before_seconds);
	port_lines_write(text, all);
	ports_keep(place, all);
	place->before_seconds = now;
	return 0;
}

static struct ports_place *ports_intern_place(struct ports_state *state, const char *name)
{
	size_t i = instances_intern(state->names, name);

	if (i == state->n) {
		ARRAY_GROW(state->places, state->n, state->room);
		state->places[state->n++] = (struct ports_place){.name = mem_strdup(name)};
	}
	return &state->places[i];
}

/* What a dump says, or what it said when this was recorded. */
static void ask_destinations(
	struct reader *reader, struct ports_place *place, struct destinations *all)
{
	const char *name = place->name;
	char *blob = mem_printf("ports-%s", name);
	struct str text = STR_INIT;
	struct bytes recorded;
	double reuse = 0;
	int err = 0;

	if (capture_is_replay(reader->fs)) {
		err = capture_get_blob(reader->fs, blob, &recorded);
	} else {
		if (!netfamily_read(reader->fs, name, "ipv4/tcp_tw_reuse", &recorded) &&
			parse_value(recorded, 0, &reuse))
			all->reuse = (int)reuse;
		err = ports_ask(reader, place, all, &text);
		capture_put_blob(reader->fs, blob, str_text(&text), text.len);
		recorded = (struct bytes){str_text(&text), text.len};
	}
	place->asked = !err && parse_port_lines(recorded, &place->lines);
	if (err)
		sink_missing(reader->sink, "connections cannot be listed: %s",
			capture_why_untold(reader->fs, err));
	else if (place->asked && place->lines.cut)
		sink_missing(reader->sink, "more than %d connections: the rest was not looked at",
			CONNECTIONS_MAX);
	free(blob);
	str_free(&text);
}

static void put_destination(
	struct reader *reader, const struct ports_place *place, const struct port_line *line)
{
	bool ours = !strcmp(place->name, "host");
	char *name =
		mem_printf("%s%s%s", ours ? "" : place->name, ours ? "" : " ", line->destination);

	sink_put(reader->sink, name, "open", line->open);
	sink_put(reader->sink, name, "time_wait", line->time_wait);
	sink_put(reader->sink, name, "closed_per_second", line->closed_per_second);
	free(name);
}

/* Where it is nearest to the end, if that is in sight, else where most ports are taken. */
static const struct port_line *ports_worst_line(const struct port_lines *lines)
{
	return lines->seconds >= 0 ? &lines->soonest : &lines->busiest;
}

static void put_lines(struct reader *reader, const struct ports_place *place, const char *label)
{
	const struct port_lines *lines = &place->lines;
	char *shown = mem_printf("%s, to %s", label, ports_worst_line(lines)->destination);
	size_t i;

	sink_put(reader->sink, place->name, "busiest", lines->taken);
	sink_put(reader->sink, place->name, "forecast", lines->forecast);
	if (lines->ports > 0)
		sink_put(reader->sink, place->name, "ports", lines->ports);
	if (lines->seconds >= 0)
		sink_put(reader->sink, place->name, "seconds_left", lines->seconds);
	if (lines->has_time_wait) {
		sink_put(reader->sink, place->name, "client_time_wait", lines->client_time_wait);
		sink_put(reader->sink, place->name, "server_time_wait", lines->server_time_wait);
	}
	for (i = 0; i < lines->n; i++)
		put_destination(reader, place, &lines->list[i]);
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

/* More than are taken for any one destination, without asking. */
static double bound_of(const struct ports_place *place, double sockets, double opens)
{
	double later;

	if (opens < 0 || !place->asked || opens < place->opens || place->opens < 0)
		return sockets;
	later = place->lines.taken + opens - place->opens;
	return later < sockets ? later : sockets;
}

static bool read_range(struct reader *reader, const char *name, double *low, double *high)
{
	struct bytes text;

	return !netfamily_read(reader->fs, name, "ipv4/ip_local_port_range", &text) &&
		parse_value(text, 0, low) && parse_value(text, 1, high) && *low >= 1 &&
		*high <= UINT16_MAX && *high >= *low;
}

/* How many connections were opened since the namespace was made, or -1. */
static double read_opens(struct reader *reader, const char *name)
{
	struct bytes text;
	double opens;

	if (netfamily_read(reader->fs, name, "snmp", &text) ||
		!parse_pair_field(text, "Tcp", "ActiveOpens", &opens))
		return -1;
	return opens;
}

static bool is_worth_a_look(struct ports_place *place, double bound, double ports, double opens)
{
	bool many = place->counted && opens >= place->opens_before + OPENS_WORTH_A_LOOK;

	place->counted = opens >= 0;
	place->opens_before = opens;
	return many || bound * 2 >= ports;
}

static void read_namespace(struct reader *reader, const char *name, const char *label,
	double sockets, struct destinations *all)
{
	double opens = read_opens(reader, name), bound, ports;
	struct ports_place *place = ports_intern_place(reader->state, name);
	struct bytes text;

	bound = bound_of(place, sockets, opens);
	if (!netfamily_read(reader->fs, name, "ipv4/ip_local_reserved_ports", &text))
		destinations_reserve(all, text);
	ports = destinations_ports(all);
	sink_label(reader->sink, name, label);
	sink_put(reader->sink, name, "range", (double)all->high - all->low + 1);
	sink_put(reader->sink, name, "ports", ports);
	sink_put(reader->sink, name, "sockets", sockets);
	if (!is_worth_a_look(place, bound, ports, opens)) {
		sink_put(reader->sink, name, "busiest", bound);
		sink_put(reader->sink, name, "forecast", bound);
		return;
	}
	place->opens = opens;
	ask_destinations(reader, place, all);
	if (place->asked)
		put_lines(reader, place, label);
}

static void ports_read_place(void *arg, const char *name, const char *label)
{
	struct reader *reader = arg;
	struct destinations all = {0};
	double low, high, sockets;

	sockets = count_sockets(reader, name);
	if (sockets < 0 || !read_range(reader, name, &low, &high))
		return;
	all.low = (uint16_t)low;
	all.high = (uint16_t)high;
	read_namespace(reader, name, label, sockets, &all);
	destinations_free(&all);
}

static int ports_open(struct capture *fs, void **out)
{
	struct ports_state *state = mem_zalloc(sizeof(*state));

	state->names = instances_new();
	*out = state;
	return netfamily_open(fs, &state->family);
}

static int ports_read(struct capture *fs, void *arg, struct sink *sink)
{
	struct ports_state *state = arg;
	struct reader reader = {fs, state, sink};

	netfamily_names(state->family, ports_read_place, sink, &reader);
	return 0;
}

static void ports_close(void *arg)
{
	struct ports_state *state = arg;
	size_t i;

	for (i = 0; i < state->n; i++) {
		free(state->places[i].name);
		destinations_free(&state->places[i].before);
	}
	free(state->places);
	instances_free(state->names);
	free(state);
}

/* The program that has such connections; where all of them are closed, the place they led to. */
static bool ports_culprit(struct capture *fs, void *arg, const char *instance, struct culprit *out)
{
	const struct ports_state *state = arg;
	long i = instances_find(state->names, instance);
	const struct port_line *worst;

	if (i < 0)
		return false;
	worst = ports_worst_line(&state->places[i].lines);
	if (sockowner_find(fs, worst->inode, out))
		return true;
	snprintf(out->kind, sizeof(out->kind), "remote");
	snprintf(out->name, sizeof(out->name), "%s", worst->destination);
	return *out->name != 0;
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
