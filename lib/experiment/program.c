/* SPDX-License-Identifier: GPL-2.0-only */
/* What does another program of the suite say, when it asks itself? */
#include "base/banned.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/num.h"
#include "base/progress.h"
#include "base/shellquote.h"
#include "base/str.h"
#include "check/check.h"
#include "check/experiment.h"
#include "experiment/plan.h"
#include "experiment/program.h"
#include "report/report.h"
#include "sys/file_trust.h"
#include "sys/subprocess.h"

#define UNIX "unix:"

/* The program of that name beside our own, or where programs are installed; NULL where there is
 * none that nobody else can replace. The caller frees. */
static char *program_find(const char *name, struct str *why)
{
	static const char *const places[] = {
		"/usr/local/bin", "/usr/bin", "/usr/local/sbin", "/usr/sbin"};
	char own[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", own, sizeof(own) - 1);
	char *slash, *path = NULL;
	size_t i;

	own[len > 0 ? len : 0] = 0;
	slash = strrchr(own, '/');
	if (slash)
		path = mem_printf("%.*s/%s", (int)(slash - own), own, name);
	for (i = 0; (!path || access(path, X_OK)) && i < ARRAY_SIZE(places); i++) {
		free(path);
		path = mem_printf("%s/%s", places[i], name);
	}
	if (!access(path, X_OK) && !trusted_file(path, why))
		return path;
	free(path);
	return NULL;
}

/* "http://127.0.0.1:3000/" of ":3000", "0.0.0.0:3000" or "*:3000"; NULL of what is no TCP address.
 * The caller frees. */
static char *program_url_of(const char *instance)
{
	const char *colon = strrchr(instance, ':');
	size_t len = colon ? (size_t)(colon - instance) : 0;
	char *host, *url;
	uint64_t port;

	if (!colon || num_u64(colon + 1, 1, UINT16_MAX, &port) ||
		strspn(instance, "0123456789abcdefABCDEF.:[]*") != strlen(instance) ||
		(memchr(instance, ':', len) && *instance != '['))
		return NULL;
	host = mem_strndup(instance, len);
	url = mem_printf("http://%s:%s/",
		!*host || !strcmp(host, "*") || !strcmp(host, "0.0.0.0") ? "127.0.0.1"
			: !strcmp(host, "[::]")				 ? "[::1]"
									 : host,
		colon + 1);
	free(host);
	return url;
}

static void program_add_word(struct experiment_plan *plan, char *word)
{
	if (plan->n_words + 1 < ARRAY_SIZE(plan->words))
		plan->words[plan->n_words++] = word;
	else
		free(word);
}

static bool program_is_unix(const char *instance)
{
	return str_starts(instance, UNIX) && instance[strlen(UNIX)];
}

bool program_fits(const char *instance)
{
	char *url = program_url_of(instance);
	bool fits = url || program_is_unix(instance);

	free(url);
	return fits;
}

/* Returns false where there is nothing to ask. */
static bool program_add_url(struct experiment_plan *plan, const char *url)
{
	const char *instance = plan->instance;
	char *own;

	if (!url && program_is_unix(instance)) {
		program_add_word(plan, mem_strdup("--unix"));
		program_add_word(plan, mem_strdup(instance + strlen(UNIX)));
		program_add_word(plan, mem_strdup("http://localhost/"));
		return true;
	}
	own = url ? mem_strdup(url) : program_url_of(instance);
	if (!own)
		return false;
	program_add_word(plan, own);
	return true;
}

/* What no person should paste is no name to ask by either. */
static bool program_is_sound(const char *name)
{
	struct str quoted = STR_INIT;
	bool sound = !name || !*name || shellquote_add(&quoted, name);

	str_free(&quoted);
	return sound;
}

/* The words of the section, with names in their places. */
static bool program_add_words(struct experiment_plan *plan, const char *url)
{
	const char *at = plan->experiment->program;
	bool known = program_is_sound(plan->instance) && program_is_sound(url);

	while (known && *(at += strspn(at, " \t"))) {
		size_t len = strcspn(at, " \t");
		char *word = mem_strndup(at, len);

		if (!strcmp(word, "{url}"))
			known = program_add_url(plan, url);
		else if (!strcmp(word, "{instance}"))
			program_add_word(plan, mem_strdup(plan->instance));
		else
			program_add_word(plan, mem_strdup(word));
		free(word);
		at += len;
	}
	return known;
}

void program_command(const struct experiment_plan *plan, struct str *out)
{
	size_t i;

	/* What is from outside was quoted once already, or the plan refused. */
	for (i = 0; i < plan->n_words; i++) {
		str_add(out, i ? " " : "");
		if (!shellquote_add(out, plan->words[i]))
			str_add(out, plan->words[i]);
	}
}

void program_plan(struct experiment_plan *plan, const char *url)
{
	struct str why = STR_INIT, command = STR_INIT;

	if (!program_add_words(plan, url)) {
		plan->refused = mem_printf(
			"'%s' is no address that can be asked from here: --url names one",
			plan->instance);
		return;
	}
	plan->program = program_find(plan->words[0], &why);
	if (plan->program)
		return;
	program_command(plan, &command);
	plan->refused = why.len ? mem_printf("not obeyed: %s", str_text(&why))
				: mem_printf("%s is not installed here: where it is, run %s",
					  plan->words[0], str_text(&command));
	str_free(&command);
	str_free(&why);
}

/* What is shown while it runs. */
struct program_wait {
	const char *name;
	double began, seconds;
};

static bool program_goes_on(void *arg)
{
	const struct program_wait *wait = arg;

	progress_show(wait->name, (monotonic_seconds() - wait->began) / wait->seconds);
	return !progress_interrupted();
}

/* The second line is its answer in a sentence: the first has its verdict and whom it asked. */
static void program_summarize(
	const struct experiment_plan *plan, const struct plugin_report *report, struct str *out)
{
	const char *end = report->output + report->output_len;
	const char *at = memchr(report->output, '\n', report->output_len), *stop;

	program_command(plan, out);
	/* Good is also what there was nothing to find out about: the sentence says which. */
	if (report->status)
		str_addf(out, ": %s",
			verdict_text(report->status == 1 ? VERDICT_MAYBE : VERDICT_BAD));
	while (at && at < end && (*at == '\n' || *at == ' '))
		at++;
	if (!at || at == end)
		return;
	stop = memchr(at, '\n', (size_t)(end - at));
	str_add(out, ": ");
	str_addn(out, at, (size_t)((stop ? stop : end) - at));
}

static void program_take_answer(const struct experiment_plan *plan,
	const struct plugin_report *report, struct experiment_result *out)
{
	static const enum verdict told[] = {VERDICT_GOOD, VERDICT_MAYBE, VERDICT_BAD};
	struct str text = STR_INIT;

	if (report->end == PLUGIN_EXITED && report->status < (int)ARRAY_SIZE(told)) {
		out->answer = ANSWER_TOLD;
		out->told = told[report->status];
		program_summarize(plan, report, &text);
	} else {
		out->answer = ANSWER_INCONCLUSIVE;
		out->why = report->end == PLUGIN_EXITED
			? mem_printf("%s found no answer (exit status %d)", plan->words[0],
				  report->status)
			: mem_printf("%s %s", plan->words[0], report->why);
		program_command(plan, &text);
		str_addf(&text, ": inconclusive, %s", out->why);
	}
	out->summary = str_take(&text);
}

void program_run(const struct experiment_plan *plan, struct experiment_result *out)
{
	char *words[PROGRAM_WORDS_MAX + 1] = {plan->program};
	struct plugin plugin = {
		.words = words, .timeout_seconds = plan->measure_seconds, .privileged = true};
	char *name = mem_printf(
		"%s/%s: %s asks:", plan->check->name, plan->experiment->name, plan->words[0]);
	struct program_wait wait = {name, monotonic_seconds(), plan->measure_seconds};
	struct plugin_report report = {.end = PLUGIN_FAILED, .why = "did not start"};
	struct str text = STR_INIT;

	memcpy(words + 1, plan->words + 1, (plan->n_words - 1) * sizeof(*words));
	if (!plugin_start(&plugin)) {
		plugin_collect(&plugin, program_goes_on, &wait, &text);
		progress_end();
		if (plugin_report_parse(&report, str_text(&text), text.len))
			report = (struct plugin_report){.end = PLUGIN_FAILED, .why = "was cut off"};
	}
	if (report.output_len)
		fprintf(stderr, "%.*s\n", (int)report.output_len, report.output);
	program_take_answer(plan, &report, out);
	out->seconds = monotonic_seconds() - wait.began;
	str_free(&text);
	free(name);
}
