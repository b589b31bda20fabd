/* SPDX-License-Identifier: GPL-2.0-only */
/* Is this file of the kernel a knob, or a way to become root? */
#include "base/banned.h"

#include <fnmatch.h>

#include "base/str.h"
#include "sys/knob_policy.h"

static const char *const allowed[] = {"/proc/sys/", "/sys/"};

/* Patterns of fnmatch without flags: '*' matches '/' too. */
struct knob_policy_rule {
	const char *pattern, *why;
};

#define RUNS "the kernel runs what is written there as root"
#define STOPS "it can stop the machine"
#define GUARDS "it keeps users from what is root's"
#define BYPASSES "it reaches past the kernel's own checks"

static const struct knob_policy_rule denied[] = {
	{"/proc/sys/kernel/core_pattern", RUNS},
	{"/proc/sys/kernel/modprobe", RUNS},
	{"/proc/sys/kernel/hotplug", RUNS},
	{"/proc/sys/kernel/poweroff_cmd", RUNS},
	{"/proc/sys/kernel/usermodehelper*", RUNS},
	{"/proc/sys/fs/binfmt_misc*", RUNS},
	{"/proc/sys/fs/ocfs2/*", RUNS},
	{"/sys/kernel/uevent_helper", RUNS},
	{"*/release_agent", RUNS},
	{"*/notify_on_release", RUNS},
	{"*/uevent", RUNS}, /* udev runs its rules for it */
	{"*/machinecheck*/trigger", RUNS},
	{"*/firmware_class/*", RUNS},
	{"/sys/class/firmware/*", RUNS},
	{"/proc/sys/*panic*", STOPS},
	{"/sys/module/*panic*", STOPS},
	{"/proc/sys/kernel/sysrq*", STOPS},
	{"/sys/module/sysrq/*", STOPS},
	{"/proc/sys/kernel/kexec*", STOPS},
	{"/sys/kernel/kexec*", STOPS},
	{"/sys/kernel/crash*", STOPS},
	{"/sys/power/*", STOPS},
	{"/proc/sys/kernel/yama/*", GUARDS},
	{"/proc/sys/kernel/*_restrict", GUARDS},
	{"/proc/sys/kernel/unprivileged_*", GUARDS},
	{"/proc/sys/kernel/modules_disabled", GUARDS},
	{"/proc/sys/kernel/randomize_va_space", GUARDS},
	{"/proc/sys/kernel/perf_event_paranoid", GUARDS},
	{"/proc/sys/fs/protected_*", GUARDS},
	{"/proc/sys/fs/suid_dumpable", GUARDS},
	{"/proc/sys/vm/mmap_min_addr", GUARDS},
	{"/proc/sys/net/core/bpf_jit_*", GUARDS},
	{"/sys/fs/selinux*", GUARDS},
	{"/sys/fs/smackfs*", GUARDS},
	{"/sys/kernel/security*", GUARDS},
	{"/sys/module/apparmor/*", GUARDS},
	{"*/devices.allow", GUARDS},
	{"*/devices.deny", GUARDS},
	{"/sys/kernel/debug*", BYPASSES},
	{"/sys/kernel/tracing*", BYPASSES},
	{"/sys/kernel/config*", BYPASSES},
	{"/sys/kernel/livepatch*", BYPASSES},
	{"/sys/firmware/*", BYPASSES},
	{"/sys/*/driver_override", BYPASSES},
	{"/sys/devices/pci*/config", BYPASSES},
	{"/sys/devices/pci*/resource*", BYPASSES},
	{"/sys/devices/pci*/rom", BYPASSES},
};

static bool knob_policy_refuse(const char *path, const char *reason, struct str *why)
{
	str_addf(why, "%s is no knob for an experiment, whoever asks: %s", path, reason);
	return false;
}

static bool knob_policy_is_plain(const char *path)
{
	return !strstr(path, "//") && !strstr(path, "/./") && !strstr(path, "/../") &&
		!str_ends(path, "/.") && !str_ends(path, "/..");
}

static bool knob_policy_text(const char *path, struct str *why)
{
	bool inside = false;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(allowed); i++)
		inside |= str_starts(path, allowed[i]);
	if (!inside)
		return knob_policy_refuse(path, "knobs are below /proc/sys and /sys", why);
	if (!knob_policy_is_plain(path))
		return knob_policy_refuse(path, "the path has '.', '..' or an empty part", why);
	for (i = 0; i < ARRAY_SIZE(denied); i++)
		if (!fnmatch(denied[i].pattern, path, 0))
			return knob_policy_refuse(path, denied[i].why, why);
	return true;
}

bool knob_policy_path(const char *path, struct str *why)
{
	char *resolved;
	bool may = knob_policy_text(path, why);

	if (!may)
		return false;
	resolved = realpath(path, NULL);
	if (resolved)
		may = knob_policy_text(resolved, why);
	free(resolved);
	return may;
}

bool knob_policy_value(const char *path, const char *value, struct str *why)
{
	if (!strchr(value, '/') && *value != '|')
		return true;
	return knob_policy_refuse(path, "its value names a file or a program", why);
}

bool knob_policy_device(const char *path, struct str *why)
{
	static const char *const devices[] = {"/dev/cpu_dma_latency", "/dev/memory_bandwidth",
		"/dev/network_latency", "/dev/network_throughput"};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(devices); i++)
		if (!strcmp(path, devices[i]))
			return true;
	str_addf(why,
		"%s is no device to hold open for an experiment, whoever asks: "
		"/dev/cpu_dma_latency "
		"and its like are",
		path);
	return false;
}
