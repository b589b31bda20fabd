/* SPDX-License-Identifier: GPL-2.0-only */
/* Whom does an experiment turn its knob on: the accused, the cgroup of a suspect, a route? */
#include "base/banned.h"

#include <arpa/inet.h>
#include <stdint.h>
#include <stdio.h>

#include "base/num.h"
#include "base/str.h"
#include "capture/capture.h"
#include "check/check.h"
#include "check/experiment.h"
#include "experiment/plan.h"
#include "report/report.h"
#include "run/experiment_about.h"
#include "sources/task/task_group.h"

#define DEFAULT_ROUTE "default"

static char *about_accused(
	struct capture *fs, const struct check_result *result, const struct experiment *experiment)
{
	static const enum verdict order[] = {VERDICT_BAD, VERDICT_MAYBE};
	const char *first = "";
	size_t rank, i;

	for (rank = 0; rank < ARRAY_SIZE(order); rank++) {
		for (i = 0; i < result->n_metrics; i++) {
			const struct metric_result *metric = &result->metrics[i];

			if (metric->verdict != order[rank] || !metric->instance ||
				!*metric->instance)
				continue;
			if (experiment_fits(fs, experiment, metric->instance))
				return mem_strdup(metric->instance);
			first = *first ? first : metric->instance;
		}
	}
	return mem_strdup(first);
}

/* Of a thread or process that is alive; NULL where it is in no cgroup but the root. */
static char *about_cgroup_of(struct capture *fs, const char *id)
{
	struct str path = STR_INIT;
	struct bytes text;
	uint64_t pid;
	char *digits = mem_strndup(id, strcspn(id, "@")), file[64];

	if (!num_u64(digits, 1, 1u << 22, &pid)) {
		snprintf(file, sizeof(file), "/proc/%s/cgroup", digits);
		if (capture_read_once(fs, file, &text) || !parse_task_cgroup(text, &path))
			str_clear(&path);
	}
	free(digits);
	if (path.len > 1)
		return str_take(&path);
	str_free(&path);
	return NULL;
}

/* That of the first who is to blame, or else of the thread that the suspect's metric has. */
static char *about_cgroup(
	struct capture *fs, const struct check_result *result, const struct experiment *experiment)
{
	char *path = NULL;
	size_t i;

	for (i = 0; i < result->n_culprits && !path; i++)
		if (!strcmp(result->culprits[i].kind, "process"))
			path = about_cgroup_of(fs, result->culprits[i].id);
	for (i = 0; experiment->suspect && i < result->n_metrics && !path; i++)
		if (!strcmp(result->metrics[i].metric->name, experiment->suspect) &&
			result->metrics[i].instance)
			path = about_cgroup_of(fs, result->metrics[i].instance);
	return path ? path : mem_strdup("");
}

/* The remote's address, which is asked for its route; who is reached by IPv4 has one of IPv4. */
static char *about_route(const struct check_result *result)
{
	static const char mapped[] = "::ffff:";
	struct in6_addr any;
	size_t i;

	for (i = 0; i < result->n_culprits; i++) {
		const char *name = result->culprits[i].name;

		if (strcmp(result->culprits[i].kind, "remote") != 0)
			continue;
		if (str_starts(name, mapped) && strchr(name, '.'))
			name += strlen(mapped);
		if (inet_pton(strchr(name, ':') ? AF_INET6 : AF_INET, name, &any) == 1)
			return mem_strdup(name);
	}
	return mem_strdup(DEFAULT_ROUTE);
}

char *experiment_instance(
	struct capture *fs, const struct check_result *result, const struct experiment *experiment)
{
	if (!experiment->about)
		return about_accused(fs, result, experiment);
	if (!strcmp(experiment->about, "route"))
		return about_route(result);
	return about_cgroup(fs, result, experiment);
}
