/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of frames, each kept once, by number. */
#ifndef TUESDAY_FLAME_NAMES_H
#define TUESDAY_FLAME_NAMES_H

#include <stddef.h>
#include <stdint.h>

struct flame_names;

struct flame_names *flame_names_new(void);
void flame_names_free(struct flame_names *names);

/* The number of these bytes, which have this hash (flame_hash). Numbers begin at 0. */
uint32_t flame_names_add(struct flame_names *names, const char *text, size_t len, uint64_t hash);
/* The number that they have already, or -1. */
int64_t flame_names_find(
	const struct flame_names *names, const char *text, size_t len, uint64_t hash);
size_t flame_names_n(const struct flame_names *names);
/* Ended by a 0. */
const char *flame_names_text(const struct flame_names *names, uint32_t name);
size_t flame_names_len(const struct flame_names *names, uint32_t name);
/*
 * A hash of bytes under a key that others do not know: two products of 128 bits folded into 64 for
 * each 16 bytes, after W. Yi's wyhash (public domain). It is for tables in memory only.
 */
uint64_t flame_hash(const uint64_t key[2], const char *text, size_t len);
/* The same of two numbers. */
uint64_t flame_hash_pair(const uint64_t key[2], uint64_t a, uint64_t b);

#endif
