/* SPDX-License-Identifier: GPL-2.0-only */
/* What this machine's checks say while a command runs. */
#ifndef TUESDAY_TOOLS_SPAN_MEANWHILE_H
#define TUESDAY_TOOLS_SPAN_MEANWHILE_H

#include "sys/child.h"

struct str;

struct meanwhile_checks {
	struct child child;
	bool runs;
};

/* Starts the checks beside the command, without traces. Where that fails nothing is said. */
void meanwhile_start(struct meanwhile_checks *checks);
/* Ends them, and appends a line for each that is not good, or one for all; nothing where the
 * command was too short for them. */
void meanwhile_end(struct meanwhile_checks *checks, struct str *out);

#endif
