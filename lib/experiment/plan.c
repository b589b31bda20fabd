/* SPDX-License-Identifier: GPL-2.0-only */
/* What would this experiment change here, from which value to which, or why will it not? */
#include "base/banned.h"

#include <errno.h>
#include <stdint.h>

#include "check/check.h"
#include "experiment/ab_test.h"
#include "check/experiment.h"
#include "experiment/plan.h"
#include "experiment/program.h"
#include "base/num.h"
#include "capture/capture.h"
#include "base/str.h"
#include "sys/file_trust.h"
#include "sys/knob_policy.h"
#include "check/settings.h"
#include "experiment/undo_log.h"
#include "experiment/change.h"
#include "capture/glob.h"

/* text with the instance in its place. */
static char *with_instance(const char *text, const char *instance)
{
	struct str out = STR_INIT;
	const char *at;

	if (!text)
		return NULL;
	while ((at = strstr(text, "{instance}"))) {
		str_addn(&out, text, (size_t)(at - text));
		str_add(&out, instance);
		text = at + strlen("{instance}");
	}
	str_add(&out, text);
	return str_take(&out);
}

__attribute__((format(printf, 2, 3))) static void plan_refuse(
	struct experiment_plan *plan, const char *format, ...)
{
	struct str text = STR_INIT;
	va_list args;

	if (plan->refused)
		return;
	va_start(args, format);
	str_addv(&text, format, args);
	va_end(args);
	plan->refused = str_take(&text);
}

static int plan_add_path(void *arg, const char *path, const char *star)
{
	struct experiment_plan *plan = arg;

	(void)star;
	if (plan->change.n_files == CHANGE_FILES_MAX) {
		plan_refuse(plan, "these are more than %d files", CHANGE_FILES_MAX);
		return 1;
	}
	if (plan->change.n_files == plan->room_files) {
		plan->room_files = plan->room_files ? plan->room_files * 2 : 8;
		plan->files =
			mem_realloc_array(plan->files, plan->room_files, sizeof(*plan->files));
		plan->paths =
			mem_realloc_array(plan->paths, plan->room_files, sizeof(*plan->paths));
		plan->to = mem_realloc_array(plan->to, plan->room_files, sizeof(*plan->to));
	}
	plan->paths[plan->change.n_files] = mem_strdup(path);
	plan->to[plan->change.n_files] = NULL;
	plan->files[plan->change.n_files] =
		(struct change_file){.path = plan->paths[plan->change.n_files]};
	plan->change.n_files++;
	return 0;
}

static void add_matches(struct experiment_plan *plan, struct capture *fs, const char *pattern)
{
	if (strchr(pattern, '*'))
		capture_glob(fs, pattern, plan_add_path, plan);
	else if (capture_exists(fs, pattern))
		plan_add_path(plan, pattern, "");
}

/* The patterns in a list separated by blanks, each with the instance in its place. */
static void plan_add_list(struct experiment_plan *plan, struct capture *fs, const char *list)
{
	while (*(list += strspn(list, " \t"))) {
		size_t len = strcspn(list, " \t");
		char *one = mem_strndup(list, len), *pattern = with_instance(one, plan->instance);

		add_matches(plan, fs, pattern);
		free(pattern);
		free(one);
		list += len;
	}
}

static void forget_file(struct experiment_plan *plan, size_t at)
{
	size_t i;

	free(plan->paths[at]);
	free(plan->to[at]);
	plan->change.n_files--;
	for (i = at; i < plan->change.n_files; i++) {
		plan->paths[i] = plan->paths[i + 1];
		plan->to[i] = plan->to[i + 1];
		plan->files[i] = plan->files[i + 1];
	}
}

/* "8192", "8192, 128", "8192, 128 and others" */
static void plan_add_value(struct str *list, size_t *n, const char *value)
{
	const char *at = strstr(str_text(list), value);
	size_t len = strlen(value);

	if (at && (at == list->text || at[-1] == ' ') && (!at[len] || at[len] == ','))
		return;
	if (++*n <= 3)
		str_addf(list, "%s%s", list->len ? ", " : "", value);
	else if (*n == 4)
		str_add(list, " and others");
}

