/* SPDX-License-Identifier: GPL-2.0-only */
/* What would an experiment change, and to which value? */
#include "base/banned.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "check/experiment.h"
#include "expr/bind.h"
#include "base/num.h"
#include "base/str.h"
#include "expr/eval.h"
#include "expr/condition.h"

/* Beyond it a double is no whole number any more. */
#define VALUE_MAX 9007199254740992.0

static void each_of_rules(const struct experiment_rules *rules,
	void (*each)(void *arg, struct expr_leaf *leaf), void *arg)
{
	size_t i;

	for (i = 0; i < rules->n; i++)
		condition_each_leaf(rules->list[i].when, each, arg);
}

void experiment_each_leaf(const struct experiment *experiment,
	void (*each)(void *arg, struct expr_leaf *leaf), void *arg)
{
	expr_each_leaf(experiment->observe, each, arg);
	each_of_rules(&experiment->refuse, each, arg);
	each_of_rules(&experiment->guards, each, arg);
}

void experiment_bind(const struct experiment *experiment, struct sweep *sweep)
{
	experiment_each_leaf(experiment, expr_leaf_bind, sweep);
}

/* What turning takes: a file is written and read back, commands are programs. Beyond that the
 * machine may be slow, which is why somebody experiments. */
#define TURN_FILE_SECONDS 0.1
#define TURN_COMMAND_SECONDS 2
#define SLOWER_FACTOR 1.1
#define SLACK_SECONDS 6

double experiment_seconds(const struct experiment *experiment, double measure_seconds)
{
	double phases = 2 * (double)experiment->rounds;
	double turn = experiment->apply ? TURN_COMMAND_SECONDS : TURN_FILE_SECONDS;
	double seconds;

	if (experiment->program)
		return measure_seconds + SLACK_SECONDS;
	seconds = 2 * EXPERIMENT_CONTROL_PAIRS * measure_seconds +
		phases * (experiment->settle_seconds + measure_seconds) + (phases + 1) * turn;

	return seconds * SLOWER_FACTOR + SLACK_SECONDS;
}

const char *experiment_risk_text(int risk)
{
	static const char *const texts[] = {
		[1] = "negligible",
		[2] = "a brief blip",
		[3] = "noticeably slower",
		[4] = "may stall or drop work",
		[5] = "loses data or cannot be undone",
	};

	return texts[risk];
}

static bool is_about_instance(const char *text)
{
	return text && strstr(text, "{instance}");
}

bool experiment_moves(const struct experiment *experiment, const char *metric)
{
	const char *at = experiment->moves ? experiment->moves : "";
	size_t len;

	for (at += strspn(at, " "); *at; at += len, at += strspn(at, " ")) {
		len = strcspn(at, " ");
		if (strlen(metric) == len && !strncmp(metric, at, len))
			return true;
	}
	return false;
}

bool experiment_runs_as_it_is(const struct experiment *experiment)
{
	return experiment->observe || experiment->metric || experiment->program;
}

bool experiment_wants_instance(const struct experiment *experiment)
{
	return is_about_instance(experiment->knob) || is_about_instance(experiment->save) ||
		is_about_instance(experiment->apply) || is_about_instance(experiment->restore) ||
		is_about_instance(experiment->program) ||
		(experiment->program && strstr(experiment->program, "{url}"));
}

/* "old * 2" or "x2" in two parts. Returns false where set is no such thing. */
static bool split_relative(const char *set, char *op, const char **number)
{
	if (*set == 'x' && set[1] >= '0' && set[1] <= '9') {
		*op = '*';
		*number = set + 1;
		return true;
	}
	if (!str_starts(set, "old") || (set[3] != ' ' && set[3] && !strchr("*/+-", set[3])))
		return false;
	set += 3;
	set += strspn(set, " ");
	*op = *set;
	*number = *set ? set + 1 + strspn(set + 1, " ") : set;
	return true;
}

static int parse_relative(const char *set, char *op, double *by, const char **wrong)
{
	const char *number;
	int n;

	*wrong = NULL;
	if (!split_relative(set, op, &number))
		return 0;
	n = num_with_unit(number, by);
	if (!strchr("*/+-", *op) || !*op)
		*wrong = "behind 'old' stands * / + or - and a number";
	else if (n < 0 || number[n])
		*wrong = "behind the operator stands a number, like 2 or 64k";
	else if (*op == '/' && *by == 0)
		*wrong = "nothing is divided by 0";
	return *wrong ? -EINVAL : 1;
}

bool experiment_set_is_relative(const char *set, const char **wrong)
{
	double by;
	char op;

	return parse_relative(set, &op, &by, wrong) != 0;
}

static int compute_relative(const char *old, char op, double by, char **out)
{
	double value;
	int n = num_with_unit(old, &value);

	/* 64k there would not be 65536: a knob's number has no unit. */
	if (n < 0 || old[n] || strspn(old, "0123456789.") != strlen(old))
		return -EINVAL;
	if (op == '*')
		value *= by;
	else if (op == '/')
		value /= by;
	else
		value += op == '+' ? by : -by;
	value = round(value);
	if (!(value >= 0 && value <= VALUE_MAX))
		return -ERANGE;
	*out = mem_printf("%.0f", value);
	return 0;
}

static int one_value(const char *set, const char *old, char **out)
{
	const char *wrong;
	double by;
	char op;
	int relative = parse_relative(set, &op, &by, &wrong), err = 0;

	if (relative < 0)
		return -EINVAL;
	if (relative)
		err = compute_relative(old, op, by, out);
	else
		*out = mem_strdup(set);
	if (err || strcmp(*out, old) != 0)
		return err;
	free(*out);
	*out = NULL;
	return -EALREADY;
}

int experiment_new_value(const struct experiment *experiment, const char *old, char **out)
{
	const char *at = experiment->set ? experiment->set : "";
	int err = -EALREADY;

	while (err == -EALREADY && at) {
		const char *next = strstr(at, " or ");
		char *one = next ? mem_strndup(at, (size_t)(next - at)) : mem_strdup(at);

		err = one_value(one, old, out);
		free(one);
		at = next ? next + strlen(" or ") : NULL;
	}
	return err;
}
