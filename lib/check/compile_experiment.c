/* SPDX-License-Identifier: GPL-2.0-only */
/* What does one [experiment NAME] section declare, and does it make sense? */
#include "check/experiment.h"
#include "base/num.h"
#include "base/str.h"
#include "check/compile_experiment.h"
#include "check/compile_util.h"
#include "check/settings.h"
#include "expr/eval.h"
#include "expr/condition.h"

/* An experiment is a matter of minutes: whoever said yes is waiting for it. */
#define ROUNDS_MIN 8
#define ROUNDS_MAX 1000
#define PHASE_SECONDS_MAX 600
#define BOUND_MAX 1000

/* One key of one experiment on its way. */
struct job {
	struct compile *compile;
	struct experiment *experiment;
	const struct setting *setting;
};

static void take_better(const struct job *job)
{
	const char *value = job->setting->value;

	job->experiment->lower_is_better = !strcmp(value, "lower");
	if (!job->experiment->lower_is_better && strcmp(value, "higher") != 0)
		complain_at(
			job->compile, job->setting, "'better' is higher or lower, not '%s'", value);
}

static unsigned int take_whole(const struct job *job, uint64_t least, uint64_t most)
{
	uint64_t number = 0;

	if (num_u64(job->setting->value, least, most, &number))
		complain_at(job->compile, job->setting,
			"'%s' is a whole number from %u to %u, not '%s'", job->setting->key,
			(unsigned int)least, (unsigned int)most, job->setting->value);
	return (unsigned int)number;
}

