/* SPDX-License-Identifier: GPL-2.0-only */
/* Is what device-mapper and disks say of themselves read rightly, and what is absurd left out? */
#include "base/banned.h"

#include <errno.h>
#include <linux/dm-ioctl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "probe.h"
#include "sources/common/hang_lock.h"
#include "sources/common/slow_query.h"
#include "sources/common/disk_log.h"
#include "base/str.h"
#include "tap.h"
#include "tests/unit/tree.h"
#include "sources/block/dm_status.h"

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
	ok(dm_knows_target("thin") && !dm_knows_target("ebs") && !dm_knows_target(""),
		"only what is understood is kept");
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
	head.target_count = UINT32_MAX;
	memcpy(answer, &head, sizeof(head));
	add(answer, 320, 0, "linear", "");
	ok(strstr(targets(answer, sizeof(answer)), "!"), "the next target is the same");
	head.target_count = 2;
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
static void ask(void *arg, size_t number, struct str *answer)
{
	(void)arg;
	while (number == 1)
		pause();
	str_addf(answer, "%zu answer %zu\n%zu more\n", number, number, number);
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
	str_clear(&answer);
	asking.calm = true;
	ok(!asking_run(&asking, &answer) &&
			!strcmp(str_text(&answer), "0 answer 0\n0 more\n3 answer 3\n3 more\n"),
		"where nothing can hang the same is answered without a child");
	str_free(&answer);
	str_free(&got);
}

static uint64_t ask_identity(void *arg, size_t number)
{
	(void)arg;
	return (uint64_t)1 << 40 | number;
}

/* A process of an earlier run that hangs in the second question. */
static pid_t start_hanging(void)
{
	int ready[2], lock;
	pid_t pid;
	char byte;

	if (pipe(ready))
		exit(1);
	pid = fork();
	if (!pid) {
		lock = hang_lock_open("test.lock");
		hang_lock_take(lock, ask_identity(NULL, 1));
		if (lock < 0 || write(ready[1], "", 1) != 1)
			_exit(1);
		pause();
		_exit(0);
	}
	close(ready[1]);
	if (read(ready[0], &byte, 1) != 1)
		exit(1);
	close(ready[0]);
	return pid;
}

static void ask_all(void *arg, size_t number, struct str *answer)
{
	(void)arg;
	str_addf(answer, "%zu answer\n", number);
}

/* While it hangs nobody else is sent after it; when it is let go, the answer is there again. */
static void test_hanging(void)
{
	struct tree tree = tree_new();
	struct str answer = STR_INIT;
	double since[2] = {0}, seconds;
	bool hung[2] = {false};
	struct asking asking = {.n = 2,
		.ask = ask_all,
		.hung = hung,
		.lock = "test.lock",
		.identity = ask_identity,
		.since = since,
		.deadline_ms = 10000};
	pid_t pid;

	setenv("TUESDAY_RUN_DIR", tree.dir, 1);
	pid = start_hanging();
	ok(!asking_run(&asking, &answer) && strstr(str_text(&answer), "1 answer"),
		"who asks at the same time is no reason not to ask");
	poll(NULL, 0, 150);
	asking.deadline_ms = 100;
	str_clear(&answer);
	ok(!asking_run(&asking, &answer) && hung[1] && !hung[0] && since[1] > 0.1,
		"who has hung there since an earlier run is found");
	ok(strstr(str_text(&answer), "0 answer") && !strstr(str_text(&answer), "1 answer") &&
			str_ends(str_text(&answer), "1 still 0\n1\n"),
		"nobody is sent after him, and the recording says so");
	ok(asking_still((struct bytes){"still 7200", 10}, &seconds) && seconds == 7200 &&
			!asking_still((struct bytes){"7200", 4}, &seconds),
		"for how long is read from it");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	asking.deadline_ms = 10000;
	hung[1] = false;
	str_clear(&answer);
	ok(!asking_run(&asking, &answer) && strstr(str_text(&answer), "1 answer") && !hung[1],
		"when he is gone, what he hung in is asked again");
	unsetenv("TUESDAY_RUN_DIR");
	str_free(&answer);
	tree_free(&tree);
}

static void ask_and_die(void *arg, size_t number, struct str *answer)
{
	(void)arg;
	(void)number;
	(void)answer;
	raise(SIGKILL);
}

