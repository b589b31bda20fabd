/* SPDX-License-Identifier: GPL-2.0-only */
/* What do spans have in common that have the same value in a field? */
#include "base/banned.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/progress.h"
#include "base/str.h"
#include "spans/analysis.h"
#include "spans/fields.h"
#include "tools/span/group.h"

#define ROWS_A_LOOK 16384
#define NO_VALUE "(no such field)"

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
