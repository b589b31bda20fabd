/* SPDX-License-Identifier: GPL-2.0-only */
/* One check file, from its text or its path to settings. */
#ifndef TUESDAY_CHECK_READ_FILE_H
#define TUESDAY_CHECK_READ_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "check/settings.h"

struct complaints;
struct settings;

/* Settings from text, and from a file, which may be refused: /dev/null and an empty file are a
 * check that is off. Both return false after complaints. */
bool settings_parse(struct settings *settings, const char *file, const char *text, size_t len,
	struct complaints *complaints);
bool settings_read(struct settings *settings, const char *path, struct complaints *complaints);

/* settings_read of a file that is to be obeyed: one that this process must not obey
 * (sys/file_trust.h) is refused unread. */
bool settings_obey(struct settings *settings, const char *path, struct complaints *complaints);

/* The name of the check in the name of its file: "reclaim" for "/etc/…/reclaim.ini". The caller
 * frees; NULL after a complaint. */
char *check_name_from(const char *path, struct complaints *complaints);

#endif
