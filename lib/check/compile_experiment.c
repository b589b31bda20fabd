/* SPDX-License-Identifier: GPL-2.0-only */
/* What does one [experiment NAME] section declare, and does it make sense? */
#include "base/banned.h"
#include "check/experiment.h"
#include "base/num.h"
#include "base/str.h"
#include "check/compile_experiment.h"
#include "check/compile_util.h"
#include "check/keys.h"
#include "check/seen.h"
#include "check/settings.h"
#include "expr/eval.h"
#include "expr/condition.h"

/* An experiment is a matter of minutes: whoever said yes is waiting for it. */
#define ROUNDS_MIN 8
#define ROUNDS_MAX 1000
#define PHASE_SECONDS_MAX 600
#define BOUND_MAX 1000

static void experiment_take_better(const struct key_job *job)
{
	struct experiment *experiment = job->thing;
	const char *value = job->setting->value;

	experiment->lower_is_better = !strcmp(value, "lower");
	if (!experiment->lower_is_better && strcmp(value, "higher") != 0)
		complain_at(
			job->compile, job->setting, "'better' is higher or lower, not '%s'", value);
}

static unsigned int whole_number(const struct key_job *job, uint64_t least, uint64_t most)
{
	uint64_t number = 0;

	if (num_u64(job->setting->value, least, most, &number))
		complain_at(job->compile, job->setting,
			"'%s' is a whole number from %u to %u, not '%s'", job->setting->key,
			(unsigned int)least, (unsigned int)most, job->setting->value);
	return (unsigned int)number;
}

static void experiment_take_rounds(const struct key_job *job)
{
	*(unsigned int *)job->field = whole_number(job, ROUNDS_MIN, ROUNDS_MAX);
}

static void experiment_take_risk(const struct key_job *job)
{
	*(int *)job->field = (int)whole_number(job, 1, EXPERIMENT_RISK_MAX);
}

static void experiment_take_observe(const struct key_job *job)
{
	struct experiment *experiment = job->thing;

	experiment->observe_text = job->setting->value;
	experiment->observe = compile_expr(job->compile, job->setting, job->setting->value);
	if (!experiment->observe)
		return;
	if (expr_trace(experiment->observe))
		complain_at(
			job->compile, job->setting, "an experiment watches counters, not a trace");
	else if (expr_is_constant(experiment->observe))
		complain_at(job->compile, job->setting, "'%s' is the same in every phase",
			job->setting->value);
}

/* The name is in the arena. */
static struct experiment_rule *rule_named(
	struct arena *arena, struct experiment_rules *rules, const char *name)
{
	size_t i;

	for (i = 0; i < rules->n; i++)
		if (!strcmp(rules->list[i].name, name))
			return &rules->list[i];
	ARENA_GROW(arena, rules->list, rules->n, rules->room);
	rules->list[rules->n] = (struct experiment_rule){.name = name};
	return &rules->list[rules->n++];
}

/* refuse.NAME.PART or guard.NAME.PART */
static void experiment_take_rule(const struct key_job *job)
{
	size_t len = strcspn(job->rest, ".");
	const char *part = job->rest[len] ? job->rest + len + 1 : "";
	struct arena *arena = &job->compile->check->arena;
	const char *name = arena_copy(arena, job->rest, len);
	struct experiment_rule *rule;

	if (!is_name(name, "_-") || (strcmp(part, "when") != 0 && strcmp(part, "say") != 0)) {
		complain_at(job->compile, job->setting, "'%s' is not %s.NAME.when or .say",
			job->setting->key, job->key->name);
		return;
	}
	rule = rule_named(arena, job->field, name);
	if (!strcmp(part, "say")) {
		rule->say = job->setting->value;
		return;
	}
	rule->when_text = job->setting->value;
	rule->when = compile_condition(job->compile, job->setting);
	if (rule->when && condition_trace(rule->when))
		complain_at(job->compile, job->setting, "'%s' is about a trace, and none runs",
			job->setting->key);
}

