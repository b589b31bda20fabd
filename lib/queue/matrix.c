/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/banned.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "queue/matrix.h"

size_t matrix_person(struct matrix *matrix, uint32_t pid)
{
	size_t at;

	if (number_map_get(&matrix->pids, pid, &at))
		return at;
	ARRAY_GROW(matrix->people, matrix->n_people, matrix->people_room);
	at = matrix->n_people++;
	matrix->people[at] = (struct matrix_person){.is.pid = pid};
	snprintf(matrix->people[at].name, MATRIX_NAME, "%u", pid);
	number_map_add(&matrix->pids, pid, at);
	return at;
}

void matrix_name(struct matrix *matrix, size_t person, const struct party_member *is)
{
	struct matrix_person *to = &matrix->people[person];

	free(to->cgroups);
	to->is = *is;
	snprintf(to->name, sizeof(to->name), "%s", is->name);
	to->cgroups = mem_strdup(is->cgroups);
	to->is.cgroups = to->cgroups;
	to->known = true;
}

/* A number for a cell: people and devices are few enough for their bits. */
static uint64_t matrix_place(const struct matrix_cell *cell)
{
	uint64_t key = cell->waiter;

	key = key << 24 | (cell->ahead ? 0xfffff0u + (unsigned int)cell->ahead : cell->person);
	key = key * 0x9e3779b97f4a7c15ull ^ cell->device;
	return key << 2 | (cell->stage & 3);
}

static bool matrix_same(const struct matrix_cell *a, const struct matrix_cell *b)
{
	return a->waiter == b->waiter && a->ahead == b->ahead && a->person == b->person &&
		a->device == b->device && a->stage == b->stage;
}

static void matrix_sum_up(struct matrix_cell *to, const struct matrix_cell *cell)
{
	to->ns += cell->ns;
	to->count += cell->count;
	if (cell->longest_ns > to->longest_ns)
		to->longest_ns = cell->longest_ns;
}

void matrix_add(struct matrix *matrix, const struct matrix_cell *cell)
{
	uint64_t key = matrix_place(cell);
	size_t at;

	for (; number_map_get(&matrix->places, key, &at); key++) {
		if (!matrix_same(&matrix->cells[at], cell))
			continue;
		matrix_sum_up(&matrix->cells[at], cell);
		return;
	}
	ARRAY_GROW(matrix->cells, matrix->n_cells, matrix->cells_room);
	number_map_add(&matrix->places, key, matrix->n_cells);
	matrix->cells[matrix->n_cells++] = *cell;
}

void matrix_free(struct matrix *matrix)
{
	size_t i;

	for (i = 0; i < matrix->n_people; i++)
		free(matrix->people[i].cgroups);
	free(matrix->people);
	free(matrix->cells);
	number_map_free(&matrix->pids);
	number_map_free(&matrix->places);
	*matrix = (struct matrix){0};
}

static int matrix_by_number(const void *a, const void *b)
{
	const uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;

	return (left > right) - (left < right);
}

size_t matrix_devices(const struct matrix *matrix, uint32_t **devices)
{
	size_t n = 0, room = 0, i, at;

	*devices = NULL;
	for (i = 0; i < matrix->n_cells; i++) {
		const uint32_t device = matrix->cells[i].device;

		for (at = 0; at < n && (*devices)[at] != device; at++)
			;
		if (at < n || !device)
			continue;
		ARRAY_GROW(*devices, n, room);
		(*devices)[n++] = device;
	}
	if (n)
		qsort(*devices, n, sizeof(**devices), matrix_by_number);
	return n;
}

/* What a table is made from, and the group of each person, SIZE_MAX: not asked yet. */
struct matrix_telling {
	struct matrix_table *table;
	const struct matrix *matrix;
	const struct party *a, *b;
	size_t *group_of;
	struct number_map sums; /* places in the table's, by both groups */
};

static size_t matrix_group_new(struct matrix_table *table, const char *name)
{
	ARRAY_GROW(table->groups, table->n_groups, table->groups_room);
	table->groups[table->n_groups] = (struct matrix_group){.name = name};
	return table->n_groups++;
}

static size_t matrix_group_find(
	struct matrix_table *table, const struct matrix_person *person, bool is_a, bool is_b)
{
	size_t i;

	for (i = 0; i < table->n_groups; i++) {
		const struct matrix_group *group = &table->groups[i];

		if (group->ahead || group->is_a != is_a || group->is_b != is_b)
			continue;
		if (is_a || is_b ||
			(group->first->is.is_kernel == person->is.is_kernel &&
				!strcmp(group->name, person->name)))
			return i;
	}
	return SIZE_MAX;
}

static struct party_member matrix_member(const struct matrix_person *person)
{
	struct party_member member = person->is;

