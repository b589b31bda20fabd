/* SPDX-License-Identifier: GPL-2.0-only */
/* What people have announced, as reports say it. */
#ifndef TUESDAY_REPORT_ANNOUNCED_TEXT_H
#define TUESDAY_REPORT_ANNOUNCED_TEXT_H

#include "report/report.h"

struct str;

/* "before", "since"; NULL where it is not known. */
const char *began_text(enum began began);

/* Appends what is announced, "'rollout of shop 4.2' (by alice, since 12:03, ends 12:33)", and so
 * on, not escaped; nothing for none. */
void report_announced(struct str *out, const struct report *report);

#endif
