// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which process holds which BPF program? No file says it but one in /proc for each descriptor of
 * the machine. A program that nobody holds is pinned, or attached to something that outlives its
 * loader.
 */
#include "anonymous_file.bpf.h"
#include "holder.h"

struct bpf_prog_aux {
	__u32 id;
} FROM_KERNEL;

struct bpf_prog {
	struct bpf_prog_aux *aux;
} FROM_KERNEL;

struct bpf_link {
	struct bpf_prog *prog;
} FROM_KERNEL;

/* The program behind a descriptor, or NULL where it is of something else. */
static __always_inline struct bpf_prog *program_of(struct file *file)
{
	static const char program[ANONYMOUS_NAME] = "bpf-prog", link[ANONYMOUS_NAME] = "bpf_link";
	char name[ANONYMOUS_NAME] = {};
	void *private;

	if (!anonymous_name(file, name))
		return NULL;
	private = BPF_CORE_READ(file, private_data);
	if (is_called(name, program))
		return private;
	return is_called(name, link) ? BPF_CORE_READ((struct bpf_link *)private, prog) : NULL;
}

SEC("iter/task_file")
int dump_holder(struct bpf_iter__task_file *context)
{
	struct task_struct *task = context->task;
	struct file *file = context->file;
	struct holder_record record;
	struct bpf_prog *program;

	if (!task || !file)
		return 0;
	program = program_of(file);
	if (!program)
		return 0;
	__builtin_memset(&record, 0, sizeof(record));
	record.program = BPF_CORE_READ(program, aux, id);
	record.pid = (__u32)task->tgid;
	bpf_probe_read_kernel_str(record.comm, sizeof(record.comm), task->group_leader->comm);
	bpf_seq_write(context->meta->seq, &record, sizeof(record));
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
