/* SPDX-License-Identifier: GPL-2.0-only */
/* Which control group is accused, which other one is named for it, and by what limit is one held?
 */
#include "base/banned.h"

#include <math.h>

#include "check/check.h"
#include "check/layers.h"
#include "judge/judge.h"
#include "sample/sweep.h"
#include "sources/common/parse_text.h"
#include "sources/task/io_limit.h"
#include "tests/unit/machine.h"
#include "tests/unit/tap.h"

#define TEXT(string) ((struct bytes){string, strlen(string)})

static char limits_seen[256];

static void note_limit(void *arg, const struct io_limit *limit)
{
	size_t len = strlen(limits_seen);

	(void)arg;
	snprintf(limits_seen + len, sizeof(limits_seen) - len, "%u:%u %s=%.0f ", limit->major,
		limit->minor, io_limit_word(limit->kind), limit->per_second);
}

static void test_limits(void)
{
	const struct io_limit reads = {IO_LIMIT_RIOPS, 254, 0, 40};
	const struct io_limit writes = {IO_LIMIT_WBPS, 8, 16, 4096};

	parse_io_max(TEXT("254:0 rbps=max wbps=1048576 riops=40 wiops=max\n8:16 rbps=7"),
		note_limit, NULL);
	if (!ok(!strcmp(limits_seen, "254:0 wbps=1048576 254:0 riops=40 "),
		    "io.max: each number is a limit, max and a line that was cut are none"))
		printf("# got %s\n", limits_seen);
	*limits_seen = 0;
	parse_throttle_device(
		TEXT("254:0 40\n8:16 0\nx 7\n8:32 7\n"), IO_LIMIT_RIOPS, note_limit, NULL);
	ok(!strcmp(limits_seen, "254:0 riops=40 8:32 riops=7 "), "blkio.throttle: a line a device");
	ok(parse_io_used(TEXT("8:0 rios=9\n254:0 rbytes=5 rios=6\n"), &reads) == 6,
		"io.stat counts the reads of the device");
	ok(parse_io_used(TEXT("8:0 rios=9\n"), &reads) == 0, "what it has not read yet is 0");
	ok(parse_throttle_used(TEXT("8:16 Read 5\n8:16 Write 6\n8:16 Total 11\n"), &writes) == 6,
		"blkio.throttle counts the writes of the device");
}

static struct check_result judge_cgroups(const char *text, struct check **check)
{
	struct sweep *sweep = sweep_new();
	struct judge_context context = {.sweep = sweep, .cpus = 4};
	struct str errors = STR_INIT;
	struct check_result result;

	*check = check_parse("test", text, strlen(text), &errors);
	if (!*check || capture_open_replay(&context.fs, machine_dir)) {
		printf("Bail out! %s\n", str_text(&errors));
		exit(1);
	}
	str_free(&errors);
	check_bind(*check, sweep);
	sweep_open(sweep, context.fs);
	while (!sweep_take(sweep))
		;
	judge_check(*check, &context, &result);
	sweep_free(sweep);
	capture_close(context.fs);
	return result;
}

static void write_group(int sample, const char *name, int usage, int full)
{
	char *stat = mem_printf("usage_usec %d\nthrottled_usec 0\n", usage * sample);
	char *pressure = mem_printf("some avg10=0.00 total=%d\nfull avg10=0.00 total=%d\n",
		full * sample, full * sample);
	char *path = mem_printf("/sys/fs/cgroup%s/cpu.stat", name);

	machine_write(sample, path, stat);
	free(path);
	path = mem_printf("/sys/fs/cgroup%s/cpu.pressure", name);
	machine_write(sample, path, pressure);
	free(path);
	free(pressure);
	free(stat);
}

static void make_machine(void)
{
	int i;

	machine_begin(2);
	for (i = 0; i < 2; i++) {
		machine_write(i, "/proc/self/mountinfo",
			"30 1 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
		write_group(i, "", 9000000, 0);
		write_group(i, "/a.slice", 6000000, 1900000);
		write_group(i, "/a.slice/waits.service", 1000000, 1500000);
		write_group(i, "/a.slice/most.service", 5000000, 100000);
		write_group(i, "/less.service", 2000000, 0);
		machine_write(i, "/sys/fs/cgroup/a.slice/most.service/cgroup.procs", "812\n9\n");
		machine_write(i, "/proc/812/comm", "java\n");
	}
}

#define CHECK(more) \
	"[check]\nquestion = Is it?\narea = test\n[metric m_ratio]\n" \
	"value = rate(cgroup:*.cpu.pressure.full.total) * 1us\nclass = harm\nmaybe = > 20%\n" \
	"source = a book\nwhy = because\nhowever = nothing\nsay = {instance} waits for " \
	"{who}\n" more

static void test_culprits(void)
{
	struct check *check;
	struct check_result result =
		judge_cgroups(CHECK("rival = rate(cgroup:*.leaf.usage_usec)\n"), &check);
	const struct culprit *first = result.culprits;

	ok(result.n_metrics == 1 && !strcmp(result.metrics[0].label, "waits.service"),
		"a slice is not judged beside what is in it, and a group is called as people do");
	ok(result.n_culprits == 1 && !strcmp(first->kind, "cgroup") &&
			!strcmp(first->name, "most.service"),
		"the culprit is who does most of what the others do");
	ok(!strcmp(first->id, "812 java"), "with his first process");
	ok(fabs(first->share - 5.0 / 8) < 1e-9, "and his part of what all do");
	ok(!strcmp(result.summary, "waits.service waits for most.service (pid 812 java)"),
		"the phrase names both");
	check_result_free(&result);
	check_free(check);
	result = judge_cgroups(CHECK(""), &check);
	ok(result.n_culprits == 1 && !strcmp(result.culprits[0].name, "waits.service"),
		"without a rival the accused group is the culprit");
	check_result_free(&result);
	check_free(check);
	result = judge_cgroups(
		CHECK("rival = rate(cgroup:*.leaf.usage_usec)\nignore = */m* /l*\n"), &check);
	ok(result.verdict == VERDICT_MAYBE && !result.n_culprits,
		"nobody is named where there is no other");
	check_result_free(&result);
	check_free(check);
}

int main(void)
{
	test_limits();
	make_machine();
	test_culprits();
	machine_end();
	return tap_done();
}
