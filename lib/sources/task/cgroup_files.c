/* SPDX-License-Identifier: GPL-2.0-only */
/* What does each file of a control group say, whichever version of cgroups it belongs to? */
#include "base/banned.h"
#include "sources/task/cgroup_files.h"
#include "sources/common/parse_text.h"
#include "sample/sink.h"

/* v1 says "no limit" with the largest number of pages that fits, in bytes. */
#define V1_UNLIMITED 9e18

#define V1_BYTES "blkio.throttle.io_service_bytes"
#define V1_IOS "blkio.throttle.io_serviced"

static bool one_number(struct bytes text, double *out)
{
	struct bytes line;

	return text_line(&text, &line) && text_next_number(&line, out);
}

static void put_one(
	struct bytes text, struct sink *sink, const char *cgroup, const char *field, double factor)
{
	double value;

	if (one_number(text, &value))
		sink_put(sink, cgroup, field, value * factor);
}

/* A limit that may be absent: "max", -1, or v1's huge number. Returns whether it is there. */
static bool put_limit(struct bytes text, struct sink *sink, const char *cgroup, const char *field)
{
	double value;

	if (!one_number(text, &value) || value < 0 || value >= V1_UNLIMITED)
		return false;
	sink_put(sink, cgroup, field, value);
	return true;
}

/* Both versions. */

static void parse_memory_current(struct bytes text, struct sink *sink, const char *cgroup)
{
	put_one(text, sink, cgroup, "memory.current", 1);
}

static void parse_memory_max(struct bytes text, struct sink *sink, const char *cgroup)
{
	bool set = put_limit(text, sink, cgroup, "memory.max");

	if (set || text_starts(text, "max"))
		sink_put(sink, cgroup, "memory.max.set", set);
}

static void parse_pids_current(struct bytes text, struct sink *sink, const char *cgroup)
{
	put_one(text, sink, cgroup, "pids.current", 1);
}

static void parse_pids_max(struct bytes text, struct sink *sink, const char *cgroup)
{
	put_limit(text, sink, cgroup, "pids.max");
}

static void parse_pids_events(struct bytes text, struct sink *sink, const char *cgroup)
{
	text_put_pairs(text, sink, cgroup, "pids.events.");
}

/* v2 */

static void parse_cpu_stat(struct bytes text, struct sink *sink, const char *cgroup)
{
	text_put_pairs(text, sink, cgroup, "cpu.stat.");
}

/* Of groups that have none below them, so that no work counts twice: who ran meanwhile? */
static void parse_leaf_usage(struct bytes text, struct sink *sink, const char *cgroup)
{
	struct bytes line, name;
	double value;

	while (text_line(&text, &line))
		if (text_word(&line, &name) && text_is(name, "usage_usec") &&
			text_next_number(&line, &value))
			sink_put(sink, cgroup, "leaf.usage_usec", value);
}

/* "max 100000" or "50000 100000" */
static void parse_cpu_max(struct bytes text, struct sink *sink, const char *cgroup)
{
	struct bytes line, quota;
	double value;

	if (!text_line(&text, &line) || !text_word(&line, &quota))
		return;
	if (text_number(quota, &value))
		sink_put(sink, cgroup, "cpu.max.quota_usec", value);
	if (text_next_number(&line, &value))
		sink_put(sink, cgroup, "cpu.max.period_usec", value);
}

static void parse_memory_high(struct bytes text, struct sink *sink, const char *cgroup)
{
	put_limit(text, sink, cgroup, "memory.high");
}

static void parse_memory_stat(struct bytes text, struct sink *sink, const char *cgroup)
{
	text_put_pairs(text, sink, cgroup, "memory.stat.");
}

static void parse_memory_events(struct bytes text, struct sink *sink, const char *cgroup)
{
	text_put_pairs(text, sink, cgroup, "memory.events.");
}

static void parse_swap_current(struct bytes text, struct sink *sink, const char *cgroup)
{
	put_one(text, sink, cgroup, "memory.swap.current", 1);
}

/* "254:0 rbytes=1 wbytes=2 rios=3 wios=4 dbytes=0 dios=0", a line a device. */
static const char *const io_keys[] = {"rbytes", "wbytes", "rios", "wios"};

