/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/banned.h"

#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/str.h"
#include "queue/party.h"

static const char *const party_fields[] = {
	[PARTY_PID] = "pid",
	[PARTY_NAME] = "name",
	[PARTY_CGROUP] = "cgroup",
	[PARTY_USER] = "user",
	[PARTY_KIND] = "kind",
	[PARTY_POLICY] = "policy",
	[PARTY_NICE] = "nice",
};

/* By their numbers in the kernel's include/uapi/linux/sched.h. */
static const char *const party_policies[] = {
	"other", "fifo", "rr", "batch", NULL, "idle", "deadline", "ext"};

const char *party_policy(unsigned int policy)
{
	return policy < ARRAY_SIZE(party_policies) ? party_policies[policy] : NULL;
}

static int party_refuse(struct str *why, const char *word, const char *what)
{
	char *shown = escape_word(word);

	str_addf(why, "'%s' %s", shown, what);
	free(shown);
	return -EINVAL;
}

static bool party_number(const char *text, long *number)
{
	char *end;

	errno = 0;
	*number = strtol(text, &end, 10);
	return !errno && end != text && !*end;
}

/* The C library would ask whatever else is configured, for which it loads libraries. */
static bool party_user_number(const char *name, long *number)
{
	FILE *file = fopen("/etc/passwd", "re");
	const size_t len = strlen(name);
	char line[1024];
	const char *id;
	bool found = false;

	while (file && !found && fgets(line, sizeof(line), file)) {
		if (strncmp(line, name, len) != 0 || line[len] != ':')
			continue;
		id = strchr(line + len + 1, ':');
		if (!id)
			continue;
		line[strcspn(line, "\n")] = 0;
		line[(size_t)(id - line) + 1 + strcspn(id + 1, ":")] = 0;
		found = party_number(id + 1, number);
	}
	if (file)
		fclose(file);
	return found;
}

/* A user's number, from the name where it is one. */
static int party_user(struct party_condition *condition, struct str *why)
{
	if (condition->is_number)
		return 0;
	condition->is_number = party_user_number(condition->text, &condition->number);
	return condition->is_number
		? 0
		: party_refuse(why, condition->text, "is no user in /etc/passwd: give the number");
}

static int party_value(struct party_condition *condition, struct str *why)
{
	condition->is_number = party_number(condition->text, &condition->number);
	if (!*condition->text)
		return party_refuse(
			why, party_fields[condition->field], "is compared with nothing");
	if (condition->field == PARTY_USER)
		return party_user(condition, why);
	if (condition->field != PARTY_PID && condition->field != PARTY_NICE) {
		if (condition->less != condition->greater)
			return party_refuse(why, party_fields[condition->field],
				"is a text: it is = or != to another");
		return 0;
	}
	if (!condition->is_number)
		return party_refuse(why, condition->text, "is not a number");
	return 0;
}

/* The operator at op, which is cut off. Returns what follows it. */
static char *party_operator(struct party_condition *condition, char *op)
{
	const char first = *op;

	*op++ = 0;
	condition->less = first == '<' || first == '!';
	condition->greater = first == '>' || first == '!';
	condition->equal = first == '=';
	if (*op == '=' && first != '=') {
		op++;
		condition->equal = first != '!';
	}
	return op;
}

static int party_condition_parse(struct party_condition *condition, char *word, struct str *why)
{
	char *op = word + strcspn(word, "=<>!");
	size_t i;

	if (*op == '!' && op[1] != '=')
		return party_refuse(why, word, "has a ! without a = behind it");
	condition->text = party_operator(condition, op);
	for (i = 0; i < ARRAY_SIZE(party_fields); i++) {
		if (strcmp(word, party_fields[i]) != 0)
			continue;
		condition->field = (enum party_field)i;
		return party_value(condition, why);
	}
	return party_refuse(why, word,
		"is nothing that is known of a process: pid, name, cgroup, user, kind, policy or "
		"nice");
}

static void party_plain(struct party *party)
{
	struct party_condition *condition = &party->conditions[party->n++];

	condition->text = party->words;
	condition->equal = true;
	condition->is_number = party_number(party->words, &condition->number);
	if (strspn(party->words, "0123456789") == strlen(party->words) && condition->is_number)
		condition->field = PARTY_PID;
	else
		condition->field = *party->words == '/' ? PARTY_CGROUP : PARTY_NAME;
}

