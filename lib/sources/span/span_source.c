/* SPDX-License-Identifier: GPL-2.0-only */
/* What do the files of spans say that were given? */
#include "base/banned.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/culprit.h"
#include "base/str.h"
#include "sample/sink.h"
#include "sample/source.h"
#include "sources/span/span_source.h"
#include "spans/analysis.h"
#include "spans/stages.h"

#define NAMES_TOLD 10

struct span_file {
	const char *path;
	const struct span_analysis *analysis;
	const struct span_stages *stages;
};

static struct span_file *span_files;
static size_t n_span_files, span_files_room;

void span_source_add(
	const char *file, const struct span_analysis *analysis, const struct span_stages *stages)
{
	ARRAY_GROW(span_files, n_span_files, span_files_room);
	span_files[n_span_files++] = (struct span_file){file, analysis, stages};
}

void span_source_clear(void)
{
	free(span_files);
	span_files = NULL;
	n_span_files = span_files_room = 0;
}

/* A share of the critical path of the build. */
static double span_source_share(const struct span_analysis *analysis, uint64_t ns)
{
	const uint64_t wall = span_analysis_wall(analysis);

	return wall ? (double)ns / (double)wall : (double)NAN;
}

static void span_put_data(struct sink *sink, const struct span_file *file)
{
	const struct span_analysis *analysis = file->analysis;
	const struct span_table *table = analysis->table;
	const double all = (double)table->n + (double)table->bad;

	sink_put(sink, file->path, "spans", (double)table->n);
	sink_put(sink, file->path, "traces", (double)analysis->n_traces);
	sink_put(sink, file->path, "wrong_ratio", span_analysis_wrong(analysis));
	sink_put(sink, file->path, "bad_ratio", (double)table->bad / all);
	sink_put(sink, file->path, "orphan_ratio", (double)analysis->faults.orphans / all);
	sink_put(sink, file->path, "outside_ratio", (double)analysis->faults.outside / all);
	sink_put(sink, file->path, "circles", (double)analysis->faults.circles);
	sink_put(sink, file->path, "duplicates", (double)analysis->faults.duplicates);
	sink_put(sink, file->path, "unfinished", table->cut_off);
}

static void span_put_jobs(struct sink *sink, const struct span_file *file)
{
	const struct span_analysis *analysis = file->analysis;
	const struct span_concurrency *jobs = &analysis->jobs;
	const double peak = jobs->peak;

	sink_put(sink, file->path, "wall_s", (double)span_analysis_wall(analysis) / 1e9);
	sink_put(sink, file->path, "jobs", (double)jobs->jobs);
	if (!jobs->jobs)
		return;
	sink_put(sink, file->path, "peak", peak);
	sink_put(sink, file->path, "mean", jobs->mean);
	sink_put(sink, file->path, "mean_ratio", jobs->mean / peak);
	sink_put(sink, file->path, "straggled_ratio", jobs->straggled);
	sink_put(sink, file->path, "level_ratio", jobs->level);
	sink_put(sink, file->path, "rounds", (double)jobs->jobs / peak);
	sink_put(sink, file->path, "longest_ratio", span_source_share(analysis, jobs->longest_ns));
}

static int span_read(struct capture *fs, void *state, struct sink *sink)
{
	size_t i;

	(void)fs;
	(void)state;
	if (!n_span_files)
		sink_absent(sink, "no file of spans was given: spanhealth FILE");
	for (i = 0; i < n_span_files; i++) {
		span_put_data(sink, &span_files[i]);
		span_put_jobs(sink, &span_files[i]);
	}
	return 0;
}

SOURCE(span) = {
	.name = "span",
	.what = "files of spans that spanhealth was given, by their names",
	.read = span_read,
};

/* The file that "STAGE in FILE" is of, for the next step. */
static bool span_culprit(struct capture *fs, void *state, const char *instance, struct culprit *out)
{
	size_t i;

	(void)fs;
	(void)state;
	for (i = 0; i < n_span_files; i++) {
		const char *path = span_files[i].path;

		if (!str_ends(instance, path) || strlen(path) >= sizeof(out->name))
			continue;
		*out = (struct culprit){.kind = "file"};
		memcpy(out->name, path, strlen(path));
		return true;
	}
	return false;
}

static int span_stage_read(struct capture *fs, void *state, struct sink *sink)
{
	size_t i, k;

	(void)fs;
	(void)state;
	if (!n_span_files)
		sink_absent(sink, "no file of spans was given: spanhealth FILE");
	for (i = 0; i < n_span_files; i++) {
		const struct span_file *file = &span_files[i];

		for (k = 0; k < file->stages->n; k++) {
			const struct span_stage *stage = &file->stages->list[k];
			char *name = mem_printf("%s in %s", stage->name, file->path);

			sink_put(sink, name, "ratio",
				span_source_share(file->analysis, stage->build_ns));
			if (!stage->productive)
				sink_put(sink, name, "waste_ratio",
					span_source_share(file->analysis, stage->build_ns));
			sink_put(sink, name, "wrong_ratio", span_analysis_wrong(file->analysis));
			free(name);
		}
	}
	return 0;
}

SOURCE(span_stage) = {
	.name = "span/stage",
	.what = "stages of the builds whose spans spanhealth was given, on their critical paths",
	.read = span_stage_read,
	.culprit = span_culprit,
};

/* The names with the largest shares, the largest first. Returns how many. */
static size_t span_top(const struct span_analysis *analysis, uint32_t top[NAMES_TOLD])
{
	size_t n = 0, at;
	uint32_t i;

	for (i = 0; i < analysis->table->n_names; i++) {
		const uint64_t own = analysis->names[i].build_ns;

		for (at = n; at && analysis->names[top[at - 1]].build_ns < own; at--)
			if (at < NAMES_TOLD)
				top[at] = top[at - 1];
		if (own && at < NAMES_TOLD) {
			top[at] = i;
			n += n < NAMES_TOLD;
		}
	}
	return n;
}

static int span_name_read(struct capture *fs, void *state, struct sink *sink)
{
	uint32_t top[NAMES_TOLD];
	size_t i, k, n;

	(void)fs;
	(void)state;
	if (!n_span_files)
		sink_absent(sink, "no file of spans was given: spanhealth FILE");
	for (i = 0; i < n_span_files; i++) {
		const struct span_analysis *analysis = span_files[i].analysis;

		n = span_top(analysis, top);
		for (k = 0; k < n; k++) {
			const struct span_sum *sum = &analysis->names[top[k]];
			char *name = mem_printf("%s in %s", analysis->table->names[top[k]].text,
				span_files[i].path);

			sink_put(sink, name, "ratio", span_source_share(analysis, sum->build_ns));
			free(name);
		}
	}
	return 0;
}

SOURCE(span_name) = {
	.name = "span/name",
	.what = "names of spans on the critical paths of the builds that spanhealth was given",
	.read = span_name_read,
	.culprit = span_culprit,
};
