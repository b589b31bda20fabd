/* SPDX-License-Identifier: GPL-2.0-only */
/* Code paths as a source: codepath:FUNCTION in PROCESS.…, as codepathhealth has compared them. */
#ifndef TUESDAY_SOURCES_TASK_CODEPATH_SOURCE_H
#define TUESDAY_SOURCES_TASK_CODEPATH_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

/* What became of the functions of one process. */
struct codepath_finding {
	const char *process;
	uint64_t samples;
	/* Why it could not be compared, a phrase; NULL: it was. */
	const char *uncompared;
	const char *function; /* that takes more than it did, or NULL */
	bool again;	      /* the look before accused the same one */
	double share, before; /* of the process's CPU time */
	double cost_seconds;  /* of a CPU a day, that the growth takes at the load of now */
};

/* What the source tells of. Its texts must stay until the run is over. */
void codepath_source_add(const struct codepath_finding *finding);
/* The most samples that any process had: the look has been taken. */
void codepath_source_looked(uint64_t most_samples);
/* Forgets all. */
void codepath_source_clear(void);

#endif
