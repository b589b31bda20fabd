/* SPDX-License-Identifier: GPL-2.0-only */
/* One field of a file of counters of the network. */
#ifndef TUESDAY_SOURCES_NET_NET_FIELD_H
#define TUESDAY_SOURCES_NET_NET_FIELD_H

#include <stdbool.h>

#include "capture/capture.h"

/* The number behind field on the line that begins with name ("TCP:") of a sockstat. */
bool parse_sockstat_field(struct bytes text, const char *name, const char *field, double *out);

/* The value of field in the two lines of name ("Tcp") of net/snmp or netstat. */
bool parse_pair_field(struct bytes text, const char *name, const char *field, double *out);

#endif
