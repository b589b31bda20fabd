/* SPDX-License-Identifier: GPL-2.0-only */
/* Is nothing lost, and nothing made up, between two runs? */
#include "base/banned.h"

#include <errno.h>
#include <math.h>

#include "base/version.h"
#include "check/check.h"
#include "judge/judge.h"
#include "judge/metric.h"
#include "report/report.h"
#include "sample/sweep.h"
#include "history/run_state.h"
#include "history/continue.h"
#include "tests/unit/machine.h"
#include "tests/unit/tap.h"
#include "check/layers.h"

#define BOOT "/proc/sys/kernel/random/boot_id"

/* One check on the machine that was written, going on from what was counted before. */
struct judged {
	struct sweep *sweep;
	struct check *check;
	struct capture *fs;
	struct report report;
	struct check_result result;
};

static struct judged judge(const char *keys, const struct run_state *saved, int error)
{
	struct judged j = {.sweep = sweep_new()};
	struct str errors = STR_INIT;
	struct judge_context context = {.sweep = j.sweep, .cpus = 4, .since = "14:05"};
	char *text = mem_printf("[check]\nquestion = Is it?\narea = test\n[metric m%s\n"
				"why = because\nhowever = nothing\nsource = a book\n",
		keys);

	j.check = check_parse("test", text, strlen(text), &errors);
	if (!j.check || capture_open_replay(&j.fs, machine_dir)) {
		printf("Bail out! %s\n", str_text(&errors));
		exit(1);
	}
	str_free(&errors);
	free(text);
	check_bind(j.check, j.sweep);
	sweep_open(j.sweep, j.fs);
	while (!sweep_take(j.sweep))
		;
	j.report.time_start = 1000000;
	j.report.replay = true;
	if (saved)
		continue_from(saved, error, j.sweep, j.fs, &j.report);
	context.fs = j.fs;
	judge_check(j.check, &context, &j.result);
	return j;
}

static void done(struct judged *j)
{
	check_result_free(&j->result);
	report_free(&j->report);
	check_free(j->check);
	sweep_free(j->sweep);
	capture_close(j->fs);
}

/* 300 s before the first sample, which is at 1 s of the machine's clock: begun at 1000 s. */
static struct run_state earlier(double up, double burst, double old)
{
	struct run_state saved = {
		.version = mem_strdup(tuesday_version),
		.boot_id = mem_strdup("boot-1"),
		.time = 1000000 - 300,
		.monotonic_ns = 700000000000ull,
	};

	run_state_add_counter(&saved, "vmstat", "up", "", up);
	run_state_add_counter(&saved, "vmstat", "burst", "", burst);
	run_state_add_counter(&saved, "vmstat", "flat", "", old);
	run_state_add_counter(&saved, "diskstats", "*.reads", "sda", 0);
	run_state_add_counter(&saved, "diskstats", "*.reads", "gone0", 0);
	return saved;
}

/* Six samples from 1000 s on: up grows by 10 a window; burst and flat stand still. */
static void write_machine(void)
{
	int i;

	machine_begin(6);
	for (i = 0; i < 6; i++) {
		char *time = mem_printf("%llu\n", 1000000000000ull + (unsigned)i * 2000000000ull);
		char *vmstat = mem_printf("up %d\nburst 1000\nflat 7\n", 6000 + i * 10);

		machine_write(i, "/time", time);
		machine_write(i, "/proc/vmstat", vmstat);
		machine_write(i, "/sys/block/sda/queue/rotational", "1\n");
		machine_write(i, BOOT, "boot-1\n");
		machine_write(i, "/proc/diskstats",
			"   8 0 sda 3000 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n");
		free(time);
		free(vmstat);
	}
}

static void gives(const char *sentence, const char *keys, struct run_state *saved,
	enum verdict expected, size_t n_past)
{
	struct judged j = judge(keys, saved, 0);

	if (!ok(j.result.verdict == expected && j.result.n_past == n_past, "%s", sentence))
		printf("# %s with %zu: %s\n", verdict_text(j.result.verdict), j.result.n_past,
			j.result.summary);
	done(&j);
}

