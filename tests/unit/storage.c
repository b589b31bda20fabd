/* SPDX-License-Identifier: GPL-2.0-only */
/* Is what device-mapper and disks say of themselves read rightly, and what is absurd left out? */
#include <linux/dm-ioctl.h>
#include <stdio.h>
#include <unistd.h>

#include "probe.h"
#include "sources/asking.h"
#include "sources/parsers.h"
#include "str.h"
#include "tap.h"

static void parse_target(struct bytes text, struct sink *sink)
{
	parse_dm_target(text, sink, "dm-1");
}

static void is(probe_parser parse, const char *text, const char *key, double expected,
	const char *sentence)
{
	double value = probe_value(parse, text, key);

	ok(isnan(expected) ? isnan(value) : value == expected, "%s: %s is %g (%g)", sentence, key,
		expected, value);
}

static void target(const char *text, const char *field, double expected, const char *sentence)
{
	char *key = mem_printf("dm-1.%s", field);

	is(parse_target, text, key, expected, sentence);
	free(key);
}

static void test_pools(void)
{
	static const char full[] = "thin-pool 0 117/1024 1024/2048 - out_of_data_space "
				   "discard_passdown error_if_no_space needs_check 256 ";
	static const char old[] = "thin-pool 7 1/2 3/4 12 rw discard_passdown";

	target(full, "metadata_used", 117, "a pool");
	target(full, "metadata_size", 1024, "a pool");
	target(full, "data_used", 1024, "a pool");
	target(full, "data_size", 2048, "a pool");
	target(full, "no_writes", 1, "a pool without space");
	target(full, "needs_check", 1, "a pool that needs a check");
	target(full, "failed", 0, "a pool without space has not failed");
	target(old, "no_writes", 0, "a pool of an old kernel");
	target(old, "needs_check", 0, "a pool of an old kernel");
	target("thin-pool Fail", "failed", 1, "a pool that failed");
	target("thin-pool Fail", "data_used", NAN, "a pool that failed");
	target("thin-pool 0 117/1024 1024", "data_used", NAN, "no share");
	target("thin-pool 0 x/1024 1/2", "data_used", NAN, "no number");
	target("thin-pool", "failed", NAN, "nothing behind the type");
	target("thin Fail", "failed", 1, "a volume of it");
	target("thin 131072 131071", "failed", 0, "a volume of it");
	target("cache 8 7/1024 512 9/64 1 2 3 4 5 6 7 1 writeback 2 migration_threshold 2048 smq 0 "
	       "rw - ",
		"write_misses", 4, "a cache");
	target("cache Error", "failed", 1, "a cache without its books");
}

static void test_legs_and_paths(void)
{
	static const char paths[] = "multipath 2 0 1 1 alua 2 1 A 0 1 2 8:16 F 4 0 1 E 0 2 2 8:32 "
				    "A 1 0 1 8:48 F 2 0 1 ";

	target(paths, "paths", 3, "two groups of paths");
	target(paths, "failed_paths", 2, "two groups of paths");
	target(paths, "path_failures", 7, "two groups of paths");
	target("multipath 2 0 0 0 1 1 A 0 2 0 8:16 A 0 8:32 A", "paths", NAN, "a list that ends");
	target("multipath 2 0 0 0 99999999999 1 A 0", "paths", NAN, "more groups than words");
	target("multipath 99999999999", "paths", NAN, "more flags than words");
	target("raid raid5_ls 4 AaD- 0/100 recover 0 0 -", "lost_legs", 2, "a RAID");
	target("raid raid5_ls 4 AaD- 0/100 recover 0 0 -", "syncing", 1, "a RAID");
	target("raid raid1 2 AA 100/100", "lost_legs", 0, "a RAID of an old kernel");
	target("raid raid1 3 AA 100/100", "lost_legs", NAN, "a letter too few");
	target("mirror 2 253:3 253:4 12/512 1 AS 1 core", "lost_legs", 0, "a mirror being filled");
	target("mirror 2 253:3 253:4 512/512 1 DA 1 core", "lost_legs", 1, "a mirror");
	target("snapshot 7464/8192 40", "snapshot_used", 7464, "a snapshot");
	target("snapshot 7464/8192 40", "lost", 0, "a snapshot");
	target("snapshot Merge failed", "lost", 1, "a snapshot");
	target("snapshot Unknown", "lost", NAN, "a snapshot that is not ready");
	ok(!parse_dm_target((struct bytes){"linear ", 7}, NULL, "dm-1"), "linear tells nothing");
	ok(!parse_dm_target((struct bytes){NULL, 0}, NULL, "dm-1"), "nothing is no target");
}

