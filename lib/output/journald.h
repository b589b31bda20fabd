/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An entry in the system's journal for each light that changes, by systemd's own protocol (see
 * https://systemd.io/JOURNAL_NATIVE_PROTOCOL/): a datagram of fields, so that no library is needed.
 * Where no journal listens, a line for syslog.
 */
#ifndef TUESDAY_OUTPUT_JOURNALD_H
#define TUESDAY_OUTPUT_JOURNALD_H

#include "report/report.h"

struct str;

/* Of the catalog systemd/tuesday.catalog: one a kind of event, never used for anything else. */
#define JOURNALD_ID_BAD "e768a1ad0ea841e8a38c25ce47b6c3fd"
#define JOURNALD_ID_MAYBE "1b2fcf7b49d840c1b0a876fb8c49d8b3"
#define JOURNALD_ID_GOOD "18e51ef3b5ac4b3182d3298a78ab7245"
#define JOURNALD_ID_UNKNOWN "51f423b83afb46fda78577b55961a46b"

/* Appends one field. A value with a line break is sent with its length, so that it can forge no
 * other field; it is cut at 4 KiB. */
void journald_field(struct str *out, const char *name, const char *value);

/* Appends the whole datagram for a check whose announced light changed. */
void journald_format(struct str *out, const struct report *report,
	const struct check_result *result, enum verdict announced, enum verdict before);

/* Sends it to /run/systemd/journal/socket, or where TUESDAY_JOURNAL_SOCKET says. */
void journald_tell(const struct report *report, const struct check_result *result,
	enum verdict announced, enum verdict before);

#endif
