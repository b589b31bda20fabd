/* SPDX-License-Identifier: GPL-2.0-only */
/* Which number belongs to this number? */
#include "base/banned.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/number_map.h"
#include "base/str.h"

/* Open addressing: at most half of the slots are taken. */
struct number_slot {
	uint64_t key;
	size_t place; /* 0 is free, else value + 1 */
};

static struct number_slot *number_map_slot(const struct number_map *map, uint64_t key)
{
	size_t i = (size_t)hash_keyed(&key, sizeof(key)) & (map->room - 1);

	while (map->slots[i].place && map->slots[i].key != key)
		i = (i + 1) & (map->room - 1);
	return &map->slots[i];
}

bool number_map_get(const struct number_map *map, uint64_t key, size_t *value)
{
	const struct number_slot *slot = map->n ? number_map_slot(map, key) : NULL;

	if (!slot || !slot->place)
		return false;
	*value = slot->place - 1;
	return true;
}

static void number_map_grow(struct number_map *map)
{
	struct number_map larger = {.room = map->room ? map->room * 2 : 32, .n = map->n};
	size_t i;

	larger.slots = mem_zalloc(larger.room * sizeof(*larger.slots));
	for (i = 0; i < map->room; i++)
		if (map->slots[i].place)
			*number_map_slot(&larger, map->slots[i].key) = map->slots[i];
	free(map->slots);
	*map = larger;
}

bool number_map_add(struct number_map *map, uint64_t key, size_t value)
{
	struct number_slot *slot;

	if (map->n * 2 >= map->room)
		number_map_grow(map);
	slot = number_map_slot(map, key);
	if (slot->place)
		return false;
	*slot = (struct number_slot){key, value + 1};
	map->n++;
	return true;
}

void number_map_clear(struct number_map *map)
{
	if (map->n)
		memset(map->slots, 0, map->room * sizeof(*map->slots));
	map->n = 0;
}

void number_map_free(struct number_map *map)
{
	free(map->slots);
	*map = (struct number_map){0};
}