static void experiment_take_set(const struct key_job *job)
{
	struct experiment *experiment = job->thing;
	const char *at = job->setting->value, *wrong;

	experiment->set = at;
	while (at) {
		const char *next = strstr(at, " or ");
		char *one = next ? mem_strndup(at, (size_t)(next - at)) : mem_strdup(at);

		if (experiment_set_is_relative(one, &wrong) && wrong)
			complain_at(job->compile, job->setting, "'%s': %s", one, wrong);
		free(one);
		at = next ? next + strlen(" or ") : NULL;
	}
}

/* What may be about the instance that is accused: a path. */
static void experiment_take_path(const struct key_job *job)
{
	static const char *const words[] = {"{instance}"};
	const char *value = job->setting->value;

	key_take_text(job);
	compile_placeholders(job->compile, job->setting, words, ARRAY_SIZE(words));
	if (*value != '/' || strstr(value, "/../"))
		complain_at(
			job->compile, job->setting, "'%s' is not the whole path of a file", value);
}

/* The same, or a command line: it may name the old and the new value too. */
static void experiment_take_command(const struct key_job *job)
{
	static const char *const words[] = {"{instance}", "{saved}", "{set}"};

	key_take_text(job);
	compile_placeholders(job->compile, job->setting, words, ARRAY_SIZE(words));
}

/* One of Tuesday's own that dig, and its words. */
static void experiment_take_program(const struct key_job *job)
{
	static const char *const words[] = {"{instance}", "{url}"};
	const char *value = job->setting->value;
	size_t len = strspn(value, "abcdefghijklmnopqrstuvwxyz"), tail = strlen("diagnose");

	key_take_text(job);
	compile_placeholders(job->compile, job->setting, words, ARRAY_SIZE(words));
	if (len <= tail || strncmp(value + len - tail, "diagnose", tail) != 0 ||
		(value[len] && value[len] != ' '))
		complain_at(job->compile, job->setting,
			"'program' is one of Tuesday's own that dig, as keepalivediagnose {url}");
}

static void experiment_take_say(const struct key_job *job)
{
	static const char *const words[] = {"{effect}"};

	compile_placeholders(job->compile, job->setting, words, ARRAY_SIZE(words));
	if (!strstr(job->setting->value, words[0]))
		complain_at(job->compile, job->setting, "'%s' has no {effect} in it",
			job->setting->key);
	key_take_text(job);
}

/* Whom it is about, where no metric names it. */
static void experiment_take_about(const struct key_job *job)
{
	const char *value = job->setting->value;

	key_take_text(job);
	if (strcmp(value, "cgroup") != 0 && strcmp(value, "route") != 0)
		complain_at(
			job->compile, job->setting, "'about' is cgroup or route, not '%s'", value);
}

