/* SPDX-License-Identifier: GPL-2.0-only */
/* What does somebody else's program say, and which verdict is that? */
#include <errno.h>
#include <math.h>

#include "judge/plugin_check.h"
#include "judge/judge.h"
#include "judge/perfdata.h"
#include "sys/subprocess.h"
#include "capture/capture.h"
#include "base/str.h"
#include "sys/file_trust.h"
#include "base/unit.h"

#define WORDS_MAX 256
#define BLOB "plugin-"

struct foreign {
	char *file; /* the check file that names the program */
	char **words;
	size_t n_words;
	struct plugin plugin;
	bool started;
	bool answered;
	struct str report;
	struct metric **metrics; /* of the last judgement, which points to them */
	size_t n_metrics, room_metrics;
};

/* The next word from *at, without its quotes. Returns false at the end, or where a quote is open.
 */
static bool next_word(const char **at, struct str *word, struct str *error)
{
	char quote = 0;

	*at += strspn(*at, " \t");
	if (!**at)
		return false;
	for (; **at && (quote || (**at != ' ' && **at != '\t')); (*at)++) {
		if (!quote && (**at == '"' || **at == '\''))
			quote = **at;
		else if (quote && **at == quote)
			quote = 0;
		else
			str_addc(word, **at);
	}
	if (quote)
		str_addf(error, "the quote %c is not closed", quote);
	return !quote;
}

static void split(struct foreign *foreign, const char *text, struct str *error)
{
	struct str word = STR_INIT;

	while (foreign->n_words < WORDS_MAX && next_word(&text, &word, error))
		foreign->words[foreign->n_words++] = str_take(&word);
	str_free(&word);
	if (foreign->n_words == WORDS_MAX)
		str_addf(error, "'exec' has more than %d words", WORDS_MAX - 1);
	else if (!error->len && !foreign->n_words)
		str_add(error, "'exec' names no program");
	else if (!error->len && *foreign->words[0] != '/')
		str_addf(error, "'exec' wants the whole path of a program, not '%s'",
			foreign->words[0]);
}

struct foreign *foreign_new(const char *exec, const char *file, struct str *error)
{
	struct foreign *foreign = mem_zalloc(sizeof(*foreign));

	foreign->file = mem_strdup(file);
	foreign->words = mem_zalloc((WORDS_MAX + 1) * sizeof(*foreign->words));
	foreign->plugin.timeout_seconds = FOREIGN_TIMEOUT_SECONDS;
	split(foreign, exec, error);
	foreign->plugin.words = foreign->words;
	if (!error->len)
		return foreign;
	foreign_free(foreign);
	return NULL;
}

static void clear_metrics(struct foreign *foreign)
{
	size_t i;

	for (i = 0; i < foreign->n_metrics; i++) {
		free((char *)foreign->metrics[i]->name);
		free((char *)foreign->metrics[i]->source);
		free(foreign->metrics[i]);
	}
	foreign->n_metrics = 0;
}

void foreign_free(struct foreign *foreign)
{
	size_t i;

	if (!foreign)
		return;
	clear_metrics(foreign);
	free(foreign->metrics);
	for (i = 0; i < foreign->n_words; i++)
		free(foreign->words[i]);
	free(foreign->words);
	free(foreign->file);
	str_free(&foreign->report);
	free(foreign);
}

void foreign_set_timeout(struct foreign *foreign, double seconds)
{
	foreign->plugin.timeout_seconds = seconds;
}

double foreign_timeout(const struct foreign *foreign)
{
	return foreign->plugin.timeout_seconds;
}

void foreign_command(const struct foreign *foreign, struct str *out)
{
	size_t i;

	for (i = 0; i < foreign->n_words; i++)
		str_addf(out, "%s%s", i ? " " : "", foreign->words[i]);
}

int foreign_trusted(const struct foreign *foreign, struct str *why)
{
	int err = trusted_file(foreign->file, why);

	return err ? err : trusted_file(foreign->words[0], why);
}

