/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How many CPUs are there, and how many of them work? Fields: present, online, offline (present and
 * not online), isolated. A file that is missing or says nothing of the kind gives no value.
 */
#include "base/banned.h"
#include "base/cpulist.h"
#include "sample/sink.h"
#include "sources/kernel/cpus.h"
#include "sample/source.h"

bool parse_cpu_list(struct bytes text, double *count)
{
	uint64_t n;

	if (!cpulist_count(text.data, text.len, &n))
		return false;
	*count = (double)n;
	return true;
}

static bool cpus_read_list(struct capture *fs, const char *path, struct sink *sink, double *count)
{
	struct bytes text;
	int err = capture_read(fs, path, &text);

	if (err)
		sink_missing(sink, "%s: %s", path, strerror(-err));
	return !err && parse_cpu_list(text, count);
}

static int read_cpus(struct capture *fs, void *state, struct sink *sink)
{
	double present, online, isolated;

	(void)state;
	if (!cpus_read_list(fs, "/sys/devices/system/cpu/present", sink, &present) ||
		!cpus_read_list(fs, "/sys/devices/system/cpu/online", sink, &online))
		return 0;
	sink_put(sink, "", "present", present);
	sink_put(sink, "", "online", online);
	if (present >= online)
		sink_put(sink, "", "offline", present - online);
	if (sink_wants(sink, "isolated") &&
		cpus_read_list(fs, "/sys/devices/system/cpu/isolated", sink, &isolated))
		sink_put(sink, "", "isolated", isolated);
	return 0;
}

SOURCE(cpus) = {
	.name = "cpus",
	.what = "how many CPUs are present, online, offline, isolated",
	.read = read_cpus,
};
