/* SPDX-License-Identifier: GPL-2.0-only */
/* Which stage of a build holds it? */
#include "base/banned.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/ini.h"
#include "base/str.h"
#include "spans/analysis.h"
#include "spans/fields.h"
#include "spans/stages.h"

#define SECTION "stage "
#define OTHERS 2 /* stages that every map has */
#define STAGE_NAME_MAX 40
#define CHILDREN_ASKED 100 /* of a span, whether they have a field: each is read from the file */

extern const char spans_stages_ini[], spans_stages_ini_end[];

static bool stage_yes(const char *value, bool *yes)
{
	*yes = !strcmp(value, "yes");
	return *yes || !strcmp(value, "no");
}

static void stage_begin(struct span_stages *stages, const char *file, const struct ini_entry *entry,
	struct complaints *complaints)
{
	const char *name = entry->section;

	if (!str_starts(name, SECTION) || strlen(name) > strlen(SECTION) + STAGE_NAME_MAX)
		complain(complaints, file, entry->line,
			"a section is [stage NAME], with a name of at most %d bytes",
			STAGE_NAME_MAX);
	else if (stages->n == STAGES_MAX - OTHERS)
		complain(complaints, file, entry->line, "more than %d stages", STAGES_MAX - OTHERS);
	else
		stages->list[stages->n++] = (struct span_stage){
			.name = mem_strdup(name + strlen(SECTION)), .productive = true};
}

static void stage_set(struct span_stages *stages, const char *file, const struct ini_entry *entry,
	struct complaints *complaints)
{
	struct span_stage *stage = stages->n ? &stages->list[stages->n - 1] : NULL;

	if (!*entry->key)
		stage_begin(stages, file, entry, complaints);
	else if (!stage)
		return;
	else if (!strcmp(entry->key, "names"))
		stage->patterns = mem_strdup(entry->value);
	else if (!strcmp(entry->key, "fields"))
		stage->fields = mem_strdup(entry->value);
	else if (strcmp(entry->key, "productive") != 0)
		complain(complaints, file, entry->line,
			"'%.40s' is no key of a stage: names, fields, productive", entry->key);
	else if (!stage_yes(entry->value, &stage->productive))
		complain(complaints, file, entry->line, "'productive' is yes or no");
}

int span_stages_read(struct span_stages *stages, const char *file, const char *text, size_t len,
	struct complaints *complaints)
{
	struct inifile *ini = inifile_parse(file, text, len, complaints);
	size_t i;

	*stages = (struct span_stages){0};
	for (i = 0; ini && i < inifile_count(ini); i++)
		stage_set(stages, file, inifile_entry(ini, i), complaints);
	for (i = 0; i < stages->n; i++)
		if (!stages->list[i].patterns)
			complain(complaints, file, 0, "the stage %.40s has no 'names'",
				stages->list[i].name);
	inifile_free(ini);
	stages->list[stages->n++] =
		(struct span_stage){.name = mem_strdup(STAGE_OTHER), .productive = true};
	stages->list[stages->n++] = (struct span_stage){.name = mem_strdup(STAGE_IDLE)};
	if (!complaints->n)
		return 0;
	span_stages_free(stages);
	return -EINVAL;
}

void span_stages_default(struct span_stages *stages)
{
	struct complaints complaints = {0};

	/* A build whose own map is wrong passes no test. */
	if (span_stages_read(stages, "stages.ini", spans_stages_ini,
		    (size_t)(spans_stages_ini_end - spans_stages_ini), &complaints))
		abort();
}

void span_stages_free(struct span_stages *stages)
{
	size_t i;

	for (i = 0; i < stages->n; i++) {
		free(stages->list[i].name);
		free(stages->list[i].patterns);
		free(stages->list[i].fields);
	}
	*stages = (struct span_stages){0};
}

/* Sharing out: what a name alone decides is decided once. */
struct stage_sharing {
	struct span_stages *stages;
	unsigned char *first; /* of each name: the first stage that fits it */
	unsigned char *found; /* of each row that was asked for its fields: its stage + 1 */
};

/* Whether "NAME=VALUE" holds in a row. */
static bool stage_field_holds(const struct span_table *table, uint32_t row, const char *condition)
{
	const char *equals = strchr(condition, '=');
	struct str value = STR_INIT;
	char *key = equals ? mem_strndup(condition, (size_t)(equals - condition)) : NULL;
	const bool holds = key && !span_field_text(table, row, key, &value) &&
		!strcmp(str_text(&value), equals + 1);

	free(key);
	str_free(&value);
	return holds;
}

static bool stage_fields_hold(
	const struct span_stage *stage, const struct span_tree *tree, uint32_t node)
{
	char *words = mem_strdup(stage->fields), *rest = words, *word;
	bool holds = false;
	uint32_t i;

	while (!holds && (word = strsep(&rest, " \t\n"))) {
		if (!*word)
			continue;
		holds = stage_field_holds(tree->table, tree->row[node], word);
		for (i = tree->first[node]; !holds && i < tree->first[node + 1] &&
			i < tree->first[node] + CHILDREN_ASKED;
			i++)
			holds = stage_field_holds(tree->table, tree->row[tree->child[i]], word);
	}
	free(words);
	return holds;
}

static size_t stage_from(const struct span_stages *stages, const char *name, size_t from)
{
	while (from < stages->n - OTHERS && !str_matches(name, stages->list[from].patterns))
		from++;
	return from;
}

static void stage_add_piece(
	void *arg, const struct span_tree *tree, uint32_t node, int64_t from_ns, int64_t to_ns)
{
	struct stage_sharing *sharing = arg;
	struct span_stages *stages = sharing->stages;
	const uint32_t row = tree->row[node], name = tree->table->name[row];
	size_t i = sharing->found[row] ? sharing->found[row] - 1u : sharing->first[name];

	while (!sharing->found[row] && stages->list[i].fields &&
		!stage_fields_hold(&stages->list[i], tree, node))
		i = stage_from(stages, tree->table->names[name].text, i + 1);
	sharing->found[row] = (unsigned char)(i + 1);
	stages->list[i].build_ns += (uint64_t)(to_ns - from_ns);
}

void span_stages_share(struct span_stages *stages, const struct span_analysis *analysis)
{
	const struct span_table *table = analysis->table;
	struct stage_sharing sharing = {
		stages, mem_zalloc((size_t)table->n_names + 1), mem_zalloc((size_t)table->n + 1)};
	uint32_t i;

	for (i = 0; i < stages->n; i++)
		stages->list[i].build_ns = 0;
	for (i = 0; i < table->n_names; i++)
		if (analysis->names[i].build_ns)
			sharing.first[i] =
				(unsigned char)stage_from(stages, table->names[i].text, 0);
	span_analysis_path(analysis, stage_add_piece, &sharing);
	stages->list[stages->n - 1].build_ns = analysis->idle_ns;
	free(sharing.first);
	free(sharing.found);
}