static void test_errors(struct run_state *saved)
{
	struct judged j;

	gives("an event between two runs is found",
		"_count]\nvalue = delta(vmstat:burst)\nclass = error\nbad = > 0", saved,
		VERDICT_BAD, 1);
	gives("so is one that a rate has drowned",
		"_per_second]\nvalue = rate(vmstat:burst)\n"
		"class = error\nmaybe = > 0\nbad = > 50",
		saved, VERDICT_MAYBE, 1);
	gives("a limit of many events is held against as many as a run of this length had",
		"_count]\nvalue = delta(vmstat:burst)\nclass = error\nmaybe = > 0\nbad = > 100",
		saved, VERDICT_MAYBE, 1);
	gives("what stood still is still good",
		"_count]\nvalue = delta(vmstat:flat)\nclass = error\nbad = > 0", saved,
		VERDICT_GOOD, 0);
	gives("what this run sees as well is said once",
		"_count]\nvalue = delta(vmstat:up)\nclass = error\nbad = > 0", saved, VERDICT_BAD,
		0);
	gives("an instance that is there still is judged",
		"_count]\nvalue = delta(diskstats:*.reads)\nclass = error\nbad = > 0", saved,
		VERDICT_BAD, 1);
	j = judge("_count]\nvalue = delta(vmstat:burst)\nclass = error\nbad = > 0\nacquit = <= 0",
		saved, 0);
	ok(!j.result.exonerated && j.result.only_past &&
			!strcmp(j.result.summary, "since 14:05: m_count is 900"),
		"it says since when, and nothing is exonerated");
	ok(!judge_wants_trace(&j.result, false), "nothing that is over is traced");
	ok(fabs(j.report.continued.seconds - 310) < 0.01 && !j.report.continued.context,
		"the time in between is known");
	done(&j);
}

static void test_harm(struct run_state *saved)
{
	gives("harm that was is no more than maybe",
		"_ratio]\nvalue = rate(vmstat:burst) / 10\n"
		"class = harm\nmaybe = > 5%\nbad = > 20%",
		saved, VERDICT_MAYBE, 1);
	gives("a little harm is not added up to much",
		"_count]\nvalue = delta(vmstat:burst)\nclass = harm\nmaybe = > 100", saved,
		VERDICT_GOOD, 0);
	gives("nor is a little work added up to enough",
		"_ratio]\nvalue = delta(vmstat:burst) / delta(vmstat:burst)\nclass = harm\n"
		"enough = delta(vmstat:burst) >= 100\nmaybe = > 50%",
		saved, VERDICT_GOOD, 0);
	gives("a cause is of its moment",
		"_count]\nvalue = delta(vmstat:burst)\nclass = cause\n"
		"maybe = > 0",
		saved, VERDICT_GOOD, 0);
	gives("so is a gauge",
		"_seconds]\nvalue = vmstat:flat / rate(vmstat:burst)\n"
		"class = harm\nmaybe = > 1s",
		saved, VERDICT_GOOD, 0);
}

static void context_is(
	const char *sentence, struct run_state *saved, int error, const char *expected)
{
	struct judged j = judge(
		"_count]\nvalue = delta(vmstat:burst)\nclass = error\nbad = > 0", saved, error);

	if (!ok(j.result.verdict == VERDICT_GOOD && j.report.continued.context &&
			    !strcmp(j.report.continued.context, expected),
		    "%s", sentence))
		printf("# %s\n", j.report.continued.context);
	done(&j);
}

static void test_context(void)
{
	struct run_state saved = earlier(0, 100, 7), none = {0};
	struct judged j;

	context_is("a first run is no alarm", &none, -ENOENT, "first run");
	context_is("nor is a damaged file", &none, -EINVAL,
		"what the last run left is damaged; begun anew");
	context_is("nor is another user's", &none, -EPERM,
		"what the last run left is not this user's own; begun anew");
	free(saved.boot_id);
	saved.boot_id = mem_strdup("boot-0");
	context_is("a reboot is context", &saved, 0, "rebooted since");
	free(saved.version);
	saved.version = mem_strdup("0.0");
	context_is("another version is", &saved, 0, "another version of Tuesday since");
	run_state_free(&saved);
	saved = earlier(0, 100, 7);
	saved.monotonic_ns = 2000000000000ull;
	context_is("what is from the future is not gone on from", &saved, 0,
		"what the last run left is from a later time; begun anew");
	run_state_free(&saved);
	saved = earlier(0, 100, 7);
	saved.time = 1000000 + 3300;
	j = judge("_count]\nvalue = delta(vmstat:burst)\nclass = error\nbad = > 0", &saved, 0);
	ok(j.result.verdict == VERDICT_BAD && j.report.continued.context &&
			str_starts(j.report.continued.context, "the clock was set back by"),
		"a clock that was set back an hour loses nothing");
	done(&j);
	run_state_free(&saved);
	saved = earlier(0, 2000, 7);
	j = judge("_count]\nvalue = delta(vmstat:burst)\nclass = error\nbad = > 0", &saved, 0);
	ok(j.result.verdict == VERDICT_GOOD, "a counter that went back has grown by nothing known");
	done(&j);
	run_state_free(&saved);
}

