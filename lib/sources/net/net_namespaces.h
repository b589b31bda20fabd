/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The files below /proc/net, of which each network namespace has its own. All namespaces are
 * entered once, when the first of these sources is opened, and their files are kept open for all of
 * them.
 */
#ifndef TUESDAY_SOURCES_NET_NET_NAMESPACES_H
#define TUESDAY_SOURCES_NET_NET_NAMESPACES_H

#include "capture/capture.h"
#include "sample/source.h"

/* The open of a source of this kind. */
int netfamily_open(struct capture *fs, void **state);

/*
 * Calls parse for every namespace but our own in which the file ("netstat") could be read, with the
 * namespace's name. Says through the sink why some are not there.
 */
void netfamily_each(struct capture *fs, void *state, const char *file, struct sink *sink,
	void (*parse)(struct bytes text, struct sink *sink, const char *name));

/* Whether anybody asked for any namespace by "*" or by its name. */
bool netfamily_wanted(const void *state, const struct sink *sink);

/*
 * A socket to ask that namespace with (netlink.h), NETLINK_SOCK_DIAG or NETLINK_ROUTE. It stays
 * ours. -errno where there is none; in a replay there never is.
 */
int netfamily_socket(void *state, const char *name, int protocol);

/* Reads a file of the namespace of that name, "host" being ours: "netstat", or
 * "ipv4/NAME" for a setting. Returns 0 or -errno. */
int netfamily_read(struct capture *fs, const char *name, const char *file, struct bytes *out);

/* Calls each for every namespace, ours first; label is what a sentence calls it. Says through the
 * sink why some are not there. */
void netfamily_names(void *state, void (*each)(void *arg, const char *name, const char *label),
	struct sink *sink, void *arg);

/* /proc/net/netstat and snmp, snmp6, sockstat. */
void parse_net_pairs(struct bytes text, struct sink *sink, const char *instance);
void parse_snmp6(struct bytes text, struct sink *sink, const char *instance);
void parse_sockstat(struct bytes text, struct sink *sink, const char *instance);

/* /proc/net/stat/arp_cache, nf_conntrack and the like. */
void parse_net_stat(struct bytes text, struct sink *sink, const char *instance);

#endif
