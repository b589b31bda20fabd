/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who speaks for a host? A report says of which host and of which boot it is, and can say anything,
 * so no report takes the place of another one unless both are of one boot. What claims one name
 * otherwise is named as a conflict, and where it may be one machine that was booted again, the
 * worse report counts. docs/fleet.md has the rules in words.
 */
#ifndef TUESDAY_TOOLS_MERGE_CLAIMS_H
#define TUESDAY_TOOLS_MERGE_CLAIMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fleet;
struct host;
struct report;

/* Where a report is from. */
struct origin {
	const char *file;
	/* Whom whoever collects the files says that this one is of; NULL: the report says it. */
	const char *host;
};

/* A name that more than one boot claims, or more than one file without a boot. */
struct conflict {
	uint32_t host;	   /* the name */
	uint32_t claims;   /* reports that count for it */
	uint32_t n_files;  /* that these are from */
	uint32_t files[2]; /* the first ones that were read */
};

/* The place for a report, new or of one that it takes the place of: only name, boot and file are
 * set in it then. NULL where another one counts instead, or with *why where it is refused. */
struct host *claims_place(struct fleet *fleet, const struct origin *origin,
	const struct report *report, const char **why);

/* Forgets what a host's report has said. */
void claims_forget(struct fleet *fleet, struct host *host);

/* Once it is known who is stale: which hosts are superseded, who has namesakes, and fills in
 * fleet->conflicts. */
void claims_settle(struct fleet *fleet);

#endif
