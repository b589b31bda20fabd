/* SPDX-License-Identifier: GPL-2.0-only */
/* Which options, and which gaps and mutes, does this machine's administrator want in every run? */
#include "base/banned.h"

#include <errno.h>

#include "base/escape.h"
#include "base/str.h"
#include "check/check.h"
#include "check/site.h"
#include "report/report.h"
#include "run/options.h"
#include "run/policy.h"

char **policy_arguments(
	const struct site *site, int argc, char **argv, int with_checks, int *n_arguments)
{
	size_t room = (size_t)argc + site->options.n + site->checks.n + 1, n = 0, i;
	char **list = mem_realloc_array(NULL, room, sizeof(*list));

	list[n++] = argv[0];
	for (i = 0; i < site->options.n; i++)
		list[n++] = site->options.list[i];
	for (i = 1; i < (size_t)argc; i++)
		list[n++] = argv[i];
	for (i = 0; with_checks && i < site->checks.n; i++)
		list[n++] = site->checks.list[i];
	list[n] = NULL;
	*n_arguments = (int)n;
	return list;
}

static void policy_say_where(const struct site *site, const char *what)
{
	char *file = escape_path(site->file);

	fprintf(stderr, "%s:%d: options: %s\n", file, site->options.line, what);
	free(file);
}

int policy_options_are_right(
	const struct site *site, const char *program, const struct usage *usage)
{
	char *name = mem_strdup(program), **list;
	struct options options;
	int n, err;

	list = policy_arguments(site, 1, &name, 0, &n);
	err = options_parse_usage(&options, n, list, usage);
	if (err < 0)
		policy_say_where(site, "these options are refused");
	else if (err > 0)
		policy_say_where(site, "help and version are no options of a run");
	else if (options.n_names)
		policy_say_where(site,
			"there is a word that is no option; names of checks belong to "
			"the key 'checks'");
	err = err || options.n_names;
	options_free(&options);
	free(list);
	free(name);
	return !err;
}

static bool policy_is_muted(const struct report *report, const char *check)
{
	size_t i;

	for (i = 0; i < report->n_muted; i++)
		if (!strcmp(report->muted[i].check, check))
			return true;
	return false;
}

void policy_apply(struct report *report, const struct options *options)
{
	const struct site *site = options->site;
	bool honours = options->honour_mutes || (site && site->honours_mutes);
	size_t i;

	for (i = 0; i < report->n_checks; i++) {
		struct check_result *result = &report->checks[i];
		const char *name = result->check->name;

		if (!verdict_is_worse(result->verdict, VERDICT_GOOD))
			continue;
		if (honours && policy_is_muted(report, name))
			result->set_aside = ASIDE_MUTED;
		else if (site && result->verdict == VERDICT_UNKNOWN && site_expects_gap(site, name))
			result->set_aside = ASIDE_EXPECTED;
	}
	report->verdict = report_worst(report);
}
