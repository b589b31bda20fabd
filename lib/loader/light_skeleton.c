/* SPDX-License-Identifier: GPL-2.0-only */
/* How is a light skeleton loaded? A program of type syscall makes the maps and loads the others. */
#include "base/banned.h"

#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "loader/light_skeleton.h"

static int bpf(enum bpf_cmd command, union bpf_attr *attr, size_t size)
{
	long result = syscall(__NR_bpf, command, attr, size);

	return result < 0 ? -errno : (int)result;
}

static __u64 address(const void *memory)
{
	return (__u64)(uintptr_t)memory;
}

/* The size of bpf_attr up to a member and with it: older kernels refuse what they do not know. */
#define SIZE_WITH(member) (offsetof(union bpf_attr, member) + sizeof(((union bpf_attr *)0)->member))

/* The loader program's data, in the one element of an array. Returns the map or -errno. */
static int make_data_map(const struct bpf_load_and_run_opts *opts)
{
	union bpf_attr attr;
	__u32 key = 0;
	int fd, err;

	memset(&attr, 0, sizeof(attr));
	attr.map_type = BPF_MAP_TYPE_ARRAY;
	memcpy(attr.map_name, "loader", sizeof("loader"));
	attr.key_size = sizeof(key);
	attr.value_size = opts->data_sz;
	attr.max_entries = 1;
	fd = bpf(BPF_MAP_CREATE, &attr, SIZE_WITH(map_extra));
	if (fd < 0)
		return fd;
	memset(&attr, 0, sizeof(attr));
	attr.map_fd = (__u32)fd;
	attr.key = address(&key);
	attr.value = address(opts->data);
	err = bpf(BPF_MAP_UPDATE_ELEM, &attr, SIZE_WITH(flags));
	if (!err)
		return fd;
	close(fd);
	return err;
}

static int skel_load_loader(const struct bpf_load_and_run_opts *opts, int data_map)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.prog_type = BPF_PROG_TYPE_SYSCALL;
	attr.insns = address(opts->insns);
	attr.insn_cnt = opts->insns_sz / (__u32)sizeof(struct bpf_insn);
	attr.license = address("Dual BSD/GPL");
	memcpy(attr.prog_name, "loader", sizeof("loader"));
	attr.fd_array = address(&data_map);
	attr.prog_flags = BPF_F_SLEEPABLE;
	return bpf(BPF_PROG_LOAD, &attr, SIZE_WITH(fd_array));
}

static int skel_run_loader(const struct bpf_load_and_run_opts *opts, int program)
{
	union bpf_attr attr;
	int err;

	memset(&attr, 0, sizeof(attr));
	attr.test.prog_fd = (__u32)program;
	attr.test.ctx_in = address(opts->ctx);
	attr.test.ctx_size_in = opts->ctx->sz;
	err = bpf(BPF_PROG_RUN, &attr, SIZE_WITH(test));
	return err < 0 ? err : (int)attr.test.retval;
}

int bpf_load_and_run(struct bpf_load_and_run_opts *opts)
{
	int data_map = make_data_map(opts), program, err;

	if (data_map < 0)
		return data_map;
	program = skel_load_loader(opts, data_map);
	err = program;
	if (program >= 0) {
		err = skel_run_loader(opts, program);
		close(program);
	}
	close(data_map);
	return err < 0 ? err : 0;
}

void *skel_alloc(size_t size)
{
	return calloc(1, size);
}

void skel_free(const void *memory)
{
	free((void *)(uintptr_t)memory);
}

void *skel_prep_map_data(const void *value, size_t mapped_size, size_t size)
{
	void *memory =
		mmap(NULL, mapped_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		return NULL;
	return memcpy(memory, value, size);
}

void *skel_finalize_map_data(__u64 *value, size_t mapped_size, int protection, int fd)
{
	void *memory = mmap(
		(void *)(uintptr_t)*value, mapped_size, protection, MAP_SHARED | MAP_FIXED, fd, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

void skel_free_map_data(void *memory, __u64 value, size_t mapped_size)
{
	(void)value;
	if (memory)
		munmap(memory, mapped_size);
}

int skel_raw_tracepoint_open(const char *name, int prog_fd)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.raw_tracepoint.name = address(name);
	attr.raw_tracepoint.prog_fd = (__u32)prog_fd;
	return bpf(BPF_RAW_TRACEPOINT_OPEN, &attr, SIZE_WITH(raw_tracepoint.prog_fd));
}

int skel_link_create(int prog_fd, int target_fd, enum bpf_attach_type type)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.link_create.prog_fd = (__u32)prog_fd;
	attr.link_create.target_fd = (__u32)target_fd;
	attr.link_create.attach_type = type;
	return bpf(BPF_LINK_CREATE, &attr, SIZE_WITH(link_create.iter_info_len));
}

int skel_closenz(int fd)
{
	return fd > 0 ? close(fd) : -EINVAL;
}
