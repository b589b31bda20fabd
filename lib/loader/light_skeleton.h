/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What light skeletons (bpftool gen skeleton -L) call.
 *
 * Their own header, bpf/skel_internal.h, calls what banned.h bans, and keeps the verifier's words
 * to itself. Include this one before a .lskel.h instead. The structs are the interface between
 * libbpf's generator and the loader program inside the skeleton, so they are as they are.
 */
#ifndef TUESDAY_LOADER_LIGHT_SKELETON_H
#define TUESDAY_LOADER_LIGHT_SKELETON_H
#define __SKEL_INTERNAL_H

#include <errno.h>
#include <linux/bpf.h>
#include <stddef.h>
#include <sys/mman.h>

struct bpf_map_desc {
	int map_fd;
	__u32 max_entries; /* 0: as the program says */
	__aligned_u64 initial_value;
};

struct bpf_prog_desc {
	int prog_fd;
};

struct bpf_loader_ctx {
	__u32 sz;
	__u32 flags;
	__u32 log_level;
	__u32 log_size;
	__u64 log_buf;
};

struct bpf_load_and_run_opts {
	struct bpf_loader_ctx *ctx;
	const void *data;
	const void *insns;
	__u32 data_sz;
	__u32 insns_sz;
	const char *errstr;
};

/* Loads the skeleton's loader program and runs it. Returns 0 or -errno. */
int bpf_load_and_run(struct bpf_load_and_run_opts *opts);

void *skel_alloc(size_t size);
void skel_free(const void *memory);

/* The initial value of a map of globals, and the map itself in the same place after loading. */
void *skel_prep_map_data(const void *value, size_t mapped_size, size_t size);
void *skel_finalize_map_data(__u64 *value, size_t mapped_size, int protection, int fd);
void skel_free_map_data(void *memory, __u64 value, size_t mapped_size);

int skel_raw_tracepoint_open(const char *name, int prog_fd);
int skel_link_create(int prog_fd, int target_fd, enum bpf_attach_type type);
int skel_closenz(int fd);

#endif