/* Fills in what each knob becomes. A knob that has the new value already is none to turn. */
static void set_values(struct experiment_plan *plan, char **old, size_t knobs)
{
	struct str from = STR_INIT, becomes = STR_INIT, why = STR_INIT;
	size_t i, n_from = 0, n_becomes = 0, same = 0;

	for (i = 0; i < knobs; i++) {
		int err = experiment_new_value(plan->experiment, old[i], &plan->to[i]);

		if (err == -EALREADY) {
			same++;
		} else if (err) {
			plan_refuse(plan, "'%s' of '%.60s', which %s holds: %s",
				plan->experiment->set, old[i], plan->paths[i],
				err == -ERANGE ? "out of range" : "no number");
		} else if (!knob_policy_value(plan->paths[i], plan->to[i], &why)) {
			plan_refuse(plan, "%s", str_text(&why));
		} else {
			plan->files[i].to = plan->to[i];
			plan->files[i].undo = plan->experiment->undo;
			plan_add_value(&from, &n_from, old[i]);
			plan_add_value(&becomes, &n_becomes, plan->to[i]);
		}
	}
	if (same == knobs)
		plan_refuse(plan, "%s is %s already", plan->paths[0], old[0]);
	str_free(&why);
	plan->from = str_take(&from);
	plan->becomes = str_take(&becomes);
	for (i = knobs; i-- > 0;)
		if (!plan->files[i].to)
			forget_file(plan, i);
}

static void plan_files(struct experiment_plan *plan, struct capture *fs)
{
	const struct experiment *experiment = plan->experiment;
	char *pattern = with_instance(experiment->knob, plan->instance);
	struct str why = STR_INIT;
	char **old = NULL;
	size_t knobs, n, i;

	plan->change.kind = CHANGE_FILES;
	add_matches(plan, fs, pattern);
	knobs = plan->change.n_files;
	if (!knobs)
		plan_refuse(plan, "there is no %s here", pattern);
	else if (experiment->also)
		plan_add_list(plan, fs, experiment->also);
	free(pattern);
	plan->change.files = plan->files;
	n = plan->change.n_files;
	if (!plan->refused && change_look(&plan->change, &old, &why))
		plan_refuse(plan, "%s", str_text(&why));
	else if (!plan->refused)
		set_values(plan, old, knobs);
	for (i = 0; old && i < n; i++)
		free(old[i]);
	free(old);
	str_free(&why);
}

/* What a shell would take for more than a name. */
static bool is_harmless(const char *instance)
{
	for (; *instance; instance++)
		if (!(*instance >= 'a' && *instance <= 'z') &&
			!(*instance >= 'A' && *instance <= 'Z') &&
			!(*instance >= '0' && *instance <= '9') && !strchr("_.:/-", *instance))
			return false;
	return true;
}

/* Each file that says something about the section decides what root changes. What is linked in has
 * no directory. */
static void check_trust(struct experiment_plan *plan)
{
	char *section = mem_printf("experiment %s", plan->experiment->name);
	struct str why = STR_INIT;
	size_t i;

	for (i = 0; i < plan->check->n_settings && !plan->refused; i++) {
		const struct setting *setting = &plan->check->settings[i];

		if (strcmp(setting->section, section) != 0 || !strchr(setting->file, '/'))
			continue;
		if (trusted_file(setting->file, &why))
			plan_refuse(plan, "not obeyed: %s", str_text(&why));
	}
	str_free(&why);
	free(section);
}

static void plan_commands(struct experiment_plan *plan)
{
	const struct experiment *experiment = plan->experiment;

	plan->change.kind = CHANGE_COMMANDS;
	plan->change.save = plan->save = with_instance(experiment->save, plan->instance);
	plan->change.apply = plan->apply = with_instance(experiment->apply, plan->instance);
	plan->change.restore = plan->restore = with_instance(experiment->restore, plan->instance);
	plan->becomes = experiment->set ? mem_strdup(experiment->set) : NULL;
	if (*plan->instance == '-' || !is_harmless(plan->instance))
		plan_refuse(plan, "'%s' is no name to put into a command", plan->instance);
}

