/* SPDX-License-Identifier: GPL-2.0-only */
/* Builds that were kept under a name, and what changed from one to another. */
#ifndef TUESDAY_TOOLS_SPAN_BUILDS_H
#define TUESDAY_TOOLS_SPAN_BUILDS_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

struct span_analysis;
struct str;

#define BUILD_NAMES_MAX \
	100 /* names of spans that are kept of a build: the rest has little time \
	     */

/* A quantile with its order-statistic interval at 95 %; low > high: there is none, for too few. */
struct build_quantile {
	uint64_t ns, low, high;
};

struct build_name {
	char *name;
	uint64_t count, sum_ns, build_ns;
	struct build_quantile p50, p95, p99;
};

struct build {
	char *name;
	time_t time;
	uint64_t wall_ns;
	struct build_name *names; /* those with the largest sums */
	size_t n;
};

/* What is kept of a build. The caller frees. */
void build_make(struct build *build, const char *name, const struct span_analysis *analysis);
void build_free(struct build *build);

/* Adds it to the builds in the state directory, of which the last 200 stay. 0 or -errno. */
int build_keep(const char *state, const struct build *build);
/* The last one of that name, or with "last" the last of all. 0, -ENOENT, or -errno. */
int build_find(const char *state, const char *name, struct build *build);

/* Says what changed from one to another: only what has intervals that do not overlap and is at
 * least 5 % apart is called changed, within these two builds. */
void build_compare(struct str *out, const struct build *before, const struct build *after);

#endif
