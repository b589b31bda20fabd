/* SPDX-License-Identifier: GPL-2.0-only */
/* What does a program get? docs/json.md has the schema. */
#include <stdio.h>

#include "base/json_write.h"
#include "history/format.h"
#include "base/str.h"
#include "tools/types/tally.h"

#define SCHEMA "tuesday-types/1"

static int dump(json_t *object)
{
	json_dumpf(object, stdout, JSON_OURS);
	putchar('\n');
	json_decref(object);
	return 0;
}

static json_t *types_json(const struct tally *tally)
{
	json_t *array = json_array();
	int i;

	for (i = 0; i < TYPE_RULES; i++) {
		json_t *entry = json_object();

		json_put_text(entry, "type", tally_kind(i));
		json_put_count(entry, "derived", tally_derived(tally, i));
		json_put_count(entry, "final", tally_final(tally, i));
		json_array_append_new(array, entry);
	}
	return array;
}

static json_t *matrix_json(const struct tally *tally)
{
	json_t *array = json_array();
	int row, column;

	for (row = 0; row < KINDS; row++)
		for (column = 0; column < KINDS; column++) {
			json_t *entry;

			if (!tally->matrix[row][column])
				continue;
			entry = json_object();
			json_put_text(entry, "derived", tally_kind(row));
			json_put_text(entry, "final", tally_kind(column));
			json_put_count(entry, "incidents", tally->matrix[row][column]);
			json_array_append_new(array, entry);
		}
	return array;
}

int tally_print_json(const struct tally *tally)
{
	json_t *object = json_object();

	json_put_text(object, "schema", SCHEMA);
	json_put_time(object, "from", tally->from);
	json_put_time(object, "to", tally->to);
	json_put_count(object, "runs", tally->runs);
	json_put_count(object, "incidents", tally->n);
	json_put_count(object, "retyped", tally->retyped);
	json_put_count(object, "disagreed", tally->disagreed);
	json_object_set_new(object, "types", types_json(tally));
	json_object_set_new(object, "matrix", matrix_json(tally));
	if (tally->log.damaged)
		json_put_count(object, "damaged", tally->log.damaged);
	return dump(object);
}

static json_t *word_json(const struct type_word *word)
{
	json_t *object = json_object();

	json_put_text(object, "type", word->type);
	json_put_text(object, "by", word->by);
	json_put_time(object, "at", word->time);
	json_put_text(object, "reason", word->reason);
	json_put_text(object, "ref", word->ref);
	return object;
}

int tally_print_run_json(
	const struct tally *tally, const struct incident *incident, const char *current)
{
	json_t *object = json_object(), *words = json_array();
	size_t i;

	json_put_text(object, "schema", SCHEMA);
	json_object_set_new(object, "run", json_integer(incident->run));
	json_put_text(object, "id", incident->uuid);
	json_put_time(object, "time", incident->time);
	json_put_text(object, "current", current);
	json_put_text(object, "derived", incident->derived);
	for (i = 0; i < tally->log.n; i++)
		if (tally_is_about(&tally->log.list[i], incident))
			json_array_append_new(words, word_json(&tally->log.list[i]));
	json_object_set_new(object, "history", words);
	return dump(object);
}
