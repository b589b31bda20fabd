// SPDX-License-Identifier: GPL-2.0-only
/*
 * How many inotify instances and watches has each user, by the kernel's own count, which no file
 * shows? Found by the open descriptors of all processes.
 */
#include "anonymous_file.bpf.h"
#include "inotify.h"

#define NAMESPACES_MAX 4 /* nested in each other */

enum ucount_type {
	UCOUNT_INOTIFY_INSTANCES,
	UCOUNT_INOTIFY_WATCHES,
	UCOUNT_COUNTS,
};

typedef struct {
	__u32 val;
} kuid_t;

struct ns_common {
	unsigned int inum;
} FROM_KERNEL;

struct user_namespace {
	struct ns_common ns;
	struct ucounts *ucounts; /* of who made it, in the namespace above */
	long ucount_max[1];
} FROM_KERNEL;

/* Only that it is a struct matters: atomic_t before Linux 5.14, atomic_long_t since. */
struct counter {
	long counter;
};

struct ucounts {
	struct user_namespace *ns;
	kuid_t uid;
	struct counter ucount[1];
} FROM_KERNEL;

struct idr {
	unsigned int idr_next;
} FROM_KERNEL;

struct inotify_group_private_data {
	struct idr idr;
	struct ucounts *ucounts;
} FROM_KERNEL;

struct fsnotify_group {
	struct inotify_group_private_data inotify_data;
} FROM_KERNEL;

static __always_inline bool is_inotify(struct file *file)
{
	static const char wanted[ANONYMOUS_NAME] = "inotify";
	char name[ANONYMOUS_NAME] = {};

	return anonymous_name(file, name) && is_called(name, wanted);
}

/* An array of int before Linux 5.14 and of long since, one for each type. */
static __always_inline __u64 count_of(const void *array, __u32 bytes, __u32 type)
{
	__u32 size = bytes / bpf_core_enum_value(enum ucount_type, UCOUNT_COUNTS);
	__u64 value = 0;

	if (size == sizeof(__u64))
		bpf_probe_read_kernel(&value, sizeof(__u64), array + type * sizeof(__u64));
	else
		bpf_probe_read_kernel(&value, sizeof(__u32), array + type * sizeof(__u32));
	return value;
}

static __always_inline __u64 used(struct ucounts *user, __u32 type)
{
	return count_of((void *)user + bpf_core_field_offset(user->ucount),
		bpf_core_field_size(user->ucount), type);
}

static __always_inline __u64 allowed(struct user_namespace *namespace, __u32 type)
{
	return count_of((void *)namespace + bpf_core_field_offset(namespace->ucount_max),
		bpf_core_field_size(namespace->ucount_max), type);
}

static __always_inline struct user_namespace *fill(
	struct inotify_record *record, struct ucounts *user)
{
	__u32 instances = bpf_core_enum_value(enum ucount_type, UCOUNT_INOTIFY_INSTANCES);
	__u32 watches = bpf_core_enum_value(enum ucount_type, UCOUNT_INOTIFY_WATCHES);
	struct user_namespace *namespace = BPF_CORE_READ(user, ns);

	record->instances = used(user, instances);
	record->watches = used(user, watches);
	record->instances_max = allowed(namespace, instances);
	record->watches_max = allowed(namespace, watches);
	record->uid = BPF_CORE_READ(user, uid.val);
	record->namespace = BPF_CORE_READ(namespace, ns.inum);
	return namespace;
}

SEC("iter/task_file")
int dump_inotify(struct bpf_iter__task_file *context)
{
	struct task_struct *task = context->task;
	struct file *file = context->file;
	struct inotify_record record;
	struct fsnotify_group *group;
	struct ucounts *user;
	int i;

	if (!task || !file || !is_inotify(file))
		return 0;
	__builtin_memset(&record, 0, sizeof(record));
	group = BPF_CORE_READ(file, private_data);
	record.pid = (__u32)task->tgid;
	record.added = BPF_CORE_READ(group, inotify_data.idr.idr_next);
	bpf_probe_read_kernel_str(record.comm, sizeof(record.comm), task->group_leader->comm);
	user = BPF_CORE_READ(group, inotify_data.ucounts);
	for (i = 0; i < NAMESPACES_MAX && user; i++) {
		struct user_namespace *namespace = fill(&record, user);

		bpf_seq_write(context->meta->seq, &record, sizeof(record));
		user = BPF_CORE_READ(namespace, ucounts);
	}
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