/* A group without any I/O so far has an empty file: it did none, which is known. */
static void sum_io_stat(struct bytes text, double sums[4])
{
	struct bytes line, word, name;
	double value;
	size_t i;

	memset(sums, 0, 4 * sizeof(*sums));
	while (text_line(&text, &line)) {
		while (text_word(&line, &word)) {
			if (!text_until(&word, '=', &name) || !text_number(word, &value))
				continue;
			for (i = 0; i < 4; i++)
				if (text_is(name, io_keys[i]))
					sums[i] += value;
		}
	}
}

static void parse_io_stat(struct bytes text, struct sink *sink, const char *cgroup)
{
	double sums[4];
	size_t i;

	sum_io_stat(text, sums);
	for (i = 0; i < 4; i++)
		text_put(sink, cgroup, "io.stat.", (struct bytes){io_keys[i], strlen(io_keys[i])},
			sums[i]);
}

static void parse_leaf_io(struct bytes text, struct sink *sink, const char *cgroup)
{
	double sums[4];

	sum_io_stat(text, sums);
	sink_put(sink, cgroup, "leaf.io_bytes", sums[0] + sums[1]);
	sink_put(sink, cgroup, "leaf.io_count", sums[2] + sums[3]);
}

/* "some avg10=0.00 avg60=0.00 avg300=0.00 total=12" */
static void put_pressure(struct bytes text, struct sink *sink, const char *cgroup, const char *some,
	const char *full)
{
	struct bytes line, share, word, name;
	double value;

	while (text_line(&text, &line)) {
		if (!text_word(&line, &share))
			continue;
		while (text_word(&line, &word)) {
			if (!text_until(&word, '=', &name) || !text_is(name, "total") ||
				!text_number(word, &value))
				continue;
			if (text_is(share, "some"))
				sink_put(sink, cgroup, some, value);
			else if (text_is(share, "full"))
				sink_put(sink, cgroup, full, value);
		}
	}
}

static void parse_cpu_pressure(struct bytes text, struct sink *sink, const char *cgroup)
{
	put_pressure(text, sink, cgroup, "cpu.pressure.some.total", "cpu.pressure.full.total");
}

static void parse_memory_pressure(struct bytes text, struct sink *sink, const char *cgroup)
{
	put_pressure(
		text, sink, cgroup, "memory.pressure.some.total", "memory.pressure.full.total");
}

static void parse_io_pressure(struct bytes text, struct sink *sink, const char *cgroup)
{
	put_pressure(text, sink, cgroup, "io.pressure.some.total", "io.pressure.full.total");
}

/* v1 */

/* As v2's, but with throttled_time in nanoseconds. */
static void parse_v1_cpu_stat(struct bytes text, struct sink *sink, const char *cgroup)
{
	struct bytes line, name;
	double value;

	while (text_line(&text, &line)) {
		if (!text_word(&line, &name) || !text_next_number(&line, &value))
			continue;
		if (text_is(name, "throttled_time"))
			sink_put(sink, cgroup, "cpu.stat.throttled_usec", value / 1000);
		else if (text_is(name, "burst_time"))
			sink_put(sink, cgroup, "cpu.stat.burst_usec", value / 1000);
		else
			text_put(sink, cgroup, "cpu.stat.", name, value);
	}
}

static void parse_v1_usage(struct bytes text, struct sink *sink, const char *cgroup)
{
	put_one(text, sink, cgroup, "cpu.stat.usage_usec", 1e-3);
}

static void parse_v1_quota(struct bytes text, struct sink *sink, const char *cgroup)
{
	put_limit(text, sink, cgroup, "cpu.max.quota_usec");
}

static void parse_v1_period(struct bytes text, struct sink *sink, const char *cgroup)
{
	put_one(text, sink, cgroup, "cpu.max.period_usec", 1);
}

/* The total_ lines are with the groups below, as all lines of v2 are; some have other names there.
 */
static void parse_v1_memory_stat(struct bytes text, struct sink *sink, const char *cgroup)
{
	static const char *const renamed[][2] = {{"rss", "anon"}, {"cache", "file"},
		{"rss_huge", "anon_thp"}, {"mapped_file", "file_mapped"}, {"dirty", "file_dirty"},
		{"writeback", "file_writeback"}};
	struct bytes line, name;
	double value;
	size_t i;

	while (text_line(&text, &line)) {
		if (!text_word(&line, &name) || !text_next_number(&line, &value) ||
			!text_starts(name, "total_"))
			continue;
		name.data += strlen("total_");
		name.len -= strlen("total_");
		for (i = 0; i < sizeof(renamed) / sizeof(renamed[0]); i++)
			if (text_is(name, renamed[i][0]))
				name = (struct bytes){renamed[i][1], strlen(renamed[i][1])};
		text_put(sink, cgroup, "memory.stat.", name, value);
	}
}