static void plan_held(struct experiment_plan *plan)
{
	const char *set = plan->experiment->set;
	struct str why = STR_INIT;
	uint64_t number = 0;

	plan->change.kind = CHANGE_HELD;
	plan->change.device = plan->device = with_instance(plan->experiment->hold, plan->instance);
	num_u64(set + (*set == '-'), 0, INT32_MAX, &number);
	plan->change.number = *set == '-' ? -(int32_t)number : (int32_t)number;
	plan->becomes = mem_strdup(set);
	if (!knob_policy_device(plan->device, &why))
		plan_refuse(plan, "%s", str_text(&why));
	str_free(&why);
}

static int plan_note_found(void *arg, const char *path, const char *star)
{
	(void)path;
	(void)star;
	*(bool *)arg = true;
	return 1;
}

static bool plan_path_is_there(struct capture *fs, const char *path)
{
	bool found = false;

	if (!strchr(path, '*'))
		return capture_exists(fs, path);
	capture_glob(fs, path, plan_note_found, &found);
	return found;
}

bool experiment_fits(struct capture *fs, const struct experiment *experiment, const char *instance)
{
	char *path = with_instance(experiment->knob, instance);
	bool fits = experiment->program ? program_fits(instance)
					: !path || plan_path_is_there(fs, path);

	free(path);
	return fits;
}

static void check_needs(struct experiment_plan *plan, struct capture *fs)
{
	const char *at = plan->experiment->needs ? plan->experiment->needs : "";

	while (*(at += strspn(at, " \t"))) {
		size_t len = strcspn(at, " \t");
		char *one = mem_strndup(at, len), *path = with_instance(one, plan->instance);

		if (!plan_path_is_there(fs, path))
			plan_refuse(plan, "no %s here", path);
		free(path);
		free(one);
		at += len;
	}
}

void experiment_plan_measure(struct experiment_plan *plan, double measure_seconds)
{
	double seconds = experiment_seconds(plan->experiment, measure_seconds);

	plan->measure_seconds = measure_seconds;
	plan->change.seconds = seconds < CHANGE_SECONDS_MAX ? seconds : CHANGE_SECONDS_MAX;
}

void experiment_plan_make(struct experiment_plan *plan, struct capture *fs,
	const struct check *check, const struct experiment *experiment, const char *instance,
	const char *url)
{
	*plan = (struct experiment_plan){.check = check, .experiment = experiment};
	plan->instance = mem_strdup(experiment_wants_instance(experiment) ? instance : "");
	plan->change.check = check->name;
	plan->change.experiment = experiment->name;
	plan->change.survives_reboot = experiment->survives_reboot;
	experiment_plan_measure(plan, experiment->measure_seconds);
	if (experiment->refused)
		plan_refuse(plan, "%s", experiment->refused);
	else if (experiment->risk == EXPERIMENT_RISK_MAX)
		plan_refuse(plan, "its risk is 5: it loses data or cannot be undone");
	else if (experiment_wants_instance(experiment) && !*plan->instance && !url)
		plan_refuse(plan, "no instance is accused: --instance names one");
	else if (strchr(plan->instance, '*') || strstr(plan->instance, ".."))
		plan_refuse(
			plan, "'%s' is no name of an instance to put into a path", plan->instance);
	check_needs(plan, fs);
	check_trust(plan);
	if (plan->refused)
		return;
	if (experiment->knob)
		plan_files(plan, fs);
	else if (experiment->apply)
		plan_commands(plan);
	else if (experiment->program)
		program_plan(plan, url);
	else
		plan_held(plan);
}

void experiment_plan_free(struct experiment_plan *plan)
{
	while (plan->change.n_files)
		forget_file(plan, plan->change.n_files - 1);
	free(plan->files);
	free(plan->paths);
	free(plan->to);
	free(plan->instance);
	free(plan->save);
	free(plan->apply);
	free(plan->restore);
	free(plan->device);
	free(plan->program);
	while (plan->n_words)
		free(plan->words[--plan->n_words]);
	free(plan->from);
	free(plan->becomes);
	free(plan->refused);
	*plan = (struct experiment_plan){0};
}
