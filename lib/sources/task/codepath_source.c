/* SPDX-License-Identifier: GPL-2.0-only */
/* Which functions take more of the CPU time of their processes than they did? */
#include "base/banned.h"

#include <stdlib.h>

#include "base/str.h"
#include "sample/sink.h"
#include "sample/source.h"
#include "sources/task/codepath_source.h"

static struct codepath_finding *codepath_findings;
static size_t n_codepath_findings, codepath_findings_room;
static uint64_t codepath_most_samples;
static bool codepath_has_looked;

void codepath_source_add(const struct codepath_finding *finding)
{
	ARRAY_GROW(codepath_findings, n_codepath_findings, codepath_findings_room);
	codepath_findings[n_codepath_findings++] = *finding;
}

void codepath_source_looked(uint64_t most_samples)
{
	codepath_has_looked = true;
	codepath_most_samples = most_samples;
}

void codepath_source_clear(void)
{
	free(codepath_findings);
	codepath_findings = NULL;
	n_codepath_findings = codepath_findings_room = 0;
	codepath_has_looked = false;
}

/* A process in which nothing takes more is an instance of its own, so that it can be cleared. */
static void codepath_source_put(struct sink *sink, const struct codepath_finding *finding)
{
	char *name = finding->function ? mem_printf("%s in %s", finding->function, finding->process)
				       : mem_strdup(finding->process);
	const double grown = finding->function ? finding->share - finding->before : 0;

	sink_put(sink, name, "grown_ratio", grown);
	sink_put(sink, name, "again_ratio", finding->again ? grown : 0);
	if (finding->function) {
		sink_put(sink, name, "share_ratio", finding->share);
		sink_put(sink, name, "before_ratio", finding->before);
		sink_put(sink, name, "cost_seconds", finding->cost_seconds);
	}
	free(name);
}

static int codepath_source_read(struct capture *fs, void *state, struct sink *sink)
{
	size_t compared = 0;

	(void)fs;
	(void)state;
	if (!codepath_has_looked) {
		sink_absent(sink, "only codepathhealth looks at code paths");
		return 0;
	}
	sink_put(sink, "", "samples", (double)codepath_most_samples);
	/* Nobody had so much to do that something could be said. */
	if (!n_codepath_findings)
		sink_none(sink);
	for (size_t i = 0; i < n_codepath_findings; i++)
		compared += !codepath_findings[i].uncompared;
	for (size_t i = 0; i < n_codepath_findings; i++) {
		const struct codepath_finding *finding = &codepath_findings[i];

		if (!finding->uncompared)
			codepath_source_put(sink, finding);
		else if (compared)
			sink_in_part(sink, "*.grown_ratio", "%s: %s", finding->process,
				finding->uncompared);
		else
			sink_missing(sink, "%s: %s", finding->process, finding->uncompared);
	}
	return 0;
}

SOURCE(codepath) = {
	.name = "codepath",
	.what = "functions by their shares of CPU time, as codepathhealth compares them with "
		"earlier looks",
	.read = codepath_source_read,
};
