/* SPDX-License-Identifier: GPL-2.0-only */
/* Which server is it, is it known to make requests wait behind connections, and what helps? */
#ifndef TUESDAY_TOOLS_KEEPALIVE_SERVER_H
#define TUESDAY_TOOLS_KEEPALIVE_SERVER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

struct target;

#define SERVER_REMEDIES_MAX 8

enum suffers { SUFFERS_UNKNOWN, SUFFERS_YES, SUFFERS_NO };

struct remedy {
	const char *what, *price; /* price may be NULL */
};

/* Texts from the machine (title, settings, config) are hostile; the others are servers.ini's and
 * live as long as the server. */
struct server {
	const char *name; /* as servers.ini has it, "*" for one that it does not have */
	bool known;
	bool proxy; /* it hands requests on: what is behind it is not what was tested */
	enum suffers suffers;
	struct str why; /* of suffers, with the version and settings that say so; "" for nothing */
	const char *mechanism; /* or NULL */
	struct remedy remedies[SERVER_REMEDIES_MAX];
	size_t n_remedies;
	char version[32]; /* "" where it is not known */

	/* Of the process that listens, where it is on this machine; pid 0: it was not found. */
	int pid;
	char title[160];
	size_t threads;	     /* that serve, in each process; 0: not known */
	size_t workers;	     /* processes; 0: one, or not known */
	struct str settings; /* "max_fast_inline 1, threads 5 (config/puma.rb)" or "" */

	struct inifile *ini;
};

/* What servers.ini says about a server of this title (NULL: not known), Server header ("") and
 * version (""), with these settings ("key=value " each, see
 * server_read_settings). Pure. */
void server_know(
	struct server *server, const char *title, const char *header, const char *settings);

/* Behind a setting that stands in a block, which may not be run: an indented line; or in a file
 * that may not be the one that counts. */
#define SERVER_PERHAPS "?"
#define SERVER_WORD_MAX 32

/* The settings of these names (blanks between) that a Ruby configuration file of len bytes sets to
 * a plain word or number, as "key=value " or "key=value? " each. perhaps: all are in doubt. */
void server_read_settings(
	struct str *out, const char *names, bool perhaps, const char *text, size_t len);

/* What those of these variables (blanks between) that are set agree on, in a process's environment
 * of len bytes as /proc/PID/environ has it: a plain word, the caller's to free. NULL where none is
 * set, they differ, or what is there is no such thing. */
char *server_read_environment(const char *names, const char *block, size_t len);

/* <0, 0 or >0, number by number: 6.10.0 is after 6.9. */
int server_compare_versions(const char *a, const char *b);

void server_free(struct server *server);

#endif
