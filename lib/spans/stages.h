/* SPDX-License-Identifier: GPL-2.0-only */
/* Stages of a build: which spans are which, by a map in INI (stages.ini says how it is written). */
#ifndef TUESDAY_SPANS_STAGES_H
#define TUESDAY_SPANS_STAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct complaints;
struct span_analysis;

#define STAGES_MAX 64
/* The last two of every map: what no section names, and time when no root ran. */
#define STAGE_OTHER "other"
#define STAGE_IDLE "idle"

struct span_stages {
	struct span_stage {
		char *name;
		char *patterns; /* of names, or NULL: none */
		char *fields;	/* NAME=VALUE, any of which holds, or NULL */
		bool productive;
		uint64_t build_ns; /* of the critical path of the build */
	} list[STAGES_MAX];
	size_t n;
};

/* Reads a map's text. Returns 0, or -EINVAL after complaints. The caller frees. */
int span_stages_read(struct span_stages *stages, const char *file, const char *text, size_t len,
	struct complaints *complaints);
/* The one that the program was built with. */
void span_stages_default(struct span_stages *stages);
void span_stages_free(struct span_stages *stages);

/* Shares out the critical path of the build: all together are as long as it. */
void span_stages_share(struct span_stages *stages, const struct span_analysis *analysis);

#endif