	member.name = person->name;
	member.cgroups = person->cgroups ? person->cgroups : "";
	return member;
}

static size_t matrix_group_of(struct matrix_telling *telling, size_t person)
{
	const struct matrix_person *is = &telling->matrix->people[person];
	const struct party_member member = matrix_member(is);
	const bool is_a = telling->a && party_has(telling->a, &member);
	const bool is_b = !is_a && telling->b && party_has(telling->b, &member);
	struct matrix_table *table = telling->table;
	size_t at = telling->group_of[person];

	if (at != SIZE_MAX)
		return at;
	at = matrix_group_find(table, is, is_a, is_b);
	if (at == SIZE_MAX) {
		at = matrix_group_new(table,
			is_a	       ? telling->a->said
				: is_b ? telling->b->said
				       : is->name);
		table->groups[at].is_a = is_a;
		table->groups[at].is_b = is_b;
		table->groups[at].first = is;
	}
	table->groups[at].processes++;
	telling->group_of[person] = at;
	return at;
}

static size_t matrix_group_ahead(struct matrix_telling *telling, const struct matrix_cell *cell)
{
	struct matrix_table *table = telling->table;
	size_t i;

	if (!cell->ahead)
		return matrix_group_of(telling, cell->person);
	for (i = 0; i < table->n_groups; i++)
		if (table->groups[i].ahead == cell->ahead)
			return i;
	i = matrix_group_new(table, "");
	table->groups[i].ahead = cell->ahead;
	return i;
}

static struct matrix_sum *matrix_table_sum(
	struct matrix_telling *telling, size_t waiter, size_t ahead)
{
	struct matrix_table *table = telling->table;
	const uint64_t key = (uint64_t)waiter << 32 | ahead;
	size_t at;

	if (number_map_get(&telling->sums, key, &at))
		return &table->sums[at];
	number_map_add(&telling->sums, key, table->n_sums);
	ARRAY_GROW(table->sums, table->n_sums, table->sums_room);
	table->sums[table->n_sums] = (struct matrix_sum){.waiter = waiter, .ahead = ahead};
	return &table->sums[table->n_sums++];
}

static void matrix_tell_cell(struct matrix_telling *telling, const struct matrix_cell *cell)
{
	struct matrix_table *table = telling->table;
	size_t waiter = matrix_group_of(telling, cell->waiter), ahead;
	struct matrix_sum *sum;

	if (telling->a && !table->groups[waiter].is_a)
		return;
	ahead = matrix_group_ahead(telling, cell);
	sum = matrix_table_sum(telling, waiter, ahead);
	sum->ns += cell->ns;
	sum->stage_ns[cell->stage % MATRIX_STAGES] += cell->ns;
	sum->count += cell->count;
	if (cell->longest_ns > sum->longest_ns)
		sum->longest_ns = cell->longest_ns;
	table->ns += cell->ns;
	table->stage_ns[cell->stage % MATRIX_STAGES] += cell->ns;
	table->kinds_ns[cell->ahead] += cell->ns;
	table->groups[waiter].waited_ns += cell->ns;
	table->groups[ahead].ahead_ns += cell->ns;
	if (table->groups[ahead].is_b)
		table->behind_b_ns += cell->ns;
	if (waiter == ahead)
		table->behind_own_ns += cell->ns;
}

static int matrix_by_time(const void *a, const void *b)
{
	const struct matrix_sum *left = a, *right = b;

	if (left->ns != right->ns)
		return left->ns < right->ns ? 1 : -1;
	return left->waiter != right->waiter
		? (left->waiter > right->waiter) - (left->waiter < right->waiter)
		: (left->ahead > right->ahead) - (left->ahead < right->ahead);
}

void matrix_tell(struct matrix_table *table, const struct matrix *matrix, const struct party *a,
	const struct party *b, unsigned int stages, uint32_t device)
{
	struct matrix_telling telling = {.table = table, .matrix = matrix, .a = a, .b = b};
	size_t i;

	*table = (struct matrix_table){0};
	telling.group_of = mem_realloc_array(NULL, matrix->n_people + 1, sizeof(*telling.group_of));
	for (i = 0; i < matrix->n_people; i++)
		telling.group_of[i] = SIZE_MAX;
	for (i = 0; i < matrix->n_cells; i++) {
		const struct matrix_cell *cell = &matrix->cells[i];

		if (stages & 1u << cell->stage && (!device || cell->device == device))
			matrix_tell_cell(&telling, cell);
	}
	free(telling.group_of);
	number_map_free(&telling.sums);
	if (table->n_sums)
		qsort(table->sums, table->n_sums, sizeof(*table->sums), matrix_by_time);
}

void matrix_table_free(struct matrix_table *table)
{
	free(table->groups);
	free(table->sums);
	*table = (struct matrix_table){0};
}