static void refuse(struct foreign *foreign, const char *why)
{
	plugin_report_failure(&foreign->report, why);
	foreign->answered = true;
}

static void start_one(struct foreign *foreign)
{
	struct str why = STR_INIT;
	int err;

	str_clear(&foreign->report);
	foreign->answered = false;
	if (foreign_trusted(foreign, &why)) {
		char *phrase = mem_printf("was not run: %s", str_text(&why));

		refuse(foreign, phrase);
		free(phrase);
		str_free(&why);
		return;
	}
	err = plugin_start(&foreign->plugin);
	foreign->started = !err;
	if (err)
		refuse(foreign, strerror(-err));
}

void foreign_start(struct check *const *checks, size_t n, struct procfs *fs)
{
	size_t i;

	for (i = 0; i < n && procfs_is_live(fs); i++) {
		char *skip = checks[i]->foreign ? judge_why_skipped(checks[i], fs) : NULL;

		if (checks[i]->foreign && !skip)
			start_one(checks[i]->foreign);
		free(skip);
	}
}

void foreign_collect(struct check *const *checks, size_t n, struct procfs *fs,
	bool (*tick)(void *arg), void *arg)
{
	size_t i;

	for (i = 0; i < n; i++) {
		struct foreign *foreign = checks[i]->foreign;
		char *name;

		if (!foreign || (!foreign->started && !foreign->answered))
			continue;
		if (foreign->started)
			plugin_collect(&foreign->plugin, tick, arg, &foreign->report);
		foreign->started = false;
		foreign->answered = true;
		name = mem_printf(BLOB "%s", checks[i]->name);
		procfs_put_blob(fs, name, str_text(&foreign->report), foreign->report.len);
		free(name);
	}
}

/* What was said just now, or in the recording. */
static int get_report(const struct check *check, struct procfs *fs, struct bytes *out)
{
	const struct str *report = &check->foreign->report;
	char *name;
	int err;

	if (check->foreign->answered) {
		*out = (struct bytes){str_text(report), report->len};
		return 0;
	}
	name = mem_printf(BLOB "%s", check->name);
	err = procfs_get_blob(fs, name, out);
	free(name);
	return err;
}

static struct metric *new_metric(struct foreign *foreign, const struct perf *perf)
{
	struct metric *metric = mem_zalloc(sizeof(*metric));

	metric->name = mem_printf("perfdata_%s", unit_text(perf->unit));
	metric->unit = perf->unit;
	metric->class = CLASS_HARM;
	metric->source = mem_printf("the thresholds of %s", foreign->words[0]);
	ARRAY_GROW(foreign->metrics, foreign->n_metrics, foreign->room_metrics);
	foreign->metrics[foreign->n_metrics++] = metric;
	return metric;
}

/* The end of a range that the value is nearer to, as a limit to be shown. */
static double nearest_end(const struct perf_range *range, double value, struct limit *limit)
{
	bool low = !isfinite(range->high) ||
		(isfinite(range->low) && value - range->low < range->high - value);
	double end = low ? range->low : range->high;

	/* "10" means 0:10, and nearly always the 10. */
	if (range->low == 0 && isfinite(range->high) && value >= 0) {
		low = false;
		end = range->high;
	}
	if (!range->set || range->inside || !isfinite(end))
		return NAN;
	limit->set = true;
	limit->op = low ? OP_LT : OP_GT;
	return end;
}

