/* SPDX-License-Identifier: GPL-2.0-only */
/* Times as people and programs read them. */
#ifndef TUESDAY_BASE_DATETIME_H
#define TUESDAY_BASE_DATETIME_H

#include <stdbool.h>
#include <time.h>

/* When that was, as people say it at this moment: "14:05", "2026-11-20 14:05". The caller frees. */
char *format_since(time_t time, time_t now);

/* "2026-11-20T14:05:00Z". Returns false for a time that no calendar has; text is undefined then. */
#define DATETIME_UTC_SIZE 32
bool datetime_utc(char text[DATETIME_UTC_SIZE], time_t time);

#endif
