/* SPDX-License-Identifier: GPL-2.0-only */
/* Which functions of the kernel are the signature of which cause? */
#include "base/banned.h"

#include "base/str.h"
#include "naps/cause.h"

static const struct nap_cause_words {
	const char *name, *phrase;
} nap_cause_words[NAP_CAUSES] = {
	[NAP_IDLE] = {"idle", "had nothing to do"},
	[NAP_ENDING] = {"ending", "was ending"},
	[NAP_UNKNOWN] = {"unknown", "slept though work was waiting"},
	[NAP_USER_LOCK] = {"own-lock",
		"waited for locks of its own (futex) while work was waiting"},
	[NAP_RUN_QUEUE] = {"run-queue", "could run and got no CPU"},
	[NAP_DISK] = {"disk", "waited for a disk or a file system"},
	[NAP_SWAP] = {"page-in", "waited for pages of its memory to be read in"},
	[NAP_KERNEL_LOCK] = {"kernel-lock", "waited within the kernel, for a lock or a device"},
	[NAP_RECLAIM] = {"reclaim", "looked for free memory, or waited for whoever does"},
	[NAP_MEMORY_LIMIT] = {"memory-high", "was held back by memory.high of its cgroup"},
	[NAP_MEMORY_MAP] = {"memory-map", "waited for the lock of its own memory map"},
	[NAP_QUOTA] = {"quota", "had used up the CPU quota of its cgroup"},
	[NAP_OOM] = {"oom", "had no memory left in its cgroup, and nobody was killed"},
	[NAP_TRACED] = {"traced", "was held by a debugger"},
	[NAP_FROZEN] = {"frozen", "was frozen with its cgroup"},
	[NAP_STOPPED] = {"stopped", "was stopped by a signal"},
};

/* A part of the name of a function, in the wait channel or anywhere on the stack. The first that is
 * found counts, so what says more stands above. */
static const struct nap_sign {
	const char *function;
	enum nap_cause cause;
} nap_signs[] = {
	{"do_exit", NAP_ENDING},
	{"do_signal_stop", NAP_STOPPED},
	{"__refrigerator", NAP_FROZEN},
	{"do_freezer_trap", NAP_FROZEN},
	{"ptrace_stop", NAP_TRACED},
	{"mem_cgroup_oom", NAP_OOM},
	{"handle_over_high", NAP_MEMORY_LIMIT},
	{"task_work_run", NAP_QUOTA},
	{"throttle_cfs", NAP_QUOTA},
	{"try_to_free", NAP_RECLAIM},
	{"shrink_", NAP_RECLAIM},
	{"reclaim_throttle", NAP_RECLAIM},
	{"direct_compact", NAP_RECLAIM},
	{"do_swap_page", NAP_SWAP},
	{"swap_read", NAP_SWAP},
};

/* The functions that a lock was asked for in are the innermost that the kernel prints: its own lock
 * functions belong to the scheduler, which it leaves out. These ask for the lock of the memory map.
 */
static const char *const nap_map_functions[] = {"vm_mmap_pgoff", "vm_munmap", "do_user_addr_fault",
	"lock_mm_and_find_vma", "exc_page_fault", "do_page_fault", "do_madvise", "madvise_lock",
	"do_mprotect", "sys_brk", "do_mremap", "sys_mremap", "mmap_write_lock", "mmap_read_lock",
	"do_mlock", "dup_mm", "sys_munmap", "vm_brk_flags", "rwsem_down"};

/* Where a page of a file, or a disk, is waited for. */
static const char *const nap_disk_functions[] = {"io_schedule", "folio_wait", "wait_on_page",
	"wait_on_bit", "blk_", "bio_", "jbd2_", "xlog_", "xfs_", "ext4_", "btrfs_", "nfs_",
	"rpc_wait", "submit_bio", "sync_", "balance_dirty", "filemap_", "bit_wait",
	"wait_for_completion"};