/* The smallest limit of the group and those above it: what counts, and no file more to be read. */
static void parse_v1_max(struct bytes text, struct sink *sink, const char *cgroup)
{
	struct bytes line, name;
	double value;

	while (text_line(&text, &line)) {
		if (!text_word(&line, &name) || !text_is(name, "hierarchical_memory_limit") ||
			!text_next_number(&line, &value))
			continue;
		sink_put(sink, cgroup, "memory.max.set", value < V1_UNLIMITED);
		if (value < V1_UNLIMITED)
			sink_put(sink, cgroup, "memory.max", value);
	}
}

static void parse_v1_swap(struct bytes text, struct sink *sink, const char *cgroup)
{
	struct bytes line, name;
	double value;

	while (text_line(&text, &line))
		if (text_word(&line, &name) && text_is(name, "total_swap") &&
			text_next_number(&line, &value))
			sink_put(sink, cgroup, "memory.swap.current", value);
}

static void parse_v1_failcnt(struct bytes text, struct sink *sink, const char *cgroup)
{
	put_one(text, sink, cgroup, "memory.events.max", 1);
}

static void parse_v1_oom(struct bytes text, struct sink *sink, const char *cgroup)
{
	struct bytes line, name;
	double value;

	while (text_line(&text, &line)) {
		if (!text_word(&line, &name) || !text_next_number(&line, &value))
			continue;
		if (text_is(name, "oom_kill"))
			sink_put(sink, cgroup, "memory.events.oom_kill", value);
		else
			text_put(sink, cgroup, "memory.oom_control.", name, value);
	}
}

/* "254:0 Read 4096", a line a device and kind; and "Total 4096" */
static void put_v1_io(struct bytes text, struct sink *sink, const char *cgroup,
	const char *read_field, const char *write_field)
{
	double reads = 0, writes = 0, value;
	struct bytes line, device, kind;

	while (text_line(&text, &line)) {
		if (!text_word(&line, &device) || !text_word(&line, &kind) ||
			!text_next_number(&line, &value))
			continue;
		if (text_is(kind, "Read"))
			reads += value;
		else if (text_is(kind, "Write"))
			writes += value;
	}
	sink_put(sink, cgroup, read_field, reads);
	sink_put(sink, cgroup, write_field, writes);
}

static void parse_v1_io_bytes(struct bytes text, struct sink *sink, const char *cgroup)
{
	put_v1_io(text, sink, cgroup, "io.stat.rbytes", "io.stat.wbytes");
}

static void parse_v1_ios(struct bytes text, struct sink *sink, const char *cgroup)
{
	put_v1_io(text, sink, cgroup, "io.stat.rios", "io.stat.wios");
}

