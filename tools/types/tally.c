/* SPDX-License-Identifier: GPL-2.0-only */
/* How many incidents were there, and what became of what was derived? */
#include "base/banned.h"

#include <stdio.h>

#include "base/str.h"
#include "report/incident_rules.h"
#include "tools/types/tally.h"

static int tally_kind_of(const char *type)
{
	int i;

	for (i = 0; type && i < INCIDENT_RULES; i++)
		if (!strcmp(incident_rules[i].name, type))
			return i;
	return NONE;
}

const char *tally_kind(int kind)
{
	return kind == NONE ? "none" : incident_rules[kind].name;
}

/* The newest first: what goes on is what came last. */
static struct seen *find_seen(const struct tally *tally, const char *key, const char *uuid)
{
	size_t i;

	for (i = tally->n; i-- > 0;) {
		struct seen *seen = &tally->list[i];

		if (*key ? !strcmp(seen->key, key) : !strcmp(seen->uuid, uuid))
			return seen;
	}
	return NULL;
}

static struct seen *tally_add_seen(
	struct tally *tally, const char *key, const char *uuid, int derived)
{
	struct seen *seen;

	ARRAY_GROW(tally->list, tally->n, tally->room);
	seen = &tally->list[tally->n++];
	*seen = (struct seen){.derived = derived, .final = derived};
	snprintf(seen->key, sizeof(seen->key), "%s", key);
	snprintf(seen->uuid, sizeof(seen->uuid), "%s", uuid);
	return seen;
}

int tally_incident(void *arg, const struct incident *incident)
{
	struct tally *tally = arg;
	struct seen *seen = find_seen(tally, incident->key, incident->uuid);
	int derived = tally_kind_of(incident->derived);

	tally->runs++;
	if (seen)
		seen->derived = seen->final = derived;
	else
		tally_add_seen(tally, incident->key, incident->uuid, derived);
	return 0;
}

/* What a person spoke about is what the rules said then. */
static void take_word(struct tally *tally, const struct retype_entry *word)
{
	struct seen *seen = find_seen(tally, word->key, word->run);

	if (!seen && (word->time < tally->from || word->time > tally->to))
		return;
	if (!seen)
		seen = tally_add_seen(tally, word->key, word->run, NONE);
	if (!seen->retyped)
		seen->derived = tally_kind_of(word->derived);
	seen->final = tally_kind_of(word->type);
	seen->retyped = true;
}

void tally_count(struct tally *tally)
{
	size_t i;

	for (i = 0; i < tally->log.n; i++)
		take_word(tally, &tally->log.list[i]);
	for (i = 0; i < tally->n; i++) {
		const struct seen *seen = &tally->list[i];

		tally->matrix[seen->derived][seen->final]++;
		tally->retyped += seen->retyped;
		tally->disagreed += seen->retyped && seen->derived != seen->final;
	}
}

size_t tally_derived(const struct tally *tally, int kind)
{
	size_t n = 0;
	int i;

	for (i = 0; i < KINDS; i++)
		n += tally->matrix[kind][i];
	return n;
}

size_t tally_final(const struct tally *tally, int kind)
{
	size_t n = 0;
	int i;

	for (i = 0; i < KINDS; i++)
		n += tally->matrix[i][kind];
	return n;
}

bool tally_is_about(const struct retype_entry *word, const struct incident *incident)
{
	return *incident->key ? !strcmp(word->key, incident->key)
			      : !strcmp(word->run, incident->uuid);
}
