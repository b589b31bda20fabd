/* SPDX-License-Identifier: GPL-2.0-only */
/* Of all open descriptors, which are of a kind that has no file? */
#ifndef TUESDAY_BPF_ANONYMOUS_FILE_BPF_H
#define TUESDAY_BPF_ANONYMOUS_FILE_BPF_H

#include <linux/types.h>
#include <linux/bpf.h>
#include <stdbool.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

#define FROM_KERNEL __attribute__((preserve_access_index))
#define ANON_INODE_FS_MAGIC 0x09041934
#define ANONYMOUS_NAME 9 /* of the longest that is asked for, "bpf-prog", with the 0 */

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

/* The name of what has no file, as in /proc/PID/fd. Returns whether it is such: anybody may call a
 * file so, but not on that file system. */
static __always_inline bool anonymous_name(struct file *file, char name[ANONYMOUS_NAME])
{
	struct dentry *dentry = BPF_CORE_READ(file, f_path.dentry);

	if (BPF_CORE_READ(dentry, d_sb, s_magic) != ANON_INODE_FS_MAGIC)
		return false;
	bpf_probe_read_kernel_str(name, ANONYMOUS_NAME, BPF_CORE_READ(dentry, d_name.name));
	return true;
}

static __always_inline bool is_called(
	const char name[ANONYMOUS_NAME], const char wanted[ANONYMOUS_NAME])
{
	int i;

	for (i = 0; i < ANONYMOUS_NAME; i++)
		if (name[i] != wanted[i])
			return false;
	return true;
}

#endif
