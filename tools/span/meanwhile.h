/* SPDX-License-Identifier: GPL-2.0-only */
/* What this machine's checks say while a command runs. */
#ifndef TUESDAY_TOOLS_SPAN_MEANWHILE_H
#define TUESDAY_TOOLS_SPAN_MEANWHILE_H

#include <stddef.h>

#include "sys/child.h"

/* What they said: of each that was maybe or bad its sentence, as it stands there. */
struct meanwhile {
	struct meanwhile_answer {
		char *check, *verdict, *summary;
	} * answers;
	size_t n, room;
	size_t asked; /* checks that answered; 0: the command was too short for them */
};

struct meanwhile_checks {
	struct child child;
	bool runs;
};

/* Starts the checks beside the command, without traces. Where that fails nothing is said. */
void meanwhile_start(struct meanwhile_checks *checks);
/* Ends them, and takes what they said. The caller frees it in every case. */
void meanwhile_end(struct meanwhile_checks *checks, struct meanwhile *said);
void meanwhile_free(struct meanwhile *said);

#endif