#define AT(field) offsetof(struct experiment, field)
static const struct key experiment_rows[] = {
	{.name = "question", .take = key_take_text, .at = AT(question)},
	{.name = "knob", .take = experiment_take_path, .at = AT(knob)},
	{.name = "set", .take = experiment_take_set},
	{.name = "undo", .take = key_take_text, .at = AT(undo)},
	{.name = "also", .take = experiment_take_command, .at = AT(also)},
	{.name = "save", .take = experiment_take_command, .at = AT(save)},
	{.name = "apply", .take = experiment_take_command, .at = AT(apply)},
	{.name = "restore", .take = experiment_take_command, .at = AT(restore)},
	{.name = "survives_reboot", .take = key_take_yes, .at = AT(survives_reboot)},
	{.name = "clears", .take = key_take_yes, .at = AT(clears)},
	{.name = "takes_away", .take = key_take_text, .at = AT(takes_away)},
	{.name = "moves", .take = key_take_text, .at = AT(moves)},
	{.name = "program", .take = experiment_take_program, .at = AT(program)},
	{.name = "hold", .take = experiment_take_path, .at = AT(hold)},
	{.name = "label", .take = key_take_text, .at = AT(label)},
	{.name = "about", .take = experiment_take_about, .at = AT(about)},
	{.name = "suspect", .take = key_take_text, .at = AT(suspect)},
	{.name = "observe", .take = experiment_take_observe},
	{.name = "metric", .take = key_take_text, .at = AT(metric)},
	{.name = "better", .take = experiment_take_better},
	{.name = "say", .take = experiment_take_say, .at = AT(say)},
	{.name = "say.worse", .take = experiment_take_say, .at = AT(say_worse)},
	{.name = "margin", .take = key_take_number, .at = AT(margin), .above = 0, .most = 1},
	{.name = "rounds", .take = experiment_take_rounds, .at = AT(rounds)},
	{.name = "measure",
		.take = key_take_number,
		.at = AT(measure_seconds),
		.above = 0.09,
		.most = PHASE_SECONDS_MAX},
	{.name = "settle",
		.take = key_take_number,
		.at = AT(settle_seconds),
		.above = -1,
		.most = PHASE_SECONDS_MAX},
	{.name = "bound", .take = key_take_number, .at = AT(bound), .above = 1, .most = BOUND_MAX},
	{.name = "risk", .take = experiment_take_risk, .at = AT(risk)},
	{.name = "warning", .take = key_take_text, .at = AT(warning)},
	{.name = "needs", .take = key_take_text, .at = AT(needs)},
	{.name = "refuse", .shape = KEY_NAMED, .take = experiment_take_rule, .at = AT(refuse)},
	{.name = "guard", .shape = KEY_NAMED, .take = experiment_take_rule, .at = AT(guards)},
	{.name = "proves", .take = key_take_text, .at = AT(proves)},
	{.name = "source", .take = key_take_text, .at = AT(source)},
	{.name = "however", .take = key_take_text, .at = AT(however)},
	{.name = "seen", .take = key_take_seen, .at = AT(seen)},
	{.name = "refused", .take = key_take_text, .at = AT(refused)},
};
#undef AT

static void experiment_unknown_key(struct compile *compile, const struct setting *setting);

static const struct keys experiment_keys = {
	experiment_rows, ARRAY_SIZE(experiment_rows), experiment_unknown_key};

static void experiment_unknown_key(struct compile *compile, const struct setting *setting)
{
	const char *key = setting->key;

	if (is_empty(compile, setting))
		return;
	if (!strcmp(key, "refuse") || !strcmp(key, "guard"))
		complain_at(compile, setting,
			"'%s' needs a name: %s.NAME.when = CONDITION and %s.NAME.say = PHRASE", key,
			key, key);
	else
		complain_unknown_key(compile, setting, &experiment_keys);
}

static void require(struct compile *compile, const struct section *section, const char *key)
{
	if (!section_find(section, key))
		complain_at(
			compile, section->list, "[%s] has no '%s'", section->list->section, key);
}

/* A device takes 32 bits with a sign. */
static void check_held_number(struct compile *compile, const struct setting *set)
{
	const char *digits = set->value + (*set->value == '-');
	uint64_t number;

	if (num_u64(digits, 0, INT32_MAX, &number))
		complain_at(
			compile, set, "'%s' is no whole number for a device to take", set->value);
}

static void check_change(
	struct compile *compile, const struct section *section, const struct experiment *experiment)
{
	int ways = (experiment->knob != NULL) + (experiment->apply != NULL) +
		(experiment->hold != NULL) + (experiment->program != NULL);

	if (ways != 1) {
		complain_at(compile, section->list,
			"[%s] changes %s: one of 'knob', 'apply', 'hold' and 'program' says what",
			section->list->section, ways ? "more than one thing" : "nothing");
		return;
	}
	if (!experiment->apply && (experiment->save || experiment->restore))
		complain_at(compile, section_place(section, experiment->save ? "save" : "restore"),
			"'save' and 'restore' belong to 'apply', and there is none");
	if (!experiment->knob && (experiment->undo || experiment->also))
		complain_at(compile, section_place(section, experiment->undo ? "undo" : "also"),
			"'undo' and 'also' belong to 'knob', and there is none");
	if (experiment->apply) {
		require(compile, section, "save");
		require(compile, section, "restore");
	} else if (!experiment->program) {
		require(compile, section, "set");
	}
	if (experiment->hold && experiment->set)
		check_held_number(compile, section_place(section, "set"));
}

