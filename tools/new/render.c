/* SPDX-License-Identifier: GPL-2.0-only */
/* What does a new check file look like, of what is known of it? */
#include "base/banned.h"

#include "base/arena.h"
#include "base/str.h"
#include "base/suggest.h"
#include "base/unit.h"
#include "check/check.h"
#include "check/layers.h"
#include "check/lint.h"
#include "check/scaffold.h"
#include "check/settings.h"
#include "expr/ast.h"
#include "expr/eval.h"
#include "expr/unit_guess.h"
#include "report/incident.h"
#include "sample/source.h"
#include "tools/new/internal.h"

const char *const draft_keys[DRAFT_KEYS] = {"value", "class", "enough", "look", "acquit", "maybe",
	"bad", "say", "clear", "witness", "why", "source", "however", "seen"};

void draft_set(char **to, const char *text)
{
	char *copy = text ? mem_strdup(text) : NULL;

	free(*to);
	*to = copy;
}

void draft_free(struct draft *draft)
{
	size_t i, k;

	free(draft->question);
	free(draft->area);
	free(draft->output);
	free(draft->path);
	free(draft->exec);
	free(draft->event);
	free(draft->like);
	for (i = 0; i < draft->n; i++) {
		free(draft->metrics[i].name);
		for (k = 0; k < DRAFT_KEYS; k++)
			free(draft->metrics[i].text[k]);
	}
}

static char *render_copy_text(const char *text)
{
	return text ? mem_strdup(text) : NULL;
}

static void render_copy(struct draft *to, const struct draft *from)
{
	size_t i, k;

	*to = *from;
	to->question = render_copy_text(from->question);
	to->area = render_copy_text(from->area);
	to->output = NULL;
	to->path = render_copy_text(from->path);
	to->exec = render_copy_text(from->exec);
	to->event = render_copy_text(from->event);
	to->like = render_copy_text(from->like);
	for (i = 0; i < from->n; i++) {
		to->metrics[i].name = NULL;
		for (k = 0; k < DRAFT_KEYS; k++)
			to->metrics[i].text[k] = render_copy_text(from->metrics[i].text[k]);
	}
}

/* The unit that the name of a metric ends in, and the factor that its value needs for that. */
static const char *suffix_of(const char *hint, const char **factor)
{
	static const struct {
		const char *hint, *suffix, *factor;
	} table[] = {
		{"ns", "seconds", "1ns"},
		{"us", "seconds", "1us"},
		{"ms", "seconds", "1ms"},
		{"s", "seconds", NULL},
		{"bytes", "bytes", NULL},
		{"KiB", "bytes", "1k"},
		{"ratio", "ratio", NULL},
		{"%", "ratio", "1%"},
		{"ns/s", "ratio", "1ns"},
		{"us/s", "ratio", "1us"},
		{"ms/s", "ratio", "1ms"},
		{"bytes/s", "bytes_per_second", NULL},
		{"KiB/s", "bytes_per_second", "1k"},
	};
	size_t i;

	*factor = NULL;
	for (i = 0; i < ARRAY_SIZE(table); i++) {
		if (strcmp(table[i].hint, hint) != 0)
			continue;
		*factor = table[i].factor;
		return table[i].suffix;
	}
	return str_ends(hint, "/s") ? "per_second" : "count";
}

