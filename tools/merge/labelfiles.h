/* SPDX-License-Identifier: GPL-2.0-only */
/* What people know of their hosts: which are to be expected, and what they call them. */
#ifndef TUESDAY_TOOLS_MERGE_LABELFILES_H
#define TUESDAY_TOOLS_MERGE_LABELFILES_H

#include <stddef.h>

struct fleet;
struct str;

/* "rack=A12:web1,web2,db*": gives the hosts that match a label, whichever of their reports said
 * otherwise. To be called when all is read and before fleet_settle. Returns how many, or -EINVAL.
 */
int labels_from_text(struct fleet *fleet, const char *text);

/*
 * A file of labels: CSV with a first line "host,rack,row", or INI with a section a host ("[web7]",
 * "rack = A12"). Returns 0 or -errno; what is wrong is in why.
 */
int labels_from_file(struct fleet *fleet, const char *path, struct str *why);

/* The hosts that should have reported: names separated by white space or commas; # begins a
 * comment. Before fleet_settle. Returns 0 or -errno. */
int expected_from_file(struct fleet *fleet, const char *path);

/* For tests and fuzzing: the same from memory. */
void labels_from_csv(struct fleet *fleet, const char *text);
void expected_from_text(struct fleet *fleet, const char *text);

#endif
