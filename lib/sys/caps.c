/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which capabilities may this process still use, and which has it given up? By the kernel's own
 * calls, which need no memory: what must be given up can be given up when there is none.
 */
#include "base/banned.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/capability.h>
#include <sys/prctl.h>

#include "sys/caps.h"

#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#endif
#ifndef CAP_BPF
#define CAP_BPF 39
#endif

#define PART_BITS 32

/* A bit for each capability, by its number. */
struct cap_sets {
	uint64_t effective, permitted, inheritable;
};

/* CAP_BPF and CAP_PERFMON are told apart from CAP_SYS_ADMIN since Linux 5.8. */
static bool kernel_has_cap_bpf(void)
{
	return cap_get_bound(CAP_BPF) >= 0;
}

static uint64_t caps_mask(int caps)
{
	static const struct {
		int set;
		cap_value_t value;
	} table[] = {
		{CAPS_READ, CAP_DAC_READ_SEARCH},
		{CAPS_PTRACE, CAP_SYS_PTRACE},
		{CAPS_NAMESPACE, CAP_SYS_ADMIN},
		{CAPS_BPF, CAP_BPF},
		{CAPS_BPF, CAP_PERFMON},
		{CAPS_LOG, CAP_SYSLOG},
		{CAPS_AUDIT, CAP_AUDIT_CONTROL},
		{CAPS_RAWIO, CAP_SYS_RAWIO},
		{CAPS_GPU_ERRORS, CAP_NET_ADMIN},
	};
	uint64_t mask = 0;
	size_t i;

	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		cap_value_t value = table[i].value;

		if (!(caps & table[i].set))
			continue;
		if (table[i].set == CAPS_BPF && !kernel_has_cap_bpf())
			value = CAP_SYS_ADMIN;
		mask |= (uint64_t)1 << value;
	}
	return mask;
}

static int cap_sets_read(struct cap_sets *sets)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct parts[_LINUX_CAPABILITY_U32S_3] = {0};

	if (capget(&head, parts))
		return -errno;
	sets->effective = parts[0].effective | (uint64_t)parts[1].effective << PART_BITS;
	sets->permitted = parts[0].permitted | (uint64_t)parts[1].permitted << PART_BITS;
	sets->inheritable = parts[0].inheritable | (uint64_t)parts[1].inheritable << PART_BITS;
	return 0;
}

static int cap_sets_write(const struct cap_sets *sets)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct parts[_LINUX_CAPABILITY_U32S_3] = {
		{(uint32_t)sets->effective, (uint32_t)sets->permitted, (uint32_t)sets->inheritable},
		{(uint32_t)(sets->effective >> PART_BITS), (uint32_t)(sets->permitted >> PART_BITS),
			(uint32_t)(sets->inheritable >> PART_BITS)}};

	return capset(&head, parts) ? -errno : 0;
}

/* What the process does not have is left out. */
int caps_raise(int caps)
{
	struct cap_sets sets = {0};
	int err = cap_sets_read(&sets);

	sets.effective |= caps_mask(caps) & sets.permitted;
	return err ? err : cap_sets_write(&sets);
}

bool caps_lend(int caps)
{
	struct cap_sets sets = {0};
	uint64_t more;

	if (cap_sets_read(&sets))
		return false;
	more = caps_mask(caps) & sets.permitted & ~sets.effective;
	sets.effective |= more;
	return more && !cap_sets_write(&sets);
}

int caps_lower(int caps)
{
	struct cap_sets sets = {0};
	int err = cap_sets_read(&sets);

	sets.effective &= ~caps_mask(caps);
	return err ? err : cap_sets_write(&sets);
}

int caps_drop(int caps)
{
	struct cap_sets sets = {0};
	int err = cap_sets_read(&sets);

	sets.effective &= ~caps_mask(caps);
	sets.permitted &= ~caps_mask(caps);
	return err ? err : cap_sets_write(&sets);
}

int caps_start(int keep_caps)
{
	struct cap_sets sets = {0}, kept = {0};
	int err = cap_sets_read(&sets);

	kept.permitted = err ? 0 : sets.permitted & caps_mask(keep_caps);
	/* A program started later could get everything back by being owned by root. */
	if (!err && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		err = -errno;
	return err ? err : cap_sets_write(&kept);
}

bool caps_any_effective(void)
{
	struct cap_sets sets = {0};

	return cap_sets_read(&sets) || sets.effective;
}

bool caps_have(int caps)
{
	struct cap_sets sets = {0};

	return !cap_sets_read(&sets) && !(caps_mask(caps) & ~sets.permitted);
}