/* The last word of a reference in small letters: "pgmajfault", "nr_requests". */
static void add_base_name(struct str *out, const char *key)
{
	const char *at = key + strlen(key);

	while (at > key && !strchr("./[", at[-1]))
		at--;
	if (*at < '0' || !*at)
		at = "value";
	for (; *at && *at != ']'; at++) {
		char c = *at >= 'A' && *at <= 'Z' ? (char)(*at | 32) : *at;

		if (!out->len && (c < 'a' || c > 'z'))
			str_add(out, "n_");
		str_addc(out, (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ? c : '_');
	}
}

/* A metric is called by the first number that it is made of. */
struct naming {
	struct draft_metric *metric;
	struct str *name;
};

static void name_by_leaf(void *arg, struct expr_leaf *leaf)
{
	const struct naming *naming = arg;
	const char *key = *leaf->key ? leaf->key : leaf->source;

	if (!naming->name->len)
		add_base_name(naming->name, key);
	naming->metric->many |= strchr(key, '*') != NULL;
}

/* Names a metric for its expression and brings the value into the unit of that name. */
static void name_metric(struct draft *draft, struct draft_metric *metric)
{
	struct arena arena = {0};
	const struct expr_scope scope = {
		.arena = &arena, .has_source = source_is_known, .has_group = source_has_group};
	struct str error = STR_INIT, hint = STR_INIT, name = STR_INIT;
	struct naming naming = {.metric = metric, .name = &name};
	const char *suffix, *factor;
	size_t column, i, same = 0;
	struct expr *expr = expr_parse(metric->text[DRAFT_VALUE], &scope, &error, &column);

	if (expr)
		unit_hint_expr(&hint, expr);
	suffix = suffix_of(str_text(&hint), &factor);
	expr_each_leaf(expr, name_by_leaf, &naming);
	if (!name.len)
		str_add(&name, "value");
	if (factor) {
		char *value = expr->kind == EXPR_BINARY
			? mem_printf("(%s) * %s", metric->text[DRAFT_VALUE], factor)
			: mem_printf("%s * %s", metric->text[DRAFT_VALUE], factor);

		free(metric->text[DRAFT_VALUE]);
		metric->text[DRAFT_VALUE] = value;
	}
	for (i = 0; i < draft->n; i++)
		if (draft->metrics[i].name && str_starts(draft->metrics[i].name, str_text(&name)))
			same++;
	if (same)
		str_addf(&name, "_%zu", same + 1);
	str_addf(&name, "_%s", suffix);
	metric->name = str_take(&name);
	arena_free(&arena);
	str_free(&error);
	str_free(&hint);
}

/* "5%" is "> 5%". */
static void complete_limit(char **text, const char *op)
{
	enum op ignored;
	char *limit;

	if (!*text || op_parse(*text, &ignored))
		return;
	limit = mem_printf("%s %s", op, *text);
	free(*text);
	*text = limit;
}

static void complete_metric(struct draft *draft, struct draft_metric *metric)
{
	char **text = metric->text;
	bool limited = text[DRAFT_ACQUIT] || text[DRAFT_MAYBE] || text[DRAFT_BAD];

	name_metric(draft, metric);
	complete_limit(&text[DRAFT_MAYBE], ">");
	complete_limit(&text[DRAFT_BAD], ">");
	complete_limit(&text[DRAFT_ACQUIT], "<");
	if (!text[DRAFT_CLASS])
		text[DRAFT_CLASS] = mem_strdup(limited ? "harm" : "cause");
	if (!text[DRAFT_SAY])
		text[DRAFT_SAY] = mem_printf(
			"%s%s is {value}", metric->many ? "{instance}: " : "", metric->name);
	if (!text[DRAFT_WHY])
		text[DRAFT_WHY] = mem_printf(
			LINT_PLACEHOLDER "what %s says about the machine.", metric->name);
	if (!text[DRAFT_SOURCE])
		text[DRAFT_SOURCE] = mem_strdup(limited ? "judgement" : "none, it is context");
	text[DRAFT_SEEN] = mem_strdup("never");
	if (!text[DRAFT_HOWEVER])
		text[DRAFT_HOWEVER] =
			mem_strdup(LINT_PLACEHOLDER "what this number cannot see, or how it lies.");
}

/* "page_fault_user" of "exceptions:page_fault_user", as a name of a section. */
static char *render_trace_name(const char *event)
{
	const char *colon = strrchr(event, ':');
	struct str name = STR_INIT;

	add_base_name(&name, colon ? colon + 1 : event);
	return str_take(&name);
}

/* What a trace adds: the same number, by who is behind it, with the limits of the first metric. */
static void render_add_traced(struct draft *draft)
{
	struct draft_metric *first = &draft->metrics[0], *traced = &draft->metrics[draft->n];
	static const enum draft_key same[] = {
		DRAFT_CLASS, DRAFT_ACQUIT, DRAFT_MAYBE, DRAFT_BAD, DRAFT_SOURCE};
	char *name = render_trace_name(draft->event);
	size_t i;

	if (draft->n == DRAFT_METRICS || !draft->n) {
		free(name);
		return;
	}
	draft->n++;
	*traced = (struct draft_metric){.name = mem_printf("%s_traced_per_second", name)};
	traced->text[DRAFT_VALUE] = mem_printf("count(trace:%s) / window", name);
	for (i = 0; i < ARRAY_SIZE(same); i++)
		draft_set(&traced->text[same[i]], first->text[same[i]]);
	traced->text[DRAFT_SAY] = mem_printf("{who}: {value} of %s", name);
	traced->text[DRAFT_CLEAR] = mem_printf("%s: {value}", name);
	traced->text[DRAFT_WHY] =
		mem_strdup("The trace counts the same events, and knows who is behind them.");
	traced->text[DRAFT_HOWEVER] = mem_strdup(
		"It looks for some seconds after the counters: what is over by then it does "
		"not see.");
	traced->text[DRAFT_SEEN] = mem_strdup("never");
	if (!first->text[DRAFT_WITNESS])
		first->text[DRAFT_WITNESS] = mem_printf("trace:%s", name);
	free(name);
}

/* A file that its program has stopped writing says what was once. */
static void render_add_age(struct draft *draft)
{
	size_t len = strcspn(draft->path, "[");
	struct draft_metric *age = &draft->metrics[draft->n];
	char *file = mem_strndup(draft->path, len);

	if (draft->n < DRAFT_METRICS) {
		draft->n++;
		*age = (struct draft_metric){
			.name = mem_strdup("file_age_seconds"), .many = strchr(file, '*') != NULL};
		age->text[DRAFT_VALUE] = mem_printf("%s[age]", file);
		age->text[DRAFT_CLASS] = mem_strdup("error");
		age->text[DRAFT_ACQUIT] = mem_strdup("< 5min");
		age->text[DRAFT_MAYBE] = mem_strdup("> 10min");
		age->text[DRAFT_SAY] = mem_printf(
			"%s was last written {value} ago", age->many ? "{instance}" : file);
		age->text[DRAFT_CLEAR] = mem_strdup("it was written {value} ago");
		age->text[DRAFT_WHY] = mem_strdup(
			"What writes the file has stopped, and the other numbers are old.");
		age->text[DRAFT_SOURCE] = mem_strdup("judgement: it is written every minute or so");
		age->text[DRAFT_HOWEVER] = mem_strdup(
			"A file that is written only when something changes may be old.");
		age->text[DRAFT_SEEN] = mem_strdup("never");
	}
	free(file);
}

static void draft_add_metric(struct str *out, const struct draft_metric *metric)
{
	size_t k;

	str_addf(out, "\n[metric %s]\n", metric->name);
	ini_add_comment(out,
		"The name ends in the unit of the value: _ratio _seconds _bytes _count "
		"_per_second");
	ini_add_comment(out, "_bytes_per_second. Watch it with: tuesday check FILE --watch");
	for (k = 0; k < DRAFT_KEYS; k++) {
		if (metric->text[k])
			ini_add_key(out, draft_keys[k], metric->text[k]);
		if (k == DRAFT_CLASS && !metric->text[DRAFT_ENOUGH])
			ini_add_comment(out,
				"enough   = delta(...) >= 100: below it there is nothing to "
				"judge, and the metric is idle");
	}
	if (metric->text[DRAFT_CLASS] && !strcmp(metric->text[DRAFT_CLASS], "harm"))
		ini_add_comment(out,
			"A source that begins with 'judgement': counters say maybe at most, until "
			"a "
			"trace confirms it.");
}

static void render_add_trace(struct str *out, const struct draft *draft)
{
	char *name = render_trace_name(draft->event);

	str_addf(out, "\n[trace %s]\n", name);
	ini_add_comment(out, "Its fields: tuesday sources --tracepoints with its name.");
	ini_add_key(out, "event", draft->event);
	ini_add_key(out, "who", "comm");
	free(name);
}

static void render_add_head(struct str *out, const struct draft *draft)
{
	ini_add_comment(out,
		draft->exec ? "A check: one question, and the program that answers it."
			    : "A check: one question, the numbers that answer it, and the "
			      "limits.");
	ini_add_comment(out,
		"tuesday lint FILE says what is missing; docs/writing-checks.md says what "
		"each key means.");
	str_add(out, "[check]\n");
	ini_add_key(out, "question", draft->question ? draft->question : "?");
	ini_add_key(out, "area", draft->area ? draft->area : draft->name);
	if (draft->exec) {
		ini_add_key(out, "exec", draft->exec);
		ini_add_comment(
			out, "Its exit status is the verdict: 0 good, 1 maybe, 2 bad, 3 unknown.");
		ini_add_key(out, "timeout", "10s");
		ini_add_key(out, "seen", "never");
		return;
	}
	ini_add_comment(
		out, "needs    = /proc/... : what must be there; without it the check is skipped");
	ini_add_comment(out,
		"next     = a command, another : what to run when the verdict is maybe or "
		"bad");
}

/* What a copy leaves out: what an experiment changes is for its own check, and of what is seen a
 * new check has seen nothing. */
static bool render_is_left_out(const struct setting *setting)
{
	return !strncmp(setting->section, "experiment", 10) || !strcmp(setting->key, "seen") ||
		!strcmp(setting->key, "headline");
}

static void render_like(const struct draft *draft, struct str *out)
{
	struct checks *checks = checks_load(&(struct check_layers){.root = "",
		.with_system = true,
		.only = (const char *const *)&draft->like,
		.n_only = 1});
	const struct check *check = checks_find(checks, draft->like);
	const char *section = "";
	size_t i;

	str_addf(out, "; A copy of the check '%s': change what is to be different.\n", draft->like);
	for (i = 0; check && i < check->n_settings; i++) {
		const struct setting *setting = &check->settings[i];
		const char *value = setting->value;

		if (render_is_left_out(setting))
			continue;
		if (strcmp(section, setting->section) != 0) {
			section = setting->section;
			str_addf(out, "%s[%s]\n", i ? "\n" : "", section);
			if (!strncmp(section, "metric", 6))
				ini_add_key(out, "seen", "never");
		}
		if (!strcmp(section, "check") && !strcmp(setting->key, "question") &&
			draft->question)
			value = draft->question;
		if (!strcmp(section, "check") && !strcmp(setting->key, "area") && draft->area)
			value = draft->area;
		ini_add_key(out, setting->key, value);
	}
	checks_free(checks);
}

void draft_render(const struct draft *draft, struct str *out)
{
	struct draft all;
	size_t i;

	if (draft->like) {
		render_like(draft, out);
		return;
	}
	render_copy(&all, draft);
	render_add_head(out, &all);
	for (i = 0; i < all.n; i++)
		complete_metric(&all, &all.metrics[i]);
	if (all.event)
		render_add_traced(&all);
	if (all.path)
		render_add_age(&all);
	for (i = 0; i < all.n; i++)
		draft_add_metric(out, &all.metrics[i]);
	if (all.event)
		render_add_trace(out, &all);
	draft_free(&all);
}

/* What is left to write, or asked for later, is not wrong yet. */
static bool render_is_later(const char *line, size_t len)
{
	char *text = mem_strndup(line, len);
	bool later = strstr(text, "unknown area") || strstr(text, "that was to be replaced") ||
		strstr(text, "this is context");

	free(text);
	return later;
}

bool draft_is_right(const struct draft *draft, struct str *why)
{
	struct str text = STR_INIT, errors = STR_INIT;
	const char *at, *end, *place;
	struct check *check;

	if (!draft->n && !draft->exec && !draft->like)
		return true;
	draft_render(draft, &text);
	check = check_parse(draft->name, str_text(&text), text.len, &errors);
	if (check)
		check_lint_meaning(check, NULL, 0, &errors);
	/* Of a program it is asked whether the file would be obeyed, and there is none yet. */
	if (check && !draft->exec)
		check_lint(check, &errors);
	for (at = str_text(&errors); (end = strchr(at, '\n')); at = end + 1) {
		if (render_is_later(at, (size_t)(end - at)))
			continue;
		place = strstr(at, ": ");
		at = place && place < end ? place + 2 : at;
		str_addn(why, at, (size_t)(end - at) + 1);
	}
	check_free(check);
	str_free(&text);
	str_free(&errors);
	return !why->len;
}

bool draft_area_is_known(const char *area, struct str *why)
{
	static const struct check_layers embedded = {0};
	struct checks *checks = checks_load(&embedded);
	struct str all = STR_INIT;
	bool known = !strcmp(area, INCIDENT_AREA_SECURITY);
	size_t i;

	for (i = 0; i < checks->n; i++) {
		const char *one = checks->list[i]->area;
		char *word = mem_printf(" %s ", one ? one : "");

		known |= one && !strcmp(one, area);
		if (one && !strstr(str_text(&all), word))
			str_addf(&all, "%s%s ", all.len ? "" : " ", one);
		free(word);
	}
	if (!known)
		str_addf(why, "there is no area of that name; there are%s\n", str_text(&all));
	str_free(&all);
	checks_free(checks);
	return known;
}