int party_parse(struct party *party, const char *said, struct str *why)
{
	char *rest, *word;
	int err;

	*party = (struct party){.said = mem_strdup(said), .words = mem_strdup(said)};
	if (!*said || strlen(said) > PARTY_BYTES)
		return party_refuse(why, said, "names no process: it is empty or too long");
	if (!said[strcspn(said, "=<>")]) {
		party_plain(party);
		return 0;
	}
	rest = party->words;
	while ((word = strsep(&rest, ","))) {
		if (!word[strcspn(word, "=<>!")])
			return party_refuse(why, word, "is no condition: FIELD=VALUE");
		if (party->n == PARTY_CONDITIONS)
			return party_refuse(why, said, "has more than 8 conditions");
		err = party_condition_parse(&party->conditions[party->n++], word, why);
		if (err)
			return err;
	}
	return 0;
}

void party_free(struct party *party)
{
	free(party->said);
	free(party->words);
	*party = (struct party){0};
}

/* Whether a path is that of a cgroup or of one below it; asked may begin above the path. */
static bool party_in_path(const char *path, size_t len, const char *asked)
{
	size_t want = strlen(asked), at;

	while (want && asked[want - 1] == '/')
		want--;
	while (want && *asked == '/') {
		asked++;
		want--;
	}
	for (at = 0; at + want <= len && want; at++)
		if ((!at || path[at - 1] == '/') && !memcmp(path + at, asked, want) &&
			(at + want == len || path[at + want] == '/'))
			return true;
	return false;
}

/* A path of the file system is one below the mount of a hierarchy. */
static const char *party_below_mount(const char *asked)
{
	static const char mount[] = "/sys/fs/cgroup/";

	return str_starts(asked, mount) ? asked + sizeof(mount) - 1 : asked;
}

static bool party_in_cgroup(const char *cgroups, const char *asked)
{
	const char *below = party_below_mount(asked), *second = strchr(below, '/');
	const char *line = cgroups, *end, *path;

	for (; *line; line = *end ? end + 1 : end) {
		end = line + strcspn(line, "\n");
		path = memchr(line, ':', (size_t)(end - line));
		path = path ? memchr(path + 1, ':', (size_t)(end - path - 1)) : NULL;
		if (!path)
			continue;
		path++;
		if (party_in_path(path, (size_t)(end - path), below))
			return true;
		/* The first folder of it may be that of a controller. */
		if (below != asked && second && party_in_path(path, (size_t)(end - path), second))
			return true;
	}
	return false;
}

static bool party_text(const struct party_condition *condition, const char *text)
{
	return (fnmatch(condition->text, text ? text : "", 0) == 0) == condition->equal;
}

static bool party_compare(const struct party_condition *condition, long number)
{
	return number < condition->number    ? condition->less
		: number > condition->number ? condition->greater
					     : condition->equal;
}

static bool party_meets(const struct party_condition *condition, const struct party_member *member)
{
	switch (condition->field) {
	case PARTY_PID:
		return party_compare(condition, (long)member->pid);
	case PARTY_NICE:
		return party_compare(condition, member->nice);
	case PARTY_USER:
		return party_compare(condition, (long)member->uid);
	case PARTY_NAME:
		return party_text(condition, member->name);
	case PARTY_CGROUP:
		return party_in_cgroup(member->cgroups, condition->text) == condition->equal;
	case PARTY_KIND:
		return party_text(condition, member->is_kernel ? "kernel" : "program");
	case PARTY_POLICY:
		return party_text(condition, party_policy(member->policy));
	}
	return false;
}

bool party_is_pid(const struct party *party)
{
	const struct party_condition *only = party->conditions;

	return party->n == 1 && only->field == PARTY_PID && only->is_number && only->equal &&
		!only->less && !only->greater;
}

bool party_has(const struct party *party, const struct party_member *member)
{
	size_t i;

	for (i = 0; i < party->n; i++)
		if (!party_meets(&party->conditions[i], member))
			return false;
	return party->n > 0;
}