static void test_killed(void)
{
	struct str answer = STR_INIT;
	bool hung[1] = {false};
	struct asking asking = {.n = 1, .ask = ask_and_die, .hung = hung, .deadline_ms = 10000};
	int err = asking_run(&asking, &answer);

	ok(err && !strcmp(asking_error(err), "the process that asks was killed"),
		"a child that is killed is said to be: %s", asking_error(err));
	ok(!strcmp(asking_error(-EACCES), strerror(EACCES)), "other errors are what they are");
	str_free(&answer);
}

/* What a decoder writes of an answer. */
static const char *written(
	void (*write)(const uint8_t *data, size_t number, struct str *out), const uint8_t *data)
{
	str_clear(&seen);
	write(data, 7, &seen);
	return str_text(&seen);
}

static void test_vdo(void)
{
	static const char normal[] = "vdo 252:16 normal - online online 990 1000";

	target(normal, "vdo_used", 990, "a VDO");
	target(normal, "vdo_size", 1000, "a VDO");
	target(normal, "vdo_read_only", 0, "a VDO");
	target("vdo 252:16 read-only - closed offline 1 2", "vdo_read_only", 1, "one that failed");
	target("vdo 252:16 normal - online online 990", "vdo_used", NAN, "a status that was cut");
}

static void test_nvme(void)
{
	uint8_t log[DISKLOG_BYTES] = {0x04, 0x2c, 0x01, 97, 10, 130};

	log[160] = 5;
	log[161] = 1;
	log[128] = 0xff;
	log[143] = 1;
	ok(strstr(written(nvme_write_health, log), "7 unreliable 1\n"), "a warning");
	ok(strstr(str_text(&seen), "7 read_only 0\n"), "and none");
	ok(strstr(str_text(&seen), "7 spare_percent 97\n7 spare_limit_percent 10\n"), "spares");
	ok(strstr(str_text(&seen), "7 celsius 27\n"), "kelvins are degrees");
	ok(strstr(str_text(&seen), "7 used_percent 130\n"), "more than its life");
	ok(strstr(str_text(&seen), "7 media_errors 261\n"), "errors");
	ok(!strstr(str_text(&seen), "power_on_hours"), "more hours than there are is no number");
	memset(log, 0xff, sizeof(log));
	ok(!*written(nvme_write_health, log), "a page of ones is none");
}

static void test_amazon(void)
{
	uint8_t log[AMAZON_LOG_BYTES] = {0x10, 0xb5, 0x23, 0x3c};

	log[56] = 1;
	log[57] = 1;
	log[80] = 9;
	log[88] = 3;
	ok(!strcmp(written(amazon_write_stats, log),
		   "7 volume_iops_us 257\n7 volume_bytes_us 0\n7 instance_iops_us 0\n"
		   "7 instance_bytes_us 9\n7 queued 3\n"),
		"for how long a volume of EBS was held back");
	log[0] = 0x11;
	ok(!*written(amazon_write_stats, log), "a page of somebody else is none");
}

/* An attribute at a place, and the sum of all made right. */
static void set_attribute(uint8_t *data, size_t place, uint8_t id, uint64_t raw)
{
	uint8_t *at = data + 2 + 12 * place, sum = 0;
	size_t i;

	at[0] = id;
	for (i = 0; i < 6; i++)
		at[5 + i] = (uint8_t)(raw >> 8 * i);
	data[DISKLOG_BYTES - 1] = 0;
	for (i = 0; i < DISKLOG_BYTES; i++)
		sum = (uint8_t)(sum + data[i]);
	data[DISKLOG_BYTES - 1] = (uint8_t)-sum;
}

static void test_attributes(void)
{
	uint8_t data[DISKLOG_BYTES] = {0}, page[DISKLOG_BYTES] = {1, 0, 7};

	set_attribute(data, 0, 5, 0x000900000003);
	set_attribute(data, 1, 194, 35);
	set_attribute(data, 29, 197, 8);
	ok(!strcmp(written(ata_write_attributes, data),
		   "7 reallocated_sectors 3\n7 pending_sectors 8\n"),
		"attributes");
	data[300]++;
	ok(!*written(ata_write_attributes, data), "a wrong sum is no answer");
	page[8] = 42;
	page[15] = 0xc0;
	ok(!strcmp(written(ata_write_endurance, page), "7 used_percent 42\n"), "an SSD's life");
	page[15] = 0x80;
	ok(!*written(ata_write_endurance, page), "one that is not valid");
	page[15] = 0xc0;
	page[2] = 5;
	ok(!*written(ata_write_endurance, page), "another page");
}

