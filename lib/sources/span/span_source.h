/* SPDX-License-Identifier: GPL-2.0-only */
/* Files of spans as sources: span:FILE.…, span/stage:STAGE of FILE.… and span/name:NAME in FILE.…
 */
#ifndef TUESDAY_SOURCES_SPAN_SPAN_SOURCE_H
#define TUESDAY_SOURCES_SPAN_SPAN_SOURCE_H

struct span_analysis;
struct span_stages;

/* What the sources tell of. A file is analysed before a run begins, without any right, by whoever
 * was given its name; all three must stay until the run is over. */
void span_source_add(
	const char *file, const struct span_analysis *analysis, const struct span_stages *stages);
/* Forgets them. */
void span_source_clear(void);

#endif
