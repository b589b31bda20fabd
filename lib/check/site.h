/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the administrator of this machine says of all runs: /etc/tuesday/tuesday.ini, or the file
 *that TUESDAY_INI names.
 *
 *	[run]
 *	checks  = @net disk            what `tuesday run --cron` asks where no check is named
 *	options = --deadline 50s       its options; what stands on the command line comes after them
 *	[gaps]
 *	expected_unknown = fs zfs      checks that cannot look on this machine: no fault of it
 *	[mutes]
 *	honour = yes                   what is muted does not count in what monitoring is told
 *	[checkmk]
 *	services = disk memory         checks that are services of their own; all
 *	[history]
 *	days = 30                      and [cron]: as history.ini has them (history/retention.h)
 *	[labels]
 *	rack = A12                     what its people call the machine (history/host_facts.h)
 */
#ifndef TUESDAY_CHECK_SITE_H
#define TUESDAY_CHECK_SITE_H

#include <stdbool.h>
#include <stddef.h>

struct str;

#define SITE_NAME "tuesday.ini"
#define SITE_FILE "/etc/tuesday/" SITE_NAME

/* The words of one value, and the line that it stands in; owned. */
struct site_words {
	char **list;
	size_t n;
	int line;
};

struct site {
	char *file;
	struct site_words checks, options, expected;
	struct site_words services; /* that -o checkmk has beside the one of all */
	bool honours_mutes;
};

/* Reads a text. Returns whether nothing is wrong; if not, errors gets a line for each wrong key,
 * which is left out while the others hold. The caller frees the site either way. */
bool site_parse(
	struct site *site, const char *file, const char *text, size_t len, struct str *errors);

/* Appends a file's text. Returns 0, or -errno, which errno is too; -EFBIG of more than 64 KiB. */
int site_read(const char *path, struct str *text);

/* The file in force. One that is wrong or not to be obeyed (sys/file_trust.h) is said on standard
 * error; one that is not there says nothing, and is empty. */
void site_load(struct site *site);
void site_free(struct site *site);

/* Whether the check is one that cannot look here, and is known to be. */
bool site_expects_gap(const struct site *site, const char *check);

#endif
