/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the people of this machine want to be done with an incident of a type: each .ini file of
 * /etc/tuesday/types.d (or of the directory that TUESDAY_TYPES_DIR names), in the order of their
 * names; a later one overrides key by key.
 *
 *	[isolated]
 *	invite = storage-oncall
 *	notes  = the disks of this rack are on warranty
 *
 * They are told, in text and JSON; nobody is paged.
 */
#ifndef TUESDAY_HISTORY_TYPE_NOTES_H
#define TUESDAY_HISTORY_TYPE_NOTES_H

#include <stddef.h>

struct complaints;
struct incident_type;

/* Sets invite and notes for the type in force. Says on standard error what is wrong with a file,
 * which then says nothing. */
void type_notes_note(struct incident_type *type);

/* One file's text, for tests: sets what it says about type->name. Returns 0, or -EINVAL with
 * complaints; then it has set nothing. */
int type_notes_parse(struct incident_type *type, const char *file, const char *text, size_t len,
	struct complaints *complaints);

#endif
