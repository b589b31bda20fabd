/* SPDX-License-Identifier: GPL-2.0-only */
/* Are limits and what is near to them read rightly from files that anybody may have written? */
#include "base/banned.h"
#include "probe.h"
#include "tap.h"
#include "sources/kernel/key_users.h"
#include "sources/kernel/sysvipc.h"
#include "sources/task/open_files.h"
#include "sources/block/mount_options.h"
#include "sources/common/mountinfo.h"

#define KEYS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void parse_shm(struct bytes text, struct sink *sink)
{
	parse_sysvipc(text, sink, "n", "sum", "size");
}

static void is(probe_parser parse, const char *text, const char *key, double expected,
	const char *sentence)
{
	double value = probe_value(parse, text, key);

	ok(isnan(expected) ? isnan(value) : value == expected, "%s: %s is %g (%g)", sentence, key,
		expected, value);
}

static void test_keys(void)
{
	static const char text[] = "    0:     9 8/8 3/1000000 48/25000000\n"
				   "65534:     2 2/2 2/200 30/20000\n";

	is(parse_key_users, text, "65534.keys", 2, "the keys of a user");
	is(parse_key_users, text, "65534.keys_max", 200, "their quota");
	is(parse_key_users, text, "0.bytes_max", 25000000, "root's quota");
	is(parse_key_users, "5: 1 1/1 7 8/9\n", "5.keys", NAN, "no pair");
	is(parse_key_users, "5 1 1/1 7/7 8/9\n", "5.keys", NAN, "no colon");
	ok(probe_cuts(parse_key_users, text, KEYS("65534.keys", "0.bytes", "0.bytes_max")),
		"key-users cut anywhere gives whole numbers or none");
}

static void test_sysvipc(void)
{
	static const char text[] = " key shmid perms size cpid\n 0 1 600 4096 7\n 0 2 600 100 7\n";

	is(parse_shm, text, "n", 2, "segments are counted");
	is(parse_shm, text, "sum", 4196, "and added up");
	is(parse_shm, " key shmid perms size\n", "n", 0, "none is 0");
	is(parse_shm, " key shmid perms\n 0 1 600\n", "n", NAN,
		"without the column nothing is known");
	is(parse_shm, "", "n", NAN, "no file");
	is(parse_shm, " size\n -5\n", "n", 0, "less than nothing does not count");
}

static bool limit(const char *text, uint64_t *out)
{
	return parse_open_files_limit((struct bytes){text, strlen(text)}, out);
}

static void test_open_files(void)
{
	static const char text[] = "7 190 200 a b\n8 5 1024 (sd-pam)\n";
	uint64_t value = 0;

	is(parse_open_files, text, "7.open", 190, "a name with a blank");
	is(parse_open_files, text, "8.limit", 1024, "a name with brackets");
	is(parse_open_files, "x 1 2 y\n", "x.open", NAN, "no number");
	is(parse_open_files, "7 1\n", "7.open", NAN, "too few numbers");
	ok(limit("Limit Soft\nMax open files            1024                 524288               "
		 "files     \n",
		   &value) &&
			value == 1024,
		"the soft limit is the first");
	ok(!limit("Max open files            unlimited            unlimited            files\n",
		   &value),
		"unlimited is no limit");
	ok(!limit("Max open files   1024", &value), "a line that is cut is not read");
}

static void put_all_options(struct bytes text, struct sink *sink)
{
	parse_mountinfo(text, put_mount_options, sink);
}

static void test_mount_options(void)
{
	static const char text[] =
		"22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw,errors=remount-ro\n"
		"23 22 8:2 / /srv rw,noatime shared:2 - ext4 /dev/sda2 rw,sync\n"
		"24 22 0:44 / /sync rw - nfs host:/sync rw,nosync,async\n"
		"25 22 0:45 / /far rw,relatime - 9p share rw,sync,dirsync,trans=virtio\n";

	is(put_all_options, text, "/srv.sync", 1, "an option of the file system");
	is(put_all_options, text, "/srv.noatime", 1, "an option of the mount");
	is(put_all_options, text, "/.sync", 0, "an option that was not given");
	is(put_all_options, text, "/.ro", 0, "a part of an option is none");
	is(put_all_options, text, "/sync.sync", 0, "nor is a path");
	is(put_all_options, text, "/mnt.sync", NAN, "what is not mounted");
	is(put_all_options, text, "/far.sync", NAN, "9p says sync by itself");
	is(put_all_options, text, "/far.trans=virtio", 1, "but not what it was given");
}

int main(void)
{
	test_keys();
	test_sysvipc();
	test_open_files();
	test_mount_options();
	return tap_done();
}
