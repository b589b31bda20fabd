/* SPDX-License-Identifier: GPL-2.0-only */
/* In which group is an instance: on which CPU or node, in which cgroup? */
#include "base/banned.h"

#include <math.h>

#include "base/str.h"
#include "sample/instances.h"
#include "sample/groups.h"
#include "sample/internal.h"
#include "sample/sweep.h"

static struct used *used_of(const struct sweep *sweep, int reference)
{
	return &sweep->used[sweep->references[reference].used];
}

static struct grouping *find_grouping(const struct used *used, const char *kind)
{
	size_t i;

	for (i = 0; i < used->n_groupings; i++)
		if (!strcmp(used->groupings[i].kind, kind))
			return &used->groupings[i];
	return NULL;
}

void sweep_want_group(struct sweep *sweep, int reference, const char *kind)
{
	struct used *used = used_of(sweep, reference);

	if (!used->source->group_of || find_grouping(used, kind))
		return;
	ARRAY_GROW(used->groupings, used->n_groupings, used->room_groupings);
	used->groupings[used->n_groupings++] =
		(struct grouping){.kind = mem_strdup(kind), .groups = instances_new()};
}

/* Whether an instance has a value of any reference in the present sample. */
static bool is_present(const struct sweep *sweep, const struct used *used, size_t instance)
{
	size_t r;

	for (r = 0; r < sweep->n_references; r++) {
		const struct reference *reference = &sweep->references[r];
		const struct row *row = row_now(sweep, reference);

		if (&sweep->used[reference->used] == used && reference->star && instance < row->n &&
			!isnan(row_values(row)[instance]))
			return true;
	}
	return false;
}

static void find_group(
	struct sweep *sweep, struct used *used, struct grouping *grouping, size_t instance)
{
	struct str name = STR_INIT;

	if (used->source->group_of(sweep->fs, used->state,
		    instances_name(used->instances, instance), grouping->kind, &name))
		grouping->of[instance] = (long)instances_intern(grouping->groups, str_text(&name));
	str_free(&name);
}

void used_find_groups(struct sweep *sweep, struct used *used)
{
	size_t g, i, n = used->n_groupings ? instances_count(used->instances) : 0;

	for (i = 0; i < n; i++) {
		bool present = is_present(sweep, used, i);

		for (g = 0; g < used->n_groupings; g++) {
			struct grouping *grouping = &used->groupings[g];

			if (grouping->n <= i) {
				ARRAY_GROW(grouping->of, grouping->n, grouping->room);
				grouping->of[grouping->n++] = -1;
			}
			if (present)
				find_group(sweep, used, grouping, i);
		}
	}
}

void used_free_groups(struct used *used)
{
	size_t i;

	for (i = 0; i < used->n_groupings; i++) {
		free(used->groupings[i].kind);
		instances_free(used->groupings[i].groups);
		free(used->groupings[i].of);
	}
	free(used->groupings);
}

const struct instances *sweep_groups(const struct sweep *sweep, int reference, const char *kind)
{
	const struct grouping *grouping = find_grouping(used_of(sweep, reference), kind);

	return grouping ? grouping->groups : NULL;
}

long sweep_group_of(const struct sweep *sweep, int reference, const char *kind, size_t instance)
{
	const struct grouping *grouping = find_grouping(used_of(sweep, reference), kind);

	return grouping && instance < grouping->n ? grouping->of[instance] : -1;
}
