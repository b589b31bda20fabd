/* SPDX-License-Identifier: GPL-2.0-only */
/* Which disks, tasks, cgroups were seen, and what number does each have here? */
#include "base/banned.h"

#include <stdint.h>

#include "base/hash.h"
#include "base/str.h"
#include "sample/instances.h"

struct instances {
	struct {
		char *name;
		char *label; /* NULL: the name */
	} * list;
	size_t n, room;
	size_t *slots; /* open addressing; 0 is free, else number + 1 */
	size_t n_slots;
};

static size_t *instances_slot_of(const struct instances *set, const char *name)
{
	size_t i = (size_t)hash_keyed(name, strlen(name)) & (set->n_slots - 1);

	while (set->slots[i] && strcmp(set->list[set->slots[i] - 1].name, name) != 0)
		i = (i + 1) & (set->n_slots - 1);
	return &set->slots[i];
}

static void instances_grow(struct instances *set)
{
	size_t i;

	set->n_slots = set->n_slots ? set->n_slots * 2 : 32;
	free(set->slots);
	set->slots = mem_zalloc(set->n_slots * sizeof(*set->slots));
	for (i = 0; i < set->n; i++)
		*instances_slot_of(set, set->list[i].name) = i + 1;
}

struct instances *instances_new(void)
{
	struct instances *set = mem_zalloc(sizeof(*set));

	instances_grow(set);
	return set;
}

void instances_free(struct instances *set)
{
	size_t i;

	if (!set)
		return;
	for (i = 0; i < set->n; i++) {
		free(set->list[i].name);
		free(set->list[i].label);
	}
	free(set->list);
	free(set->slots);
	free(set);
}

size_t instances_intern(struct instances *set, const char *name)
{
	size_t *slot = instances_slot_of(set, name);

	if (*slot)
		return *slot - 1;
	ARRAY_GROW(set->list, set->n, set->room);
	set->list[set->n].name = mem_strdup(name);
	set->list[set->n].label = NULL;
	*slot = ++set->n;
	if (set->n * 2 > set->n_slots)
		instances_grow(set);
	return set->n - 1;
}

long instances_find(const struct instances *set, const char *name)
{
	return (long)*instances_slot_of(set, name) - 1;
}

void instances_set_label(struct instances *set, size_t i, const char *label)
{
	if (i >= set->n || (set->list[i].label && !strcmp(set->list[i].label, label)))
		return;
	free(set->list[i].label);
	set->list[i].label = mem_strdup(label);
}

size_t instances_count(const struct instances *set)
{
	return set->n;
}

const char *instances_name(const struct instances *set, size_t i)
{
	return i < set->n ? set->list[i].name : "";
}

const char *instances_label(const struct instances *set, size_t i)
{
	if (i < set->n && set->list[i].label)
		return set->list[i].label;
	return instances_name(set, i);
}
