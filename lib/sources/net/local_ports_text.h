/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a look at all connections has found, as text, so that a recording holds it, and back:
 *
 *   TAKEN INODE DESTINATION                        where most local ports are taken; "0 0 -"
 *   soonest FORECAST SECONDS PORTS INODE DESTINATION    SECONDS are -1 for never
 *   time-wait CLIENTS SERVERS
 *   to OPEN TIME_WAIT CLOSED_PER_SECOND INODE DESTINATION    the busiest ones
 *
 * Recordings of before have the first line alone.
 */
#ifndef TUESDAY_SOURCES_NET_LOCAL_PORTS_TEXT_H
#define TUESDAY_SOURCES_NET_LOCAL_PORTS_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/capture.h"

struct destinations;
struct str;

/* Places that are told one by one. */
#define PORT_LINES_MAX 16

struct port_line {
	double open, time_wait, closed_per_second;
	uint32_t inode; /* of a connection to it, or 0 */
	char destination[64];
};

struct port_lines {
	double taken; /* ports, for the busiest place */
	double ports; /* that there are; 0: not known */
	double forecast, seconds;
	bool cut; /* there are more connections than were looked at */
	bool has_time_wait;
	double client_time_wait, server_time_wait;
	struct port_line busiest, soonest; /* without counts */
	struct port_line list[PORT_LINES_MAX];
	size_t n;
};

void port_lines_write(struct str *text, const struct destinations *all);
/* False, and out unchanged, where the first line is not as above. Others that are not are passed
 * over. */
bool parse_port_lines(struct bytes text, struct port_lines *out);

#endif
