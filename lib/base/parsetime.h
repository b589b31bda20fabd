/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Times as a person says them: "14:30" (the last one there was), "2026-11-20", "2026-11-20 14:30"
 * (or with a T, and with seconds), "today", "yesterday", "now", "90m", "2h", "7d" (ago). By the
 * clock of this machine's time zone; an hour that summer time leaves out or has twice is what
 * mktime(3) makes of it.
 */
#ifndef TUESDAY_BASE_PARSETIME_H
#define TUESDAY_BASE_PARSETIME_H

#include <time.h>

/*
 * From *from to *to, both included: a day, for what names one; a minute or a second; for "2h" the
 * time from then to now. Returns 0 or -EINVAL.
 */
int parsetime(const char *text, time_t now, time_t *from, time_t *to);

#endif