static struct str seen;

static void see(void *arg, const char *type, const char *status)
{
	(void)arg;
	str_addf(&seen, "%s=%s;", type, status);
}

static const char *targets(const void *answer, size_t len)
{
	str_clear(&seen);
	str_add(&seen, dm_parse_targets(answer, len, see, NULL) ? "" : "!");
	return str_text(&seen);
}

static void add(char *answer, size_t at, uint32_t next, const char *type, const char *status)
{
	struct dm_target_spec spec = {.next = next};

	memcpy(spec.target_type, type, strlen(type));
	memcpy(answer + at, &spec, sizeof(spec));
	memcpy(answer + at + sizeof(spec), status, strlen(status) + 1);
}

static void test_answers(void)
{
	char answer[1024] = {0};
	struct dm_ioctl head = {.data_start = 320, .target_count = 2};

	memcpy(answer, &head, sizeof(head));
	add(answer, 320, 64, "linear", "");
	add(answer, 384, 128, "thin", "1 2");
	ok(!strcmp(targets(answer, sizeof(answer)), "linear=;thin=1 2;"), "an answer of two");
	ok(strstr(targets(answer, 384 + 20), "!"), "one that is cut in a target");
	ok(strstr(targets(answer, 100), "!"), "one that is cut in its head");
	add(answer, 320, UINT32_MAX, "linear", "");
	ok(strstr(targets(answer, sizeof(answer)), "!"), "the next target is nowhere");
	head.data_start = UINT32_MAX;
	memcpy(answer, &head, sizeof(head));
	ok(strstr(targets(answer, sizeof(answer)), "!"), "the first target is nowhere");
	head.data_start = 320;
	head.target_count = 1;
	memcpy(answer, &head, sizeof(head));
	memset(answer + 320, 'x', sizeof(answer) - 320);
	ok(strstr(targets(answer, sizeof(answer)), "!"), "a status without an end");
}

/* The second question hangs, the third is not to be asked. */
static void ask(void *arg, size_t number, int fd)
{
	(void)arg;
	while (number == 1)
		pause();
	dprintf(fd, "%zu answer %zu\n%zu more\n", number, number, number);
}

static void test_asking(void)
{
	bool skip[4] = {false, false, true, false}, hung[4] = {false};
	struct asking asking = {.n = 4, .ask = ask, .skip = skip, .hung = hung, .deadline_ms = 300};
	struct str answer = STR_INIT, got = STR_INIT;
	struct bytes rest, words;
	size_t number;

	ok(!asking_run(&asking, &answer), "what hangs is no error");
	ok(!hung[0] && hung[1] && !hung[2] && !hung[3], "what hung is known");
	rest = (struct bytes){str_text(&answer), answer.len};
	while (asking_next(&rest, 4, &number, &words))
		str_addf(&got, "%zu:%.*s;", number, (int)words.len, words.data);
	ok(!strcmp(str_text(&got), "0:;0: answer 0;0: more;3:;3: answer 3;3: more;1:;"),
		"the others are answered (%s)", str_text(&got));
	rest = (struct bytes){"x\n9 1\n-1 1\n3 1", 14};
	ok(!asking_next(&rest, 4, &number, &words), "other lines are no answers");
	str_free(&answer);
	str_free(&got);
}

int main(void)
{
	test_pools();
	test_legs_and_paths();
	test_answers();
	test_asking();
	str_free(&seen);
	probe_end();
	return tap_done();
}
