// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which programs launch kernels on the GPU, and by which path through their code? Probes on the
 * functions of Level Zero and OpenCL that create and launch kernels, and on an Intel runtime's own
 * level_zero:launch_kernel. Each path is sent once and then counted.
 */
#include <linux/types.h>
#include <linux/bpf.h>
#include <linux/ptrace.h>
#include <stdbool.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <bpf/usdt.bpf.h>

#include "../map.h"
#include "launch.h"

#define KERNEL_NAME_AT 24 /* of pKernelName in ze_kernel_desc_t, Level Zero 1.0 and later */
#define FNV_BASIS 0xcbf29ce484222325ULL
#define FNV_PRIME 0x100000001b3ULL

/* What a call that creates a kernel was given, until it returns. */
struct creation {
	__u64 name;   /* pointer */
	__u64 handle; /* pointer to where it goes; 0: it is what is returned */
};

TUESDAY_MAP(pending, HASH, LAUNCH_PENDING, __u64, struct creation);

TUESDAY_MAP(counts, HASH, LAUNCH_KEYS, struct launch_key, __u64);

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4 << 20);
} events SEC(".maps");

TUESDAY_MAP(scratch, PERCPU_ARRAY, 1, __u32, struct launch_event);

__u64 lost;

static struct launch_event *begin(__u32 kind, __u64 handle)
{
	const __u32 zero = 0;
	struct launch_event *event = bpf_map_lookup_elem(&scratch, &zero);

	if (!event)
		return 0;
	event->key.kind = kind;
	event->key.pid = bpf_get_current_pid_tgid() >> 32;
	event->key.handle = handle;
	event->key.stack = 0;
	event->size = 0;
	event->caller = 0;
	event->frames = 0;
	event->name[0] = 0;
	bpf_get_current_comm(event->comm, sizeof(event->comm));
	return event;
}

static void add_stack(void *ctx, struct launch_event *event)
{
	long bytes = bpf_get_stack(ctx, event->stack, sizeof(event->stack), BPF_F_USER_STACK);
	__u64 hash = FNV_BASIS ^ event->caller;

	if (bytes > 0)
		event->frames = bytes / sizeof(event->stack[0]);
	for (__u32 i = 0; i < LAUNCH_FRAMES; i++) {
		if (i >= event->frames)
			break;
		hash = (hash ^ event->stack[i]) * FNV_PRIME;
	}
	event->key.stack = hash;
}

/* At its first instruction a function has no frame yet: frame pointers lead from its caller's on,
 * and leave the caller out. Where the return address is: */
static void add_caller(struct pt_regs *ctx, struct launch_event *event)
{
#if defined(__TARGET_ARCH_x86)
	bpf_probe_read_user(&event->caller, sizeof(event->caller), (void *)PT_REGS_SP(ctx));
#elif defined(__TARGET_ARCH_arm64)
	event->caller = PT_REGS_RET(ctx);
#endif
}

static void send(struct launch_event *event)
{
	if (bpf_ringbuf_output(&events, event, sizeof(*event), 0))
		__sync_fetch_and_add(&lost, 1);
}

/* Counts it, and sends the first of its key. */
static void count(struct launch_event *event)
{
	const __u64 one = 1;
	__u64 *counted = bpf_map_lookup_elem(&counts, &event->key);

	if (counted) {
		__sync_fetch_and_add(counted, 1);
		return;
	}
	if (bpf_map_update_elem(&counts, &event->key, &one, BPF_NOEXIST))
		__sync_fetch_and_add(&lost, 1);
	else
		send(event);
}

/* zeCommandListAppendLaunchKernel(list, kernel, ...) and clEnqueueNDRangeKernel(queue, kernel, ...)
 * have the kernel in the same place. */
SEC("uprobe")
int launch(struct pt_regs *ctx)
{
	struct launch_event *event = begin(LAUNCH_CALL, PT_REGS_PARM2(ctx));

	if (event) {
		add_caller(ctx, event);
		add_stack(ctx, event);
		count(event);
	}
	return 0;
}

static void remember(__u64 name, __u64 handle)
{
	const struct creation creation = {name, handle};
	const __u64 thread = bpf_get_current_pid_tgid();

	if (bpf_map_update_elem(&pending, &thread, &creation, BPF_ANY))
		__sync_fetch_and_add(&lost, 1);
}

/* zeKernelCreate(module, desc, phKernel) */
SEC("uprobe")
int create_ze(struct pt_regs *ctx)
{
	__u64 name = 0;

	if (!bpf_probe_read_user(
		    &name, sizeof(name), (void *)(PT_REGS_PARM2(ctx) + KERNEL_NAME_AT)))
		remember(name, PT_REGS_PARM3(ctx));
	return 0;
}

/* clCreateKernel(program, name, errcode) */
SEC("uprobe")
int create_cl(struct pt_regs *ctx)
{
	remember(PT_REGS_PARM2(ctx), 0);
	return 0;
}

static void created(__u64 result)
{
	const __u64 thread = bpf_get_current_pid_tgid();
	struct creation *creation = bpf_map_lookup_elem(&pending, &thread);
	struct launch_event *event;
	__u64 handle = result;

	if (!creation)
		return;
	/* Level Zero returns 0 for success, and the handle where it was asked to. */
	if (creation->handle &&
		(result || bpf_probe_read_user(&handle, sizeof(handle), (void *)creation->handle)))
		handle = 0;
	event = handle ? begin(LAUNCH_CREATED, handle) : 0;
	if (event) {
		bpf_probe_read_user_str(event->name, sizeof(event->name), (void *)creation->name);
		send(event);
	}
	bpf_map_delete_elem(&pending, &thread);
}

SEC("uretprobe")
int created_ze(struct pt_regs *ctx)
{
	/* An int: the upper half of the register is anything. */
	created((__u32)PT_REGS_RC(ctx));
	return 0;
}

SEC("uretprobe")
int created_cl(struct pt_regs *ctx)
{
	created(PT_REGS_RC(ctx));
	return 0;
}

/* level_zero:launch_kernel(instruction base, address, size, name) */
SEC("usdt")
int placed(struct pt_regs *ctx)
{
	struct launch_event *event;
	long address = 0, size = 0, name = 0;

	if (bpf_usdt_arg(ctx, 1, &address) || bpf_usdt_arg(ctx, 2, &size) ||
		bpf_usdt_arg(ctx, 3, &name))
		return 0;
	event = begin(LAUNCH_PLACED, address);
	if (!event)
		return 0;
	event->size = size;
	bpf_probe_read_user_str(event->name, sizeof(event->name), (void *)name);
	add_stack(ctx, event);
	count(event);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
