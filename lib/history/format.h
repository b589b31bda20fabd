/* SPDX-License-Identifier: GPL-2.0-only */
/* What the commands about the history have in common. */
#ifndef TUESDAY_HISTORY_FORMAT_H
#define TUESDAY_HISTORY_FORMAT_H

#include <time.h>

struct history;
struct str;

/* The history to be read, or NULL with a message. */
struct history *history_open_to_show(const char *program, const char *state);

/* "14:05" of today, else "2026-11-20 14:05"; and "2026-11-20T14:05:00Z". */
void format_time(struct str *out, time_t time, time_t now);
void format_utc(struct str *out, time_t time);

#endif