static bool nap_says(const struct nap_thread *thread, const char *function)
{
	return strstr(thread->wchan, function) || strstr(thread->stack, function);
}

static bool nap_says_any(const struct nap_thread *thread, const char *const *functions, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (nap_says(thread, functions[i]))
			return true;
	return false;
}

/* The innermost function: the wait channel, or the first line of the stack. */
static bool nap_waits_in(const struct nap_thread *thread, const char *function)
{
	const bool known = *thread->wchan && strcmp(thread->wchan, "0") != 0;
	const char *at = strstr(thread->stack, function), *line = strchr(thread->stack, '\n');

	return known ? strstr(thread->wchan, function) != NULL : at && (!line || at < line);
}

static enum nap_cause nap_cause_blocked(const struct nap_thread *thread)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(nap_map_functions); i++)
		if (nap_waits_in(thread, nap_map_functions[i]))
			return NAP_MEMORY_MAP;
	if (nap_says_any(thread, nap_disk_functions, ARRAY_SIZE(nap_disk_functions)))
		return nap_says(thread, "fault") && !nap_says(thread, "read_iter") ? NAP_SWAP
										   : NAP_DISK;
	return NAP_KERNEL_LOCK;
}

enum nap_cause nap_cause_of_thread(const struct nap_thread *thread, bool throttled)
{
	size_t i;

	if (thread->state == 'Z' || thread->state == 'X')
		return NAP_ENDING;
	if (thread->state == 'T')
		return NAP_STOPPED;
	if (thread->state == 't')
		return NAP_TRACED;
	for (i = 0; i < ARRAY_SIZE(nap_signs); i++) {
		/* Work on the way back to user mode is more than the quota's. */
		if (nap_signs[i].cause == NAP_QUOTA && thread->state != 'R')
			continue;
		if (nap_says(thread, nap_signs[i].function))
			return nap_signs[i].cause;
	}
	if (thread->state == 'R')
		return throttled ? NAP_QUOTA : NAP_RUN_QUEUE;
	if (thread->state == 'D')
		return nap_cause_blocked(thread);
	/* Where compilers make do_freezer_trap a part of get_signal. Who is stopped or traced waits
	 * there as well, in states of their own. */
	if (nap_waits_in(thread, "get_signal"))
		return NAP_FROZEN;
	return nap_says(thread, "futex") ? NAP_USER_LOCK : NAP_IDLE;
}

enum nap_cause nap_cause_join(enum nap_cause a, enum nap_cause b)
{
	return a > b ? a : b;
}

enum nap_cause nap_cause_with_work(enum nap_cause cause, bool work_waits)
{
	if (cause == NAP_IDLE && work_waits)
		return NAP_UNKNOWN;
	return cause == NAP_USER_LOCK && !work_waits ? NAP_IDLE : cause;
}

bool nap_cause_counts(enum nap_cause cause)
{
	return cause > NAP_ENDING && cause < NAP_CAUSES;
}

bool nap_cause_is_imposed(enum nap_cause cause)
{
	return cause > NAP_RECLAIM && cause < NAP_CAUSES;
}

const char *nap_cause_name(enum nap_cause cause)
{
	return nap_cause_words[cause].name;
}

const char *nap_cause_phrase(enum nap_cause cause)
{
	return nap_cause_words[cause].phrase;
}

const char *nap_cause_controller(enum nap_cause cause, const char *function)
{
	switch (cause) {
	case NAP_OOM:
		return "memory";
	/* memory.high and cgroup.freeze are of v2 alone, which may be mounted beside v1. */
	case NAP_MEMORY_LIMIT:
		return NULL;
	case NAP_FROZEN:
		return strstr(function, "__refrigerator") ? "freezer" : NULL;
	default:
		return "cpu";
	}
}

enum nap_cause nap_cause_find(const char *name)
{
	enum nap_cause cause;

	for (cause = 0; cause < NAP_CAUSES; cause++)
		if (!strcmp(name, nap_cause_words[cause].name))
			break;
	return cause;
}
