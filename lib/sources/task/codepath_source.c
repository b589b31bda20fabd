/* SPDX-License-Identifier: GPL-2.0-only */
/* Which functions take more of the CPU time of their processes than they did? */
#include "base/banned.h"

#include <stdlib.h>

#include "base/str.h"
#include "sample/sink.h"
#include "sample/source.h"
#include "sources/task/codepath_source.h"

enum { TOLD_MAX = 5 };

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

/* Who could not be compared, and why; of many the first ones. */
static size_t codepath_source_uncompared(struct str *out)
{
	size_t n = 0;

	for (size_t i = 0; i < n_codepath_findings; i++) {
		const struct codepath_finding *finding = &codepath_findings[i];

		if (!finding->uncompared)
			continue;
		if (n++ < TOLD_MAX)
			str_addf(out, "%s%s: %s", out->len ? "; " : "", finding->process,
				finding->uncompared);
	}
	if (n > TOLD_MAX)
		str_addf(out, "; and %zu more", n - TOLD_MAX);
	return n;
}

static int codepath_source_read(struct capture *fs, void *state, struct sink *sink)
{
	struct str why = STR_INIT;
	size_t uncompared;

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
	uncompared = codepath_source_uncompared(&why);
	for (size_t i = 0; i < n_codepath_findings; i++)
		if (!codepath_findings[i].uncompared)
			codepath_source_put(sink, &codepath_findings[i]);
	if (uncompared && uncompared < n_codepath_findings)
		sink_in_part(sink, "*.grown_ratio", "%s", str_text(&why));
	else if (uncompared)
		sink_missing(sink, "%s", str_text(&why));
	str_free(&why);
	return 0;
}

SOURCE(codepath) = {
	.name = "codepath",
	.what = "functions by their shares of CPU time, as codepathhealth compares them with "
		"earlier looks",
	.read = codepath_source_read,
};
