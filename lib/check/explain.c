/* SPDX-License-Identifier: GPL-2.0-only */
/* What does this check look at, when does it worry, why, and what can it not see? */
#include "base/banned.h"
#include "check/check.h"
#include "check/ends.h"
#include "base/escape.h"
#include "check/experiment.h"
#include "check/explain.h"
#include "check/keywords.h"
#include "check/seen.h"
#include "base/str.h"
#include "base/unit.h"
#include "check/exec.h"
#include "check/trend_rule.h"
#include "trace/spec.h"

#define COLUMNS 96

static void print_escaped(FILE *out, const char *text)
{
	struct str s = STR_INIT;

	escape_terminal(&s, text);
	fputs(str_text(&s), out);
	str_free(&s);
}

/* "  name      text", the text wrapped with a hanging indent. Nothing for NULL. */
static void print_field(FILE *out, const char *name, const char *text)
{
	struct str s = STR_INIT;
	const char *at;
	int column = 15;

	if (!text)
		return;
	escape_terminal(&s, text);
	fprintf(out, "    %-11s", name);
	for (at = str_text(&s); *at;) {
		int len = (int)strcspn(at, " ");

		if (column > 15 && column + 1 + len > COLUMNS) {
			fprintf(out, "\n%15s", "");
			column = 15;
		}
		fprintf(out, " %.*s", len, at);
		column += 1 + len;
		at += len;
		at += strspn(at, " ");
	}
	fputc('\n', out);
	str_free(&s);
}

static void print_limit(FILE *out, const char *name, const struct limit *limit)
{
	char *left;

	if (!limit->set)
		return;
	left = mem_printf(
		"%s%s%s", name, limit->class ? "." : "", limit->class ? limit->class : "");
	print_field(out, left, limit->text);
	free(left);
}

static void print_limits(FILE *out, const char *name, const struct limits *limits)
{
	size_t i;

	print_limit(out, name, &limits->plain);
	for (i = 0; i < limits->n; i++)
		print_limit(out, name, &limits->by_class[i]);
}

static const char *what_clears(const struct metric *metric)
{
	bool acquit = metric->acquit.plain.set || metric->acquit.n;

	if (!metric_may_clear(metric))
		return "nothing: it is context";
	if (metric->class == CLASS_CAUSE)
		return "within acquit, beside what else is judged";
	if (!metric->sustained_k)
		return acquit ? "the check only within acquit"
			      : "the check only within maybe and bad";
	return acquit ? "the check only within acquit, in the worst window"
		      : "the check only within maybe and bad, in the worst window";
}

static char *who_overrules(const struct metric *metric)
{
	if (metric->class == CLASS_ERROR || metric->class == CLASS_LIMIT)
		return mem_strdup("by nothing: it has happened, or will");
	if (metric->witness)
		return mem_printf("by %s", metric->witness);
	if (metric->look.plain.set || metric->look.n)
		return mem_strdup("by any trace of this check: it only asks for them");
	return mem_strdup("by nothing: no trace here sees what it counts");
}

static void print_trend(FILE *out, const struct metric *metric)
{
	const struct trend_rule *rule = &metric->trend;
	struct str text = STR_INIT;

	if (!metric_can_have_trend(metric))
		return;
	if (rule->looks == TREND_NONE) {
		print_field(out, "trend", "not followed");
		return;
	}
	str_add(&text,
		rule->looks == TREND_ALL ? "by the windows of a run and by earlier runs"
					 : "by earlier runs alone");
	if (rule->within_seconds > 0) {
		str_add(&text, ": maybe where it is full within ");
		value_for_people(&text, rule->within_seconds, UNIT_SECONDS);
		str_add(&text, " at that rate");
	}
	if (rule->looks == TREND_ALL && rule->within_seconds > 0) {
		str_addf(&text, "; windows are believed for %g times their length before ",
			rule->times);
		value_for_people(&text, rule->from, UNIT_RATIO);
		str_add(&text, " of the way to full");
	}
	print_field(out, "trend", str_text(&text));
	str_free(&text);
	print_field(out, "trend of", rule->grower_text);
	print_field(out, "trend by", rule->source);
}

