/* SPDX-License-Identifier: GPL-2.0-only */
/* What do spans have in common that have the same value in a field? */
#include "base/banned.h"

#include <errno.h>
#include <stdlib.h>

#include "base/progress.h"
#include "base/str.h"
#include "spans/fields.h"
#include "tools/span/group.h"

#define ROWS_A_LOOK 16384
#define NO_VALUE "(no such field)"

int span_group(struct span_grouped *grouped, const struct span_table *table, const char *field)
{
	struct str value = STR_INIT;
	uint32_t i;
	int err = 0;

	*grouped = (struct span_grouped){.table = *table};
	grouped->name = mem_realloc_array(NULL, (size_t)table->n + 1, sizeof(*grouped->name));
	for (i = 0; i < table->n && !err; i++) {
		err = span_field_text(table, i, field, &value);
		if (err == -ENOENT) {
			err = 0;
			str_clear(&value);
			str_add(&value, NO_VALUE);
		}
		grouped->name[i] = span_table_name(&grouped->values, str_text(&value), value.len);
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

void span_group_free(struct span_grouped *grouped)
{
	free(grouped->name);
	span_table_free(&grouped->values);
}
