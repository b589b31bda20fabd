/* SPDX-License-Identifier: GPL-2.0-only */
/* What does a person say of the type of an incident that the rules have derived? */
#include "base/banned.h"

#include <errno.h>
#include <stdio.h>

#include "base/command.h"
#include "base/escape.h"
#include "history/history.h"
#include "history/incidents.h"
#include "run/options.h"
#include "base/username.h"
#include "history/format.h"
#include "base/str.h"
#include "report/incident.h"
#include "history/retypes.h"
#include "report/incident_rules.h"
#include "history/query.h"

struct retyping {
	const char *program, *reason, *ref, *type;
};

static int cmd_retype(int argc, char **argv);
COMMAND(retype_command) = {
	.name = "retype",
	.args = "RUN TYPE",
	.what = "correct the type of an incident, with a reason",
	.group = COMMAND_KEEPS,
	.run = cmd_retype,
};

static int retype_set_reason(void *to, const char *program, const char *value)
{
	if (!value[strspn(value, " \t\r\n")] || strlen(value) > RETYPES_REASON_MAX)
		return option_refused(program, "reason", value, "a reason of at most 500 bytes");
	((struct retyping *)to)->reason = value;
	return 0;
}

static bool know_type(struct retyping *retyping, const char *text)
{
	const char *nearest = incident_type_suggest(text);
	char *shown;
	size_t i;

	retyping->type = incident_type_find(text);
	if (retyping->type)
		return true;
	shown = escape_word(text);
	fprintf(stderr, "%s: there is no type '%s'", retyping->program, shown);
	if (nearest)
		fprintf(stderr, "; did you mean '%s'?\n", nearest);
	for (i = 0; !nearest && i < INCIDENT_RULES; i++)
		fprintf(stderr, "%s%s%s", i ? ", " : "; there are: ", incident_rules[i].name,
			i + 1 < INCIDENT_RULES ? "" : "\n");
	free(shown);
	return false;
}

static void say_failed(const char *program, int err)
{
	fprintf(stderr, "%s: the type is as it was: %s\n", program,
		err == -EPERM ? "the file or its directory is not this user's own, or others may "
				"write to it"
			: err == -EFBIG ? "the file of what people said is full (types.jsonl, 4 "
					  "MiB)"
					: strerror(-err));
}

static int retype_add_word(const struct retyping *retyping, const struct options *options,
	const struct incident *incident)
{
	char uuid[sizeof(incident->uuid)], key[INCIDENT_KEY_SIZE];
	char *by = username_of_caller();
	struct retype_entry word = {
		.run = uuid,
		.number = (uint64_t)incident->run,
		.key = key,
		.derived = incident->derived,
		.type = retyping->type,
		.by = by,
		.reason = mem_strdup(retyping->reason),
		.ref = retyping->ref ? mem_strdup(retyping->ref) : NULL,
		.time = time(NULL),
	};
	int err;

	snprintf(uuid, sizeof(uuid), "%s", incident->uuid);
	snprintf(key, sizeof(key), "%s", incident->key);
	err = retypes_add(options->state, &word);
	if (err)
		say_failed(retyping->program, err);
	else
		printf("Run %lld is %s; the rules say %s.%s\n", (long long)incident->run,
			retyping->type, incident->derived ? incident->derived : "none",
			*key ? " Later runs of the same condition have this type until it clears."
			     : "");
	free(word.reason);
	free(word.ref);
	free(by);
	return err ? 3 : 0;
}

static int retype_run(const struct retyping *retyping, const struct options *options)
{
	struct history *history = history_open_to_show(retyping->program, options->state);
	struct str why = STR_INIT;
	struct incident incident;
	struct history_run run;
	int status = 3, err;

	if (!history)
		return 3;
	err = history_find(history, options->names[0], time(NULL), &run, &why);
	if (!err && incident_of(history, run.id, &incident)) {
		err = -EIO;
		str_add(&why, "the history cannot be read");
	}
	history_close(history);
	if (err)
		fprintf(stderr, "%s: %s; see 'tuesday history'\n", retyping->program,
			str_text(&why));
	else
		status = retype_add_word(retyping, options, &incident);
	str_free(&why);
	return status;
}

static int cmd_retype(int argc, char **argv)
{
	static const struct option_row own[] = {
		{0, "reason", "TEXT", "why; needed", OPTION_CALL(retype_set_reason)},
		{0, "ref", "NAME", "the incident's name elsewhere: INC-42",
			OPTION_TEXT_OF(struct retyping, ref, RETYPES_REF_MAX,
				"a name of at most 100 bytes")},
	};
	struct retyping retyping = {.program = argv[0]};
	const struct usage usage = {
		.line = "tuesday retype RUN TYPE --reason TEXT",
		.what = "Records the type that a person gives a run (a number, id, time, last), "
			"beside earlier ones.\n"
			"The report stays as it is; later runs of the same condition have the "
			"type given last.",
		.groups = OPTIONS_STATE,
		.own = own,
		.n_own = ARRAY_SIZE(own),
		.to = &retyping,
		.status = "0 recorded, 3 not recorded",
	};
	struct options options;
	int err = options_parse_usage(&options, argc, argv, &usage);
	int status = err > 0 ? 0 : EXIT_MISUSE;

	if (!err && options.n_names != 2)
		fprintf(stderr, "%s: name a run and a type; see --help\n", argv[0]);
	else if (!err && !know_type(&retyping, options.names[1]))
		status = EXIT_MISUSE;
	else if (!err && !retyping.reason)
		fprintf(stderr, "%s: --reason is required\n", argv[0]);
	else if (!err)
		status = retype_run(&retyping, &options);
	options_free(&options);
	return status;
}
