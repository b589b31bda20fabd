// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which process holds which BPF program? No file says it but one in /proc for each descriptor of
 * the machine. A program that nobody holds is pinned, or attached to something that outlives its
 * loader.
 */
#include <linux/types.h>
#include <linux/bpf.h>
#include <stdbool.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

#include "holder.h"

#define FROM_KERNEL __attribute__((preserve_access_index))
#define ANON_INODE_FS_MAGIC 0x09041934
#define NAME_SIZE 9 /* "bpf-prog" and "bpf_link", with the 0 */

struct bpf_prog_aux {
	__u32 id;
} FROM_KERNEL;

struct bpf_prog {
	struct bpf_prog_aux *aux;
} FROM_KERNEL;

struct bpf_link {
	struct bpf_prog *prog;
} FROM_KERNEL;

struct super_block {
	unsigned long s_magic;
} FROM_KERNEL;

struct qstr {
	const unsigned char *name;
} FROM_KERNEL;

struct dentry {
	struct qstr d_name;
	struct super_block *d_sb;
} FROM_KERNEL;

struct path {
	struct dentry *dentry;
} FROM_KERNEL;

struct file {
	struct path f_path;
	void *private_data;
} FROM_KERNEL;

struct task_struct {
	int tgid;
	struct task_struct *group_leader;
	char comm[16];
} FROM_KERNEL;

struct seq_file;

struct bpf_iter_meta {
	struct seq_file *seq;
} FROM_KERNEL;

struct bpf_iter__task_file {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
	struct file *file;
} FROM_KERNEL;

static __always_inline bool is_called(const char *name, const char *wanted)
{
	int i;

	for (i = 0; i < NAME_SIZE; i++)
		if (name[i] != wanted[i])
			return false;
	return true;
}

/* The program behind a descriptor, or NULL where it is of something else. Anybody may call a file
 * so, but not on the file system of what has no file. */
static __always_inline struct bpf_prog *program_of(struct file *file)
{
	static const char program[NAME_SIZE] = "bpf-prog", link[NAME_SIZE] = "bpf_link";
	struct dentry *dentry = BPF_CORE_READ(file, f_path.dentry);
	char name[NAME_SIZE] = {};
	void *private;

	if (BPF_CORE_READ(dentry, d_sb, s_magic) != ANON_INODE_FS_MAGIC)
		return NULL;
	bpf_probe_read_kernel_str(name, sizeof(name), BPF_CORE_READ(dentry, d_name.name));
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
