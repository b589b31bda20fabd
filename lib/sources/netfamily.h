/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The files below /proc/net, of which each network namespace has its own. All namespaces are
 * entered once, when the first of these sources is opened, and their files are kept open for all of
 * them.
 */
#ifndef TUESDAY_SOURCES_NETFAMILY_H
#define TUESDAY_SOURCES_NETFAMILY_H

#include "procfs.h"
#include "source.h"

/* The open of a source of this kind. */
int netfamily_open(struct procfs *fs, void **state);

/*
 * Calls parse for every namespace but our own in which the file ("netstat") could be read, with the
 * namespace's name. Says through the sink why some are not there.
 */
void netfamily_each(struct procfs *fs, void *state, const char *file, struct sink *sink,
	void (*parse)(struct bytes text, struct sink *sink, const char *name));

/* Whether anybody asked for any namespace by "*" or by its name. */
bool netfamily_wanted(const void *state, const struct sink *sink);

#endif