static void print_metric(FILE *out, const struct check *check, const struct metric *metric)
{
	char *text;
	size_t i;

	fprintf(out, "\n  %s (%s, %s%s)\n", metric->name, metric_class_text(metric->class),
		metric->trace ? "trace" : "counters",
		metric->judgement ? ", limit by judgement" : "");
	print_field(out, "value", metric->value_text);
	print_field(out, "enough", metric->enough_text);
	print_limits(out, "acquit", &metric->acquit);
	print_limits(out, "maybe", &metric->maybe);
	print_limits(out, "bad", &metric->bad);
	print_limits(out, "look", &metric->look);
	if (metric->sustained_k) {
		text = mem_printf("%u of %u windows", metric->sustained_k, metric->sustained_n);
		print_field(out, "sustained", text);
		free(text);
	}
	print_trend(out, metric);
	print_field(out, "clears", what_clears(metric));
	if (!metric->trace && check->n_traces) {
		text = who_overrules(metric);
		print_field(out, "overruled", text);
		free(text);
	}
	print_field(out, "ends", metric_ends(metric));
	print_field(out, "only", metric->only);
	print_field(out, "rival", metric->rival_text);
	print_field(out, "ignore", metric->ignore);
	print_field(out, "absent", metric->absent);
	print_field(out, "signed", metric->is_signed ? "yes: it may be below zero" : NULL);
	if (metric->at_most > 0) {
		struct str most = STR_INIT;

		value_for_people(&most, metric->at_most, metric->unit);
		str_add(&most, ": more cannot be, and is unknown");
		print_field(out, "at most", str_text(&most));
		str_free(&most);
	}
	print_field(out, "keywords", metric->keywords);
	print_field(out, "why", metric->why);
	print_field(out, "source", metric->source);
	print_field(out, "seen", metric_seen_text(check, metric));
	print_field(out, "remedy", metric->remedy);
	print_field(out, "next", metric->next);
	print_field(out, "however", metric->however);
	for (i = 0; i < metric->n_howevers; i++) {
		const struct however *however = &metric->howevers[i];

		if (however->cap == CAP_UNKNOWN)
			text = mem_printf("unknown when %s: %s", however->when_text, however->say);
		else
			text = mem_printf("at most %s when %s: %s",
				however->cap == CAP_GOOD ? "good" : "maybe", however->when_text,
				however->say);
		print_field(out, "however", text);
		free(text);
	}
}

static void print_trace(FILE *out, const struct trace_spec *trace)
{
	char *text;

	fprintf(out, "\n  trace %s\n", trace->name);
	print_field(out, "tracer", trace->tracer);
	print_field(out, "event", trace->event);
	print_field(out, "begin", trace->begin);
	print_field(out, "end", trace->end);
	print_field(out, "where", trace->where);
	print_field(out, "since", trace->since);
	print_field(out, "key", trace->key);
	print_field(out, "who", trace->who);
	print_field(out, "by", trace->by);
	text = trace->always ? mem_strdup("for as long as counters are sampled")
			     : mem_printf("for %g s, when the counters ask", trace->run_seconds);
	print_field(out, "runs", text);
	free(text);
	if (trace->budget > 0) {
		text = mem_printf("above %g events a second it takes itself away", trace->budget);
		print_field(out, "budget", text);
		free(text);
	}
}

static void print_experiment_rules(
	FILE *out, const char *name, const struct experiment_rules *rules)
{
	size_t i;

	for (i = 0; i < rules->n; i++) {
		char *text =
			mem_printf("when %s: %s", rules->list[i].when_text, rules->list[i].say);

		print_field(out, name, text);
		free(text);
	}
}

/* What it can say that the check is not. */
static void print_clearing(FILE *out, const struct experiment *experiment)
{
	const char *part = experiment->takes_away ? experiment->takes_away : "it";
	char *text;

	if (!experiment->clears)
		return;
	text = mem_printf(
		"where it is no better without %s, the check is good and cleared; what fails "
		"or is full is not",
		part);
	print_field(out, "clears", text);
	free(text);
}