/* A value and its limit, at different places, and both sums made right. */
static const char *prefail(uint8_t flags, uint8_t value, uint8_t limit)
{
	static uint8_t data[DISKLOG_BYTES], limits[DISKLOG_BYTES];

	memset(data, 0, sizeof(data));
	memset(limits, 0, sizeof(limits));
	data[2 + 12 * 3 + 1] = flags;
	data[2 + 12 * 3 + 3] = value;
	set_attribute(data, 3, 5, 0);
	limits[2 + 12 * 7 + 1] = limit;
	set_attribute(limits, 7, 5, 0);
	str_clear(&seen);
	ata_write_prefail(data, limits, 7, &seen);
	return str_text(&seen);
}

static void test_prefail(void)
{
	static const uint8_t ones[DISKLOG_BYTES] = {1};
	static const uint8_t none[DISKLOG_BYTES];

	ok(!strcmp(prefail(0x33, 100, 36), "7 prefail_attributes 0\n"), "above its limit");
	ok(!strcmp(prefail(0x33, 36, 36), "7 prefail_attributes 1\n"), "at its limit");
	ok(!strcmp(prefail(0x33, 1, 36), "7 prefail_attributes 1\n"), "below its limit");
	ok(!*prefail(0x32, 1, 36), "what only ages announces no failure");
	ok(!*prefail(0x33, 1, 0), "a limit of 0 is always kept");
	ok(!*prefail(0x33, 1, 255), "one of 255 is for tests");
	ok(!*prefail(0x33, 0, 36) && !*prefail(0x33, 254, 36), "values that are none");
	str_clear(&seen);
	ata_write_prefail(ones, none, 7, &seen);
	ata_write_prefail(none, ones, 7, &seen);
	ok(!seen.len, "a wrong sum is no answer");
}

static void test_awake(void)
{
	static const struct {
		uint8_t count;
		bool awake;
	} table[] = {
		{0, false}, {1, false}, {0x40, false}, {0x41, true}, {0x80, true}, {0xff, true}};
	struct ata_registers registers = {0};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(table); i++) {
		registers.count = table[i].count;
		ok(ata_is_awake(&registers) == table[i].awake, "power mode %02x: %s",
			table[i].count, table[i].awake ? "awake" : "not to be woken");
	}
}

static void test_registers(void)
{
	uint8_t descriptor[SENSE_BYTES] = {0x72, 1, 0, 0x1d, 0, 0, 0, 14, 0x09, 0x0c, 0, 1, 0, 0x80,
		0, 2, 0, 0x4f, 0, 0xc2, 0, 0x50};
	uint8_t fixed[SENSE_BYTES] = {0xf0, 0, 1, 0, 0x50, 0, 0xff, 10, 0, 3, 0xf4, 0x2c, 0, 0x1d};
	uint8_t identity[DISKLOG_BYTES] = {0};
	struct ata_registers registers = {0};

	ok(ata_parse_sense(descriptor, &registers) && registers.count == 0x80 &&
			registers.lba_low == 2 && registers.lba_middle == 0x4f &&
			registers.lba_high == 0xc2 && registers.status == 0x50,
		"registers in a descriptor");
	ok(ata_parse_sense(fixed, &registers) && registers.count == 0xff &&
			registers.lba_middle == 0xf4 && registers.lba_high == 0x2c,
		"registers in the fixed format");
	descriptor[8] = 0;
	ok(!ata_parse_sense(descriptor, &registers), "another descriptor");
	fixed[13] = 0x20;
	ok(!ata_parse_sense(fixed, &registers), "another error");
	identity[164] = identity[170] = 1;
	ok(ata_has_smart(identity) && !ata_has_logs(identity), "SMART without logs");
	identity[168] = 0x20;
	ok(!ata_has_logs(identity), "a word that says nothing");
	identity[169] = 0x40;
	ok(ata_has_logs(identity), "logs");
	identity[170] = 0;
	ok(!ata_has_smart(identity), "SMART is switched off");
}

int main(void)
{
	test_pools();
	test_legs_and_paths();
	test_answers();
	test_asking();
	test_hanging();
	test_killed();
	test_vdo();
	test_nvme();
	test_amazon();
	test_attributes();
	test_prefail();
	test_awake();
	test_registers();
	str_free(&seen);
	probe_end();
	return tap_done();
}
