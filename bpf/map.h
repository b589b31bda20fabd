/* SPDX-License-Identifier: GPL-2.0-only */
/* How is a map declared? */
#ifndef TUESDAY_BPF_MAP_H
#define TUESDAY_BPF_MAP_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

/*
 * A map of that kind: ARRAY, HASH, LRU_HASH (old entries make room) or PERCPU_ARRAY. An array of
 * one holds what is too large for the stack: what a new entry of another map starts with, or a
 * scratch.
 */
#define TUESDAY_MAP(name, kind, entries, of_key, of_value) \
	struct { \
		__uint(type, BPF_MAP_TYPE_##kind); \
		__uint(max_entries, entries); \
		__type(key, of_key); \
		__type(value, of_value); \
	} name SEC(".maps")

#endif
