/* SPDX-License-Identifier: GPL-2.0-only */
/* What do spans have in common that have the same value in a field? */
#include "base/banned.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/progress.h"
#include "base/str.h"
#include "base/suggest.h"
#include "spans/analysis.h"
#include "spans/fields.h"
#include "tools/span/group.h"

#define ROWS_A_LOOK 16384
#define ROWS_NOTED 1000 /* that are asked which fields there are */
#define TEXT_NOTED ((size_t)64 << 10)
#define FIELDS_NOTED 500
#define FIELDS_SHOWN 20
#define NAME_SHOWN 40
#define NO_VALUE "(no such field)"

static void group_note_field(void *arg, const char *name, size_t len)
{
	struct span_table *fields = arg;

	if (fields->n_names < FIELDS_NOTED)
		span_table_name(fields, name, len);
}

/* Which fields there are, as far as some spans from all parts of the table have them. */
static void group_fields(const struct span_table *table, struct span_table *fields)
{
	const uint32_t step = table->n / ROWS_NOTED + 1;
	struct str text = STR_INIT;
	uint32_t i;

	for (i = 0; i < table->n; i += step) {
		str_clear(&text);
		if (!span_table_text(table, i, TEXT_NOTED, &text))
			span_field_each(str_text(&text), text.len, group_note_field, fields);
	}
	str_free(&text);
}

void span_group_say_none(struct str *out, const struct span_grouped *grouped, const char *field)
{
	struct span_table fields = {0};
	const char *words[FIELDS_NOTED], *near;
	uint32_t i;

	group_fields(&grouped->table, &fields);
	for (i = 0; i < fields.n_names; i++)
		words[i] = fields.names[i].text;
	near = suggest(field, words, fields.n_names);
	str_add(out, "no span has the field '");
	escape_terminal_cut(out, field, NAME_SHOWN);
	str_addc(out, '\'');
	if (near) {
		str_add(out, "; did you mean '");
		escape_terminal_cut(out, near, NAME_SHOWN);
		str_add(out, "'?");
	}
	for (i = 0; i < fields.n_names && i < FIELDS_SHOWN; i++) {
		str_add(out, i ? ", " : near ? " There are: " : "; there are: ");
		escape_terminal_cut(out, words[i], NAME_SHOWN);
	}
	if (i < fields.n_names)
		str_add(out, ", ...");
	if (!fields.n_names)
		str_add(out, "; they have none at all");
	span_table_free(&fields);
}

int span_group(struct span_grouped *grouped, const struct span_table *table, const char *field)
{
	struct str value = STR_INIT;
	uint32_t i;
	int err = 0;

	*grouped = (struct span_grouped){.table = *table, .none = SPAN_NONE};
	grouped->name = mem_realloc_array(NULL, (size_t)table->n + 1, sizeof(*grouped->name));
	for (i = 0; i < table->n && !err; i++) {
		err = span_field_text(table, i, field, &value);
		if (err == -ENOENT) {
			err = 0;
			if (grouped->none == SPAN_NONE)
				grouped->none = span_table_name(
					&grouped->values, NO_VALUE, strlen(NO_VALUE));
			grouped->name[i] = grouped->none;
		} else {
			grouped->name[i] =
				span_table_name(&grouped->values, str_text(&value), value.len);
		}
		if (i % ROWS_A_LOOK)
			continue;
		progress_show("reading fields:", (double)i / table->n);
		if (progress_interrupted())
			err = -ECANCELED;
	}
	progress_end();
	str_free(&value);
	grouped->table.name = grouped->name;
	grouped->table.names = grouped->values.names;
	grouped->table.n_names = grouped->values.n_names;
	if (!err && grouped->none != SPAN_NONE && grouped->values.n_names == 1)
		err = -ENOENT;
	return err;
}

void span_group_paths(const struct span_grouped *grouped, struct span_analysis *analysis)
{
	struct span_table around = grouped->table;
	struct span_analysis within;
	struct span_tree tree = {0};
	uint32_t trace, i;

	around.name = mem_realloc_array(NULL, (size_t)around.n + 1, sizeof(*around.name));
	memcpy(around.name, grouped->name, around.n * sizeof(*around.name));
	for (trace = 0; trace < around.n_traces; trace++) {
		span_analysis_tree(analysis, trace, &tree);
		for (i = 0; i < tree.n; i++) {
			const uint32_t node = tree.order[i], parent = tree.parent[node];

			if (parent != SPAN_NONE && around.name[tree.row[node]] == grouped->none)
				around.name[tree.row[node]] = around.name[tree.row[parent]];
		}
	}
	span_tree_free(&tree);
	span_analyse(&within, &around);
	for (i = 0; i < around.n_names; i++) {
		analysis->names[i].path_ns = within.names[i].path_ns;
		analysis->names[i].build_ns = within.names[i].build_ns;
	}
	span_analysis_free(&within);
	free(around.name);
}

void span_group_free(struct span_grouped *grouped)
{
	free(grouped->name);
	span_table_free(&grouped->values);
}
