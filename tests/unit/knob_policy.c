/* SPDX-License-Identifier: GPL-2.0-only */
/* Is what would make root of whoever writes a check file no knob, and is every shipped knob one? */
#include "base/banned.h"

#include <errno.h>
#include <glob.h>

#include "base/str.h"
#include "check/check.h"
#include "check/experiment.h"
#include "check/layers.h"
#include "experiment/knob_change.h"
#include "experiment/undo_log.h"
#include "sys/knob_policy.h"
#include "tap.h"

static void test_refused(void)
{
	static const char *const paths[] = {
		"/proc/sys/kernel/core_pattern",
		"/proc/sys/kernel/modprobe",
		"/proc/sys/kernel/hotplug",
		"/proc/sys/kernel/poweroff_cmd",
		"/proc/sys/kernel/usermodehelper/bset",
		"/proc/sys/fs/binfmt_misc/register",
		"/proc/sys/fs/ocfs2/nm/hb_ctl_path",
		"/proc/sys/kernel/kexec_load_disabled",
		"/proc/sys/kernel/panic",
		"/proc/sys/kernel/hung_task_panic",
		"/proc/sys/vm/panic_on_oom",
		"/proc/sys/kernel/sysrq",
		"/proc/sys/kernel/yama/ptrace_scope",
		"/proc/sys/kernel/kptr_restrict",
		"/proc/sys/fs/protected_symlinks",
		"/sys/kernel/uevent_helper",
		"/sys/fs/cgroup/memory/release_agent",
		"/sys/fs/cgroup/memory/a/notify_on_release",
		"/sys/kernel/kexec_crash_size",
		"/sys/kernel/debug/x",
		"/sys/kernel/tracing/tracing_on",
		"/sys/power/state",
		"/sys/block/{instance}/uevent",
		"/sys/module/firmware_class/parameters/path",
		"/sys/devices/system/machinecheck/machinecheck0/trigger",
		"/proc/sysrq-trigger",
		"/proc/self/mem",
		"/proc/1/mem",
		"/proc/kcore",
		"/proc/self/root/proc/sys/vm/swappiness",
		"/proc/sys/../sys/vm/swappiness",
		"/proc/sys/../../etc/passwd",
		"/proc/sys/vm/..",
		"/proc/sys/./vm/swappiness",
		"/proc/sys//vm/swappiness",
		"//proc/sys/vm/swappiness",
		"/sys/../proc/sys/kernel/modprobe",
		"/dev/mem",
		"/etc/ld.so.preload",
		"/tmp/x",
		"/system",
		"",
	};
	struct str why = STR_INIT;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(paths); i++) {
		str_clear(&why);
		ok(!knob_policy_path(paths[i], &why) &&
				strstr(str_text(&why), "is no knob for an experiment"),
			"no knob: %s", paths[i]);
	}
	str_free(&why);
}

/* What is no knob by its own name is none by that of a link to it. */
static void test_links(void)
{
	struct str why = STR_INIT;
	glob_t found;

	if (glob("/sys/bus/pci/devices/*/config", 0, NULL, &found))
		ok(true, "no knob by a link's name # SKIP no PCI here");
	else
		ok(!knob_policy_path(found.gl_pathv[0], &why) &&
				strstr(str_text(&why), "/sys/devices/pci"),
			"no knob by a link's name");
	globfree(&found);
	str_free(&why);
}

static void test_allowed(void)
{
	static const char *const paths[] = {
		"/proc/sys/vm/swappiness",
		"/sys/block/{instance}/queue/read_ahead_kb",
		"/sys/fs/cgroup/panic.slice/kexec.service/cpu.weight",
		"/sys/fs/bcache/*/congested_*_threshold_us",
	};
	const struct checks *checks = checks_load(&(struct check_layers){0});
	struct str why = STR_INIT;
	size_t i, k, n = 0;

	for (i = 0; i < ARRAY_SIZE(paths); i++)
		ok(knob_policy_path(paths[i], &why), "a knob: %s", paths[i]);
	for (i = 0; i < checks->n; i++) {
		for (k = 0; k < checks->list[i]->n_experiments; k++) {
			const struct experiment *experiment = checks->list[i]->experiments[k];

			if (experiment->knob && knob_policy_path(experiment->knob, &why))
				n++;
			if (experiment->hold && knob_policy_device(experiment->hold, &why))
				n++;
		}
	}
	ok(n > 20 && !why.len, "every shipped knob is one, %zu of them: %s", n, str_text(&why));
	checks_free((struct checks *)checks);
	str_free(&why);
}

static void test_values(void)
{
	struct str why = STR_INIT;

	ok(knob_policy_value("/sys/a", "none", &why) && knob_policy_value("/sys/a", "-1", &why) &&
			knob_policy_value("/sys/a", "", &why) && !why.len,
		"words and numbers are values");
	ok(!knob_policy_value("/sys/a", "/tmp/x", &why) &&
			!knob_policy_value("/sys/a", "|x", &why) &&
			!knob_policy_value("/sys/a", "a ../b", &why),
		"a path and a pipe are none");
	ok(knob_policy_device("/dev/cpu_dma_latency", &why) &&
			!knob_policy_device("/dev/watchdog", &why) &&
			!knob_policy_device("/dev/../dev/cpu_dma_latency", &why) &&
			!knob_policy_device("/dev/mem", &why),
		"of devices, those of latencies are held and no other");
	str_free(&why);
}

/* The keeper's answer to whatever the tool may ask of it. Nothing is written to save. */
static void saves(enum change_kind kind, const char *path, const char *to, const char *reason)
{
	struct undo_log_file file = {.path = (char *)path, .to = (char *)to};
	struct undo_log_entry entry = {
		.kind = kind, .files = &file, .n_files = 1, .device = (char *)path};
	struct knob_change knob = {.entry = &entry, .held = -1};
	struct str why = STR_INIT;

	ok(knob_change_save(&knob, &why) == -EINVAL && strstr(str_text(&why), reason),
		"the keeper refuses %s = %s: %s", path, to, str_text(&why));
	free(file.old);
	str_free(&why);
}

static void test_keeper(void)
{
	saves(CHANGE_FILES, "/proc/sys/kernel/core_pattern", "core", "runs what is written there");
	saves(CHANGE_FILES, "/proc/self/comm", "x", "below /proc/sys and /sys");
	saves(CHANGE_FILES, "/proc/sys/vm/swappiness", "/tmp/x", "names a file");
	saves(CHANGE_HELD, "/dev/null", "0", "no device to hold");
}

int main(void)
{
	test_refused();
	test_links();
	test_allowed();
	test_values();
	test_keeper();
	return tap_done();
}