static void test_kept(void)
{
	struct run_state saved = {0};
	struct judged j = judge("_count]\nvalue = delta(vmstat:burst) + delta(vmstat:gone)\n"
				"class = error\nbad = > 0",
		NULL, 0);

	continue_keep(&saved, &j.check, 1, j.sweep, j.fs, &j.report);
	ok(saved.n_counters == 1 && saved.counters[0].value == 1000 &&
			!strcmp(saved.boot_id, "boot-1") && saved.time == 1000010 &&
			saved.monotonic_ns == 1010000000000ull,
		"what was counted last is kept, and what has no value is not");
	done(&j);
	run_state_free(&saved);
	j = judge("_count]\nvalue = sum(delta(task:*.cpu_ns))\nclass = harm\nmaybe = > 0", NULL, 0);
	continue_keep(&saved, &j.check, 1, j.sweep, j.fs, &j.report);
	ok(!saved.n_counters, "what single processes counted is not kept");
	done(&j);
	run_state_free(&saved);
}

static bool refused(const char *text)
{
	struct run_state saved;
	int err = run_state_parse(&saved, text, strlen(text));

	if (!err)
		run_state_free(&saved);
	return err == -EINVAL;
}

static void test_file(void)
{
	struct run_state saved = earlier(1, 2.5, 1e300), read;
	struct run_state_check *light;
	struct str text = STR_INIT;
	size_t i, whole = 0;

	run_state_add_counter(&saved, "x", "-", "a b\nlight - 2 0 0 0\n%41\x7f\xff", -0.1);
	light = run_state_check(&saved, "disk");
	light->announced = VERDICT_BAD;
	light->recent = 0xfffffff2;
	light->since = 12345;
	run_state_format(&text, &saved);
	ok(!run_state_parse(&read, str_text(&text), text.len) &&
			read.n_counters == saved.n_counters &&
			!strcmp(read.counters[5].instance, saved.counters[5].instance) &&
			!strcmp(read.counters[5].key, "-") && read.counters[5].value == -0.1 &&
			read.counters[2].value == 1e300 && read.n_lights == 1 &&
			read.lights[0].recent == 0xfffffff2 && read.lights[0].since == 12345,
		"what was written is read, whatever the names are");
	run_state_free(&read);
	for (i = 0; i < text.len; i++) {
		if (run_state_parse(&read, str_text(&text), i))
			continue;
		run_state_free(&read);
		whole++;
	}
	ok(!whole, "a file that was cut off anywhere is damaged");
	ok(refused("") && refused("tuesday-saved 1\n") && refused("tuesday-saved 2\nend 1\n") &&
			refused("tuesday-saved 1\nversion v\nboot b\ncounter a b c nan\nend 4\n") &&
			refused("tuesday-saved 1\nversion v\nboot b\ncounter a b c 0x1\nend 4\n") &&
			refused("tuesday-saved 1\nversion v\nboot b\nlight x 9 0 0 0\nend 4\n") &&
			refused("tuesday-saved 1\nversion v\nboot b\nversion w\nend 4\n") &&
			refused("tuesday-saved 1\nversion v\nboot %0\nend 3\n") &&
			refused("tuesday-saved 1\nversion v\nboot b\nend 3\nx\n"),
		"so is one with anything that is not ours");
	str_free(&text);
	run_state_free(&saved);
}

int main(void)
{
	struct run_state saved = earlier(0, 100, 7);

	write_machine();
	test_errors(&saved);
	test_harm(&saved);
	test_context();
	test_kept();
	test_file();
	machine_end();
	run_state_free(&saved);
	return tap_done();
}
