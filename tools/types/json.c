/* SPDX-License-Identifier: GPL-2.0-only */
/* What does a program get? docs/json.md has the schema. */
#include "base/banned.h"

#include <stdio.h>

#include "base/json_write.h"
#include "history/format.h"
#include "base/str.h"
#include "tools/types/tally.h"
#include "tools/types/json.h"

#define SCHEMA "tuesday-types/1"

static void tally_write_types(struct json_writer *json, const struct tally *tally)
{
	int i;

	json_open(json, "types", '[');
	for (i = 0; i < INCIDENT_RULES; i++) {
		json_open(json, NULL, '{');
		json_write_text(json, "type", tally_kind(i));
		json_write_count(json, "derived", tally_derived(tally, i));
		json_write_count(json, "final", tally_final(tally, i));
		json_close(json);
	}
	json_close(json);
}

static void tally_write_matrix(struct json_writer *json, const struct tally *tally)
{
	int row, column;

	json_open(json, "matrix", '[');
	for (row = 0; row < KINDS; row++)
		for (column = 0; column < KINDS; column++) {
			if (!tally->matrix[row][column])
				continue;
			json_open(json, NULL, '{');
			json_write_text(json, "derived", tally_kind(row));
			json_write_text(json, "final", tally_kind(column));
			json_write_count(json, "incidents", tally->matrix[row][column]);
			json_close(json);
		}
	json_close(json);
}

int tally_print_json(const struct tally *tally)
{
	struct str out = STR_INIT;
	struct json_writer json;

	json_start(&json, &out);
	json_write_text(&json, "schema", SCHEMA);
	json_write_time(&json, "from", tally->from);
	json_write_time(&json, "to", tally->to);
	json_write_count(&json, "runs", tally->runs);
	json_write_count(&json, "incidents", tally->n);
	json_write_count(&json, "retyped", tally->retyped);
	json_write_count(&json, "disagreed", tally->disagreed);
	tally_write_types(&json, tally);
	tally_write_matrix(&json, tally);
	if (tally->log.damaged)
		json_write_count(&json, "damaged", tally->log.damaged);
	json_print(&json);
	return 0;
}

static void tally_write_word(struct json_writer *json, const struct retype_entry *word)
{
	json_open(json, NULL, '{');
	json_write_text(json, "type", word->type);
	json_write_text(json, "by", word->by);
	json_write_time(json, "at", word->time);
	json_write_text(json, "reason", word->reason);
	json_write_text(json, "ref", word->ref);
	json_close(json);
}

int tally_print_run_json(
	const struct tally *tally, const struct incident *incident, const char *current)
{
	struct str out = STR_INIT;
	struct json_writer json;
	size_t i;

	json_start(&json, &out);
	json_write_text(&json, "schema", SCHEMA);
	json_write_count(&json, "run", (uint64_t)incident->run);
	json_write_text(&json, "id", incident->uuid);
	json_write_time(&json, "time", incident->time);
	json_write_text(&json, "current", current);
	json_write_text(&json, "derived", incident->derived);
	json_open(&json, "history", '[');
	for (i = 0; i < tally->log.n; i++)
		if (tally_is_about(&tally->log.list[i], incident))
			tally_write_word(&json, &tally->log.list[i]);
	json_close(&json);
	json_print(&json);
	return 0;
}
