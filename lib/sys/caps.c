/* SPDX-License-Identifier: GPL-2.0-only */
/* Which capabilities may this process still use, and which has it given up? */
#include "base/banned.h"

#include <errno.h>
#include <stdio.h>
#include <sys/capability.h>
#include <sys/prctl.h>

#include "sys/caps.h"

#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#endif
#ifndef CAP_BPF
#define CAP_BPF 39
#endif

/* CAP_BPF and CAP_PERFMON are told apart from CAP_SYS_ADMIN since Linux 5.8. */
static bool kernel_has_cap_bpf(void)
{
	return cap_get_bound(CAP_BPF) >= 0;
}

static int each_value(int caps, int (*with)(cap_value_t value, void *arg), void *arg)
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
	size_t i;
	int err = 0;

	for (i = 0; i < sizeof(table) / sizeof(table[0]) && !err; i++) {
		cap_value_t value = table[i].value;

		if (!(caps & table[i].set))
			continue;
		if (table[i].set == CAPS_BPF && !kernel_has_cap_bpf())
			value = CAP_SYS_ADMIN;
		err = with(value, arg);
	}
	return err;
}

struct edit {
	cap_t state;
	cap_flag_t flag;
	cap_flag_value_t to;
	bool only_permitted; /* leave out what the process does not have, instead of failing */
};

static int edit_one(cap_value_t value, void *arg)
{
	struct edit *edit = arg;
	cap_flag_value_t has = CAP_CLEAR;

	if (edit->only_permitted) {
		cap_get_flag(edit->state, value, CAP_PERMITTED, &has);
		if (has == CAP_CLEAR)
			return 0;
	}
	return cap_set_flag(edit->state, edit->flag, 1, &value, edit->to) ? -errno : 0;
}

/* Changes one flag of some capabilities of this process. */
static int caps_change(int caps, cap_flag_t flag, cap_flag_value_t to)
{
	struct edit edit = {.flag = flag, .to = to, .only_permitted = to == CAP_SET};
	int err;

	edit.state = cap_get_proc();
	if (!edit.state)
		return -errno;
	err = each_value(caps, edit_one, &edit);
	if (!err && cap_set_proc(edit.state))
		err = -errno;
	cap_free(edit.state);
	return err;
}

int caps_raise(int caps)
{
	return caps_change(caps, CAP_EFFECTIVE, CAP_SET);
}

int caps_lower(int caps)
{
	return caps_change(caps, CAP_EFFECTIVE, CAP_CLEAR);
}

int caps_drop(int caps)
{
	int err = caps_change(caps, CAP_EFFECTIVE, CAP_CLEAR);

	return err ? err : caps_change(caps, CAP_PERMITTED, CAP_CLEAR);
}

struct keep {
	cap_t from;
	cap_t to;
};

static int keep_one(cap_value_t value, void *arg)
{
	struct keep *keep = arg;
	cap_flag_value_t has = CAP_CLEAR;

	cap_get_flag(keep->from, value, CAP_PERMITTED, &has);
	return cap_set_flag(keep->to, CAP_PERMITTED, 1, &value, has) ? -errno : 0;
}

int caps_start(int keep_caps)
{
	struct keep keep = {.from = cap_get_proc(), .to = cap_init()};
	int err = 0;

	if (!keep.from || !keep.to)
		err = -ENOMEM;
	if (!err)
		err = each_value(keep_caps, keep_one, &keep);
	/* A program started later could get everything back by being owned by root. */
	if (!err && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		err = -errno;
	if (!err && cap_set_proc(keep.to))
		err = -errno;
	cap_free(keep.from);
	cap_free(keep.to);
	return err;
}

static int is_permitted(cap_value_t value, void *arg)
{
	cap_flag_value_t has = CAP_CLEAR;

	cap_get_flag(arg, value, CAP_PERMITTED, &has);
	return has == CAP_SET ? 0 : -EPERM;
}

bool caps_have(int caps)
{
	cap_t state = cap_get_proc();
	bool have = state && !each_value(caps, is_permitted, state);

	cap_free(state);
	return have;
}
