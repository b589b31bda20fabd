/* SPDX-License-Identifier: GPL-2.0-only */
/* What did a look at all connections find, in words that a recording can hold? */
#include "base/banned.h"
#include "sources/net/port_usage.h"
#include "sources/net/local_ports_text.h"
#include "sources/common/parse_text.h"
#include "base/str.h"

static void write_time_wait(struct str *text, const struct destinations *all)
{
	size_t i;
	double clients = all->other_time_wait;

	for (i = 0; i < all->n; i++)
		clients += all->list[i].time_wait;
	str_addf(text, "time-wait %.0f %u\n", clients, all->server_time_wait);
	if (all->cut)
		str_add(text, "cut\n");
}

/* Where the end comes first, or where most ports will be taken if it never comes. */
static void write_soonest(struct str *text, const struct destinations *all)
{
	double ports = destinations_ports(all), seconds, forecast, best_seconds = -1, most = -1;
	const struct destination *best = NULL;
	char name[64];
	size_t i;

	for (i = 0; i < all->n; i++) {
		forecast = destination_forecast(&all->list[i], ports, &seconds);
		if (best &&
			(best_seconds >= 0 ? seconds < 0 || seconds >= best_seconds
					   : seconds < 0 && forecast <= most))
			continue;
		best = &all->list[i];
		best_seconds = seconds;
		most = forecast;
	}
	if (!best)
		return;
	destination_name(best, name, sizeof(name));
	str_addf(text, "soonest %.0f %.0f %.0f %u %s\n", most, best_seconds, ports, best->inode,
		name);
}

void port_lines_write(struct str *text, const struct destinations *all)
{
	char name[64];
	size_t i;

	if (!all->n) {
		str_add(text, "0 0 -\n");
		write_time_wait(text, all);
		return;
	}
	destination_name(&all->list[0], name, sizeof(name));
	str_addf(text, "%u %u %s\n", destination_taken(&all->list[0]), all->list[0].inode, name);
	write_soonest(text, all);
	write_time_wait(text, all);
	for (i = 0; i < all->n && i < PORT_LINES_MAX; i++) {
		const struct destination *destination = &all->list[i];

		destination_name(destination, name, sizeof(name));
		str_addf(text, "to %u %u %.0f %u %s\n", destination->open, destination->time_wait,
			destination_closed_per_second(destination), destination->inode, name);
	}
}

static bool next_count(struct bytes *line, double *out)
{
	return text_next_number(line, out) && *out >= 0;
}

/* "INODE DESTINATION" */
static bool port_lines_read_place(struct bytes *line, struct port_line *out)
{
	struct bytes word;
	double number;

	if (!next_count(line, &number) || number > UINT32_MAX)
		return false;
	out->inode = (uint32_t)number;
	return text_word(line, &word) &&
		text_copy(word, out->destination, sizeof(out->destination));
}

static void read_soonest(struct bytes *line, struct port_lines *out)
{
	struct port_line place = {0};
	double forecast, seconds, ports;

	if (!next_count(line, &forecast) || !text_next_number(line, &seconds) ||
		!next_count(line, &ports) || !port_lines_read_place(line, &place))
		return;
	out->forecast = forecast;
	out->seconds = seconds;
	out->ports = ports;
	out->soonest = place;
}

static void read_to(struct bytes *line, struct port_lines *out)
{
	struct port_line to = {0};

	if (out->n == PORT_LINES_MAX || !next_count(line, &to.open) ||
		!next_count(line, &to.time_wait) || !next_count(line, &to.closed_per_second) ||
		!port_lines_read_place(line, &to))
		return;
	out->list[out->n++] = to;
}

static void port_lines_read_line(struct bytes *line, struct port_lines *out)
{
	double clients, servers;
	struct bytes word;

	if (!text_word(line, &word))
		return;
	if (text_is(word, "soonest")) {
		read_soonest(line, out);
	} else if (text_is(word, "to")) {
		read_to(line, out);
	} else if (text_is(word, "cut")) {
		out->cut = true;
	} else if (text_is(word, "time-wait") && next_count(line, &clients) &&
		next_count(line, &servers)) {
		out->has_time_wait = true;
		out->client_time_wait = clients;
		out->server_time_wait = servers;
	}
}

bool parse_port_lines(struct bytes text, struct port_lines *out)
{
	struct port_lines lines = {.seconds = -1};
	struct bytes line;

	if (!text_line(&text, &line) || !next_count(&line, &lines.taken) ||
		!port_lines_read_place(&line, &lines.busiest))
		return false;
	lines.forecast = lines.taken;
	lines.soonest = lines.busiest;
	while (text_line(&text, &line))
		port_lines_read_line(&line, &lines);
	*out = lines;
	return true;
}