static void take_observe(const struct job *job)
{
	struct experiment *experiment = job->experiment;

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

static struct experiment_rule *rule_named(struct experiment_rules *rules, const char *name)
{
	size_t i;

	for (i = 0; i < rules->n; i++)
		if (!strcmp(rules->list[i].name, name))
			return &rules->list[i];
	ARRAY_GROW(rules->list, rules->n, rules->room);
	rules->list[rules->n] = (struct experiment_rule){.name = mem_strdup(name)};
	return &rules->list[rules->n++];
}

/* refuse.NAME.PART or guard.NAME.PART */
static void take_rule(const struct job *job, const char *kind, struct experiment_rules *rules)
{
	const char *rest = job->setting->key + strlen(kind) + 1;
	size_t len = strcspn(rest, ".");
	const char *part = rest[len] ? rest + len + 1 : "";
	char *name = mem_strndup(rest, len);
	struct experiment_rule *rule;

	if (!is_name(name, "_-") || (strcmp(part, "when") != 0 && strcmp(part, "say") != 0)) {
		complain_at(job->compile, job->setting, "'%s' is not %s.NAME.when or .say",
			job->setting->key, kind);
		free(name);
		return;
	}
	rule = rule_named(rules, name);
	free(name);
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

static void take_set(const struct job *job)
{
	const char *at = job->setting->value, *wrong;

	job->experiment->set = at;
	while (at) {
		const char *next = strstr(at, " or ");
		char *one = next ? mem_strndup(at, (size_t)(next - at)) : mem_strdup(at);

		if (experiment_set_is_relative(one, &wrong) && wrong)
			complain_at(job->compile, job->setting, "'%s': %s", one, wrong);
		free(one);
		at = next ? next + strlen(" or ") : NULL;
	}
}

/* A path or a command, which may be about the instance that is accused. */
static void take_target(const struct job *job, const char **target)
{
	static const char *const words[] = {"{instance}", "{saved}", "{set}"};
	bool command = target != &job->experiment->knob && target != &job->experiment->hold;
	const char *value = job->setting->value;

	*target = value;
	compile_placeholders(job->compile, job->setting, words, command ? ARRAY_SIZE(words) : 1);
	if (!command && (*value != '/' || strstr(value, "/../")))
		complain_at(
			job->compile, job->setting, "'%s' is not the whole path of a file", value);
}

static void take_say(const struct job *job, const char **phrase)
{
	static const char *const words[] = {"{effect}"};

	compile_placeholders(job->compile, job->setting, words, ARRAY_SIZE(words));
	if (!strstr(job->setting->value, words[0]))
		complain_at(job->compile, job->setting, "'%s' has no {effect} in it",
			job->setting->key);
	*phrase = job->setting->value;
}

static bool take_text(const struct job *job)
{
	struct experiment *experiment = job->experiment;
	const struct {
		const char *key;
		const char **text;
	} texts[] = {
		{"question", &experiment->question},
		{"label", &experiment->label},
		{"undo", &experiment->undo},
		{"warning", &experiment->warning},
		{"needs", &experiment->needs},
		{"proves", &experiment->proves},
		{"source", &experiment->source},
		{"however", &experiment->however},
		{"refused", &experiment->refused},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(texts); i++) {
		if (!strcmp(job->setting->key, texts[i].key)) {
			*texts[i].text = job->setting->value;
			return true;
		}
	}
	return false;
}

static bool take_targets(const struct job *job)
{
	struct experiment *experiment = job->experiment;
	const struct {
		const char *key;
		const char **target;
	} targets[] = {
		{"knob", &experiment->knob},
		{"also", &experiment->also},
		{"save", &experiment->save},
		{"apply", &experiment->apply},
		{"restore", &experiment->restore},
		{"hold", &experiment->hold},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(targets); i++) {
		if (!strcmp(job->setting->key, targets[i].key)) {
			take_target(job, targets[i].target);
			return true;
		}
	}
	return false;
}

static bool take_number(const struct job *job)
{
	struct experiment *experiment = job->experiment;
	const struct {
		const char *key;
		double *number;
		double above, most;
	} numbers[] = {
		{"margin", &experiment->margin, 0, 1},
		{"measure", &experiment->measure_seconds, 0.09, PHASE_SECONDS_MAX},
		{"settle", &experiment->settle_seconds, -1, PHASE_SECONDS_MAX},
		{"bound", &experiment->bound, 1, BOUND_MAX},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(numbers); i++) {
		if (!strcmp(job->setting->key, numbers[i].key)) {
			*numbers[i].number = compile_number(
				job->compile, job->setting, numbers[i].above, numbers[i].most);
			return true;
		}
	}
	return false;
}

static void take_unknown(const struct job *job)
{
	static const char *const words[] = {"question", "knob", "set", "undo", "also", "save",
		"apply", "restore", "survives_reboot", "hold", "label", "observe", "better", "say",
		"say.worse", "margin", "rounds", "measure", "settle", "bound", "risk", "warning",
		"needs", "refuse", "guard", "proves", "source", "however", "refused"};
	const char *key = job->setting->key;

	if (!strcmp(key, "refuse") || !strcmp(key, "guard"))
		complain_at(job->compile, job->setting,
			"'%s' needs a name: %s.NAME.when = CONDITION and %s.NAME.say = PHRASE", key,
			key, key);
	else
		complain_unknown_key(job->compile, job->setting, words, ARRAY_SIZE(words));
}

static void take_key(const struct job *job)
{
	struct experiment *experiment = job->experiment;
	const char *key = job->setting->key;

	if (!*job->setting->value)
		complain_at(job->compile, job->setting, "'%s' is empty", key);
	else if (!strcmp(key, "set"))
		take_set(job);
	else if (!strcmp(key, "observe"))
		take_observe(job);
	else if (!strcmp(key, "better"))
		take_better(job);
	else if (!strcmp(key, "rounds"))
		experiment->rounds = take_whole(job, ROUNDS_MIN, ROUNDS_MAX);
	else if (!strcmp(key, "risk"))
		experiment->risk = (int)take_whole(job, 1, EXPERIMENT_RISK_MAX);
	else if (!strcmp(key, "say"))
		take_say(job, &experiment->say);
	else if (!strcmp(key, "say.worse"))
		take_say(job, &experiment->say_worse);
	else if (!strcmp(key, "survives_reboot"))
		experiment->survives_reboot = compile_yes(job->compile, job->setting);
	else if (str_starts(key, "refuse."))
		take_rule(job, "refuse", &experiment->refuse);
	else if (str_starts(key, "guard."))
		take_rule(job, "guard", &experiment->guards);
	else if (!take_text(job) && !take_targets(job) && !take_number(job))
		take_unknown(job);
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
		(experiment->hold != NULL);

	if (ways != 1) {
		complain_at(compile, section->list,
			"[%s] changes %s: one of 'knob', 'apply' and 'hold' says what",
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
	} else {
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

/* What a section must have that is meant to be run. */
static void check_parts(
	struct compile *compile, const struct section *section, const struct experiment *experiment)
{
	check_rules(compile, section, "refuse", &experiment->refuse);
	check_rules(compile, section, "guard", &experiment->guards);
	if (experiment->refused)
		return;
	check_change(compile, section, experiment);
	require(compile, section, "better");
	require(compile, section, "risk");
	if (!experiment->say != !experiment->say_worse)
		complain_at(compile, section->list, "[%s] has no '%s'", section->list->section,
			experiment->say ? "say.worse" : "say");
}

void compile_experiment(struct compile *compile, const struct section *section)
{
	struct check *check = compile->check;
	struct experiment *experiment = mem_zalloc(sizeof(*experiment));
	size_t before = compile->complaints->n, i;

	ARRAY_GROW(check->experiments, check->n_experiments, check->room_experiments);
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
	for (i = 1; i < section->n; i++) {
		struct job job = {compile, experiment, &section->list[i]};

		take_key(&job);
	}
	/* What could not be read has been said; what it would break need not be. */
	if (compile->complaints->n == before)
		check_parts(compile, section, experiment);
}
