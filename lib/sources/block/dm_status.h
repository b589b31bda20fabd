/* SPDX-License-Identifier: GPL-2.0-only */
/* The status of device-mapper targets. */
#ifndef TUESDAY_SOURCES_BLOCK_DM_STATUS_H
#define TUESDAY_SOURCES_BLOCK_DM_STATUS_H

#include <stdbool.h>
#include <stddef.h>

#include "capture/capture.h"

struct sink;

/* The answer to DM_TABLE_STATUS: each target's type and status. False where it ends too early. */
bool dm_parse_targets(const void *answer, size_t len,
	void (*each)(void *arg, const char *type, const char *status), void *arg);
/* Whether targets of this type tell anything that is understood. */
bool dm_knows_target(const char *type);
/* "TYPE STATUS" of a target. False where it is of no type that tells anything. */
bool parse_dm_target(struct bytes words, struct sink *sink, const char *instance);

#endif