static void check_rules(struct compile *compile, const struct section *section, const char *kind,
	const struct experiment_rules *rules)
{
	static const char *const parts[] = {"when", "say"};
	size_t i, k;

	for (i = 0; i < rules->n; i++) {
		for (k = 0; k < ARRAY_SIZE(parts); k++) {
			char *key = mem_printf("%s.%s.%s", kind, rules->list[i].name, parts[k]);

			require(compile, section, key);
			free(key);
		}
	}
}

/* Who asks by a program turns and watches nothing. */
static void check_program(struct compile *compile, const struct section *section)
{
	static const char *const others[] = {"set", "observe", "metric", "better", "margin", "say",
		"say.worse", "rounds", "settle", "bound", "clears", "takes_away", "moves"};
	size_t i;

	require(compile, section, "measure");
	for (i = 0; i < ARRAY_SIZE(others); i++)
		if (section_find(section, others[i]))
			complain_at(compile, section_place(section, others[i]),
				"'%s' is about what is turned, and 'program' turns nothing",
				others[i]);
}

/* What a section must have that is meant to be run. */
static void check_parts(
	struct compile *compile, const struct section *section, const struct experiment *experiment)
{
	check_rules(compile, section, "refuse", &experiment->refuse);
	check_rules(compile, section, "guard", &experiment->guards);
	if (experiment->refused)
		return;
	check_change(compile, section, experiment);
	if (!experiment->program)
		require(compile, section, "better");
	require(compile, section, "risk");
	if (experiment->program)
		check_program(compile, section);
	if (experiment->clears && !experiment->program && experiment_wants_instance(experiment))
		complain_at(compile, section_place(section, "clears"),
			"'clears' is for what takes all of it away, and this is about one "
			"{instance} of it");
	if (experiment->observe && experiment->metric)
		complain_at(compile, section_place(section, "metric"),
			"'metric' is for what no counter tells, and 'observe' has one");
	if (experiment->about && !experiment_wants_instance(experiment))
		complain_at(compile, section_place(section, "about"),
			"'about' says what {instance} is, and nothing here has one");
	if (experiment->suspect && !experiment->about)
		complain_at(compile, section_place(section, "suspect"),
			"'suspect' belongs to 'about', and there is none");
	if (!experiment->say != !experiment->say_worse)
		complain_at(compile, section->list, "[%s] has no '%s'", section->list->section,
			experiment->say ? "say.worse" : "say");
}

void compile_experiment(struct compile *compile, const struct section *section)
{
	struct check *check = compile->check;
	struct experiment *experiment = arena_alloc(&check->arena, sizeof(*experiment));
	size_t before = compile->complaints->n;

	ARENA_GROW(
		&check->arena, check->experiments, check->n_experiments, check->room_experiments);
	check->experiments[check->n_experiments++] = experiment;
	experiment->name = section->name;
	experiment->file = section->list->file;
	experiment->line = section->list->line;
	experiment->margin = EXPERIMENT_MARGIN;
	experiment->rounds = EXPERIMENT_ROUNDS;
	experiment->measure_seconds = EXPERIMENT_MEASURE_SECONDS;
	experiment->settle_seconds = EXPERIMENT_SETTLE_SECONDS;
	experiment->bound = EXPERIMENT_BOUND;
	if (!is_name(section->name, "_"))
		complain_at(compile, section->list,
			"an experiment is [experiment NAME], the name of a-z, 0-9 and '_'");
	compile_keys(compile, section, &experiment_keys, experiment);
	/* What could not be read has been said; what it would break need not be. */
	if (!compile_trusts(compile) && compile->complaints->n == before)
		check_parts(compile, section, experiment);
}