static void judge_perf(struct foreign *foreign, const struct perf *perf, struct metric_result *out)
{
	struct metric *metric = new_metric(foreign, perf);

	*out = (struct metric_result){.metric = metric,
		.instance = mem_strdup(perf->label),
		.label = mem_strdup(perf->label),
		.value = perf->value,
		.acquit = NAN,
		.look = NAN,
		.verdict = VERDICT_GOOD,
		.instances = 1};
	out->maybe = nearest_end(&perf->warn, perf->value, &metric->maybe.plain);
	out->bad = nearest_end(&perf->crit, perf->value, &metric->bad.plain);
	if (isnan(perf->value)) {
		out->verdict = VERDICT_UNKNOWN;
		out->missing = mem_strdup("the program does not know it");
	} else if (perf_range_alerts(&perf->crit, perf->value)) {
		out->verdict = VERDICT_BAD;
	} else if (perf_range_alerts(&perf->warn, perf->value)) {
		out->verdict = VERDICT_MAYBE;
	}
	out->accused = out->verdict == VERDICT_MAYBE || out->verdict == VERDICT_BAD;
}

static void judge_output(
	struct foreign *foreign, const struct plugin_output *output, struct check_result *result)
{
	size_t i;

	result->metrics = mem_zalloc((output->n + 1) * sizeof(*result->metrics));
	for (i = 0; i < output->n; i++)
		judge_perf(foreign, &output->list[i], &result->metrics[result->n_metrics++]);
}

/* The program knows its thresholds better than its performance data says them. */
static void hold_back(struct check_result *result)
{
	size_t i;

	for (i = 0; i < result->n_metrics; i++) {
		struct metric_result *metric = &result->metrics[i];

		if (metric->verdict == VERDICT_UNKNOWN ||
			!verdict_is_worse(metric->verdict, result->verdict))
			continue;
		metric->verdict = result->verdict;
		metric->capped = true;
		metric->accused = 0;
	}
}

static void not_known(struct check_result *result, char *reason)
{
	result->verdict = VERDICT_UNKNOWN;
	result->reason = reason;
	result->summary = mem_strdup(reason);
}

static void judge_exit(const struct plugin_report *report, const struct plugin_output *output,
	const char *program, struct check_result *result)
{
	static const enum verdict verdicts[] = {
		VERDICT_GOOD, VERDICT_MAYBE, VERDICT_BAD, VERDICT_UNKNOWN};
	const char *text = *output->text ? output->text : "said nothing";

	if (report->status >= (int)ARRAY_SIZE(verdicts)) {
		not_known(result,
			mem_printf("%s ended with exit status %d, which is none of a plugin's: %s",
				program, report->status, text));
		return;
	}
	result->verdict = verdicts[report->status];
	if (result->verdict == VERDICT_UNKNOWN) {
		not_known(result, mem_strdup(text));
		return;
	}
	result->summary = mem_strdup(text);
	result->exonerated = result->verdict == VERDICT_GOOD;
	if (result->exonerated)
		result->evidence = mem_strdup(text);
}

void foreign_judge(const struct check *check, struct procfs *fs, struct check_result *result)
{
	struct foreign *foreign = check->foreign;
	struct plugin_output output = {0};
	struct plugin_report report;
	struct bytes text;
	int err = get_report(check, fs, &text);

	clear_metrics(foreign);
	result->tier = TIER_COUNTERS;
	result->confidence = CONFIDENCE_MEDIUM;
	if (!err)
		err = plugin_report_parse(&report, text.data, text.len);
	if (err == -EBADMSG)
		not_known(result, mem_strdup("what its program said was recorded otherwise"));
	else if (err && procfs_is_replay(fs))
		not_known(result, mem_strdup("the recording has no answer of its program"));
	else if (err)
		not_known(result, mem_strdup("a program runs only on the machine itself"));
	else if (report.end == PLUGIN_FAILED)
		not_known(result, mem_printf("%s %s", foreign->words[0], report.why));
	if (err || report.end == PLUGIN_FAILED)
		return;
	plugin_output_parse(&output, report.output, report.output_len);
	judge_output(foreign, &output, result);
	judge_exit(&report, &output, foreign->words[0], result);
	if (result->verdict != VERDICT_UNKNOWN)
		hold_back(result);
	plugin_output_free(&output);
}