/* How long it takes, and what it risks. */
static void print_experiment_price(FILE *out, const struct experiment *experiment)
{
	struct str text = STR_INIT;

	value_for_people(
		&text, experiment_seconds(experiment, experiment->measure_seconds), UNIT_SECONDS);
	str_addf(&text, " at most%s", experiment->program ? "" : ", then it is ended and put back");
	print_field(out, "takes", str_text(&text));
	str_clear(&text);
	str_addf(&text, "%d of %d", experiment->risk, EXPERIMENT_RISK_MAX);
	print_field(out, "risk", str_text(&text));
	str_free(&text);
}

static void print_experiment_course(FILE *out, const struct experiment *experiment)
{
	char *text = mem_printf("at most %u pairs, each phase %g s after %g s to settle",
		experiment->rounds, experiment->measure_seconds, experiment->settle_seconds);

	print_field(out, "watches",
		experiment->observe	     ? experiment->observe_text
			: experiment->metric ? experiment->metric
					     : "what --metric or --url names");
	print_field(out, "better", experiment->lower_is_better ? "lower" : "higher");
	print_field(out, "course", text);
	free(text);
	text = mem_printf("%g %%", experiment->margin * 100);
	print_field(out, "margin", text);
	free(text);
	print_clearing(out, experiment);
}

static void print_experiment(
	FILE *out, const struct check *check, const struct experiment *experiment)
{
	fprintf(out, "\n  experiment %s\n", experiment->name);
	print_field(out, "question", experiment->question);
	print_field(out, "refused", experiment->refused);
	print_field(out, "knob", experiment->knob ? experiment->knob : experiment->hold);
	print_field(out, "also", experiment->also);
	print_field(out, "save", experiment->save);
	print_field(out, "apply", experiment->apply);
	print_field(out, "restore", experiment->restore);
	print_field(out, "set", experiment->set);
	print_field(out, "runs", experiment->program);
	if (!experiment->refused && !experiment->program)
		print_experiment_course(out, experiment);
	if (!experiment->refused)
		print_experiment_price(out, experiment);
	print_field(out, "needs", experiment->needs);
	print_experiment_rules(out, "refused", &experiment->refuse);
	print_experiment_rules(out, "ended", &experiment->guards);
	print_field(out, "moves", experiment->moves);
	print_field(out, "warning", experiment->warning);
	print_field(out, "proves", experiment->proves);
	print_field(out, "source", experiment->source);
	if (!experiment->refused)
		print_field(out, "seen", experiment_seen_text(check, experiment));
	print_field(out, "however", experiment->however);
}

static void print_foreign(FILE *out, const struct foreign *foreign)
{
	struct str command = STR_INIT;

	foreign_command(foreign, &command);
	fprintf(out, "Runs: ");
	print_escaped(out, str_text(&command));
	fprintf(out, " (for at most %g s)\n", foreign_timeout(foreign));
	str_free(&command);
}

/* "Needs: /proc/vmstat"; nothing for NULL. */
static void explain_line(FILE *out, const char *name, const char *text)
{
	if (!text)
		return;
	fprintf(out, "%s: ", name);
	print_escaped(out, text);
	fputc('\n', out);
}

void explain_about(FILE *out, const struct check *check, const char *word)
{
	size_t i;

	if (check_has_keyword(check, word)) {
		explain_check(out, check);
		return;
	}
	explain_line(out, check->name, check->question ? check->question : "");
	for (i = 0; i < check->n_metrics; i++)
		if (metric_has_keyword(check->metrics[i], word))
			print_metric(out, check, check->metrics[i]);
	fputc('\n', out);
}

void explain_check(FILE *out, const struct check *check)
{
	size_t i;

	explain_line(out, check->name, check->question ? check->question : "");
	explain_line(out, "Keywords", check->keywords);
	explain_line(out, "Place", check->place);
	explain_line(out, "Needs", check->needs);
	if (check->foreign)
		print_foreign(out, check->foreign);
	for (i = 0; i < check->n_metrics; i++)
		print_metric(out, check, check->metrics[i]);
	for (i = 0; i < check->n_traces; i++)
		print_trace(out, check->traces[i]);
	for (i = 0; i < check->n_experiments; i++)
		print_experiment(out, check, check->experiments[i]);
	if (check->next)
		fputc('\n', out);
	explain_line(out, "Next", check->next);
	fputc('\n', out);
}