const struct cgroup_file cgroup_files[] = {
	{"cpu.stat.", CGROUP_V2, "cpu", "cpu.stat", parse_cpu_stat, NULL, CGROUP_FILE_OF_ALL},
	{"leaf.usage_usec", CGROUP_V2, "", "cpu.stat", parse_leaf_usage, NULL,
		CGROUP_FILE_OF_LEAVES},
	{"cpu.max.", CGROUP_V2, "cpu", "cpu.max", parse_cpu_max, NULL, CGROUP_FILE_OF_ALL},
	{"cpu.pressure.", CGROUP_V2, "", "cpu.pressure", parse_cpu_pressure, NULL,
		CGROUP_FILE_OF_LEAVES},
	{"memory.current", CGROUP_V2, "memory", "memory.current", parse_memory_current, NULL,
		CGROUP_FILE_OF_ALL},
	{"memory.max", CGROUP_V2, "memory", "memory.max", parse_memory_max, NULL,
		CGROUP_FILE_OF_LIMITED},
	{"memory.high", CGROUP_V2, "memory", "memory.high", parse_memory_high, NULL,
		CGROUP_FILE_OF_LIMITED},
	{"memory.stat.", CGROUP_V2, "memory", "memory.stat", parse_memory_stat, NULL,
		CGROUP_FILE_OF_ALL},
	{"memory.events.", CGROUP_V2, "memory", "memory.events", parse_memory_events, NULL,
		CGROUP_FILE_OF_ALL},
	{"memory.swap.current", CGROUP_V2, "memory", "memory.swap.current", parse_swap_current,
		NULL, CGROUP_FILE_OF_ALL},
	{"memory.pressure.", CGROUP_V2, "", "memory.pressure", parse_memory_pressure, NULL,
		CGROUP_FILE_OF_LIMITED},
	{"io.stat.", CGROUP_V2, "io", "io.stat", parse_io_stat, NULL, CGROUP_FILE_OF_ALL},
	{"leaf.io_", CGROUP_V2, "io", "io.stat", parse_leaf_io, NULL, CGROUP_FILE_OF_LEAVES},
	{"io.pressure.", CGROUP_V2, "", "io.pressure", parse_io_pressure, NULL,
		CGROUP_FILE_OF_LEAVES},
	{"pids.current", CGROUP_V2, "pids", "pids.current", parse_pids_current, NULL,
		CGROUP_FILE_OF_ALL},
	{"pids.max", CGROUP_V2, "pids", "pids.max", parse_pids_max, NULL, CGROUP_FILE_OF_ALL},
	{"pids.events.", CGROUP_V2, "pids", "pids.events", parse_pids_events, NULL,
		CGROUP_FILE_OF_ALL},
	{"cpu.stat.nr_", CGROUP_V1, "cpu", "cpu.stat", parse_v1_cpu_stat, NULL, CGROUP_FILE_OF_ALL},
	{"cpu.stat.throttled_", CGROUP_V1, "cpu", "cpu.stat", parse_v1_cpu_stat, NULL,
		CGROUP_FILE_OF_ALL},
	{"cpu.stat.usage_", CGROUP_V1, "cpuacct", "cpuacct.usage", parse_v1_usage, NULL,
		CGROUP_FILE_OF_ALL},
	{"cpu.max.quota_", CGROUP_V1, "cpu", "cpu.cfs_quota_us", parse_v1_quota, NULL,
		CGROUP_FILE_OF_ALL},
	{"cpu.max.period_", CGROUP_V1, "cpu", "cpu.cfs_period_us", parse_v1_period, NULL,
		CGROUP_FILE_OF_ALL},
	{"memory.current", CGROUP_V1, "memory", "memory.usage_in_bytes", parse_memory_current, NULL,
		CGROUP_FILE_OF_ALL},
	{"memory.max", CGROUP_V1, "memory", "memory.stat", parse_v1_max, NULL, CGROUP_FILE_OF_ALL},
	{"memory.stat.", CGROUP_V1, "memory", "memory.stat", parse_v1_memory_stat, NULL,
		CGROUP_FILE_OF_ALL},
	{"memory.swap.current", CGROUP_V1, "memory", "memory.stat", parse_v1_swap, NULL,
		CGROUP_FILE_OF_ALL},
	{"memory.events.max", CGROUP_V1, "memory", "memory.failcnt", parse_v1_failcnt, NULL,
		CGROUP_FILE_OF_ALL},
	{"memory.events.oom_kill", CGROUP_V1, "memory", "memory.oom_control", parse_v1_oom, NULL,
		CGROUP_FILE_OF_ALL},
	{"memory.oom_control.", CGROUP_V1, "memory", "memory.oom_control", parse_v1_oom, NULL,
		CGROUP_FILE_OF_ALL},
	{"io.stat.rbytes", CGROUP_V1, "blkio", V1_BYTES "_recursive", parse_v1_io_bytes, V1_BYTES,
		CGROUP_FILE_OF_ALL},
	{"io.stat.wbytes", CGROUP_V1, "blkio", V1_BYTES "_recursive", parse_v1_io_bytes, V1_BYTES,
		CGROUP_FILE_OF_ALL},
	{"io.stat.rios", CGROUP_V1, "blkio", V1_IOS "_recursive", parse_v1_ios, V1_IOS,
		CGROUP_FILE_OF_ALL},
	{"io.stat.wios", CGROUP_V1, "blkio", V1_IOS "_recursive", parse_v1_ios, V1_IOS,
		CGROUP_FILE_OF_ALL},
	{"pids.current", CGROUP_V1, "pids", "pids.current", parse_pids_current, NULL,
		CGROUP_FILE_OF_ALL},
	{"pids.max", CGROUP_V1, "pids", "pids.max", parse_pids_max, NULL, CGROUP_FILE_OF_ALL},
	{"pids.events.", CGROUP_V1, "pids", "pids.events", parse_pids_events, NULL,
		CGROUP_FILE_OF_ALL},
};

const size_t cgroup_files_count = sizeof(cgroup_files) / sizeof(cgroup_files[0]);
