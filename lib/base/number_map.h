/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Numbers by number: which place in a list has the process 1234, the inode, the device? A look
 * takes the same time however many there are, whoever chose the numbers.
 */
#ifndef TUESDAY_BASE_NUMBER_MAP_H
#define TUESDAY_BASE_NUMBER_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zero is an empty one. */
struct number_map {
	struct number_slot *slots;
	size_t n, room;
};

/* The value of a key; false where it has none. */
bool number_map_get(const struct number_map *map, uint64_t key, size_t *value);
/* Gives a key its value unless it has one already: then that stays, and false is returned. */
bool number_map_add(struct number_map *map, uint64_t key, size_t value);
/* Forgets all, and keeps the memory for the next ones. */
void number_map_clear(struct number_map *map);
void number_map_free(struct number_map *map);

#endif
