/* SPDX-License-Identifier: GPL-2.0-only */
/* Times in sentences. */
#ifndef TUESDAY_TOOLS_KEEPALIVE_SECONDS_H
#define TUESDAY_TOOLS_KEEPALIVE_SECONDS_H

#include <stddef.h>

/* "12.5 ms" or "2.41 s", as the other tools write it. */
const char *answer_seconds(char *buf, size_t size, double seconds);

#endif
