/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/banned.h"

#include "base/str.h"
#include "queue/party.h"
#include "tests/unit/tap.h"

static struct party_member nginx = {.pid = 1234,
	.name = "nginx",
	.cgroups = "3:cpu,cpuacct:/web/front\n0::/system.slice/nginx.service\n",
	.uid = 0,
	.nice = 5,
	.policy = 1};

static bool party_test(const char *said, const struct party_member *member)
{
	struct str why = STR_INIT;
	struct party party;
	bool has = !party_parse(&party, said, &why) && party_has(&party, member);

	str_free(&why);
	party_free(&party);
	return has;
}

static void party_refused(const char *said, const char *words)
{
	struct str why = STR_INIT;
	struct party party;

	ok(party_parse(&party, said, &why) < 0 && strstr(str_text(&why), words),
		"'%s' is refused: %s", said, str_text(&why));
	str_free(&why);
	party_free(&party);
}

static void party_tests_plain(void)
{
	ok(party_test("1234", &nginx), "a number is a process");
	ok(!party_test("123", &nginx), "and no other one");
	ok(party_test("nginx", &nginx), "a word is a name");
	ok(party_test("ng*", &nginx), "with patterns");
	ok(!party_test("ngin", &nginx), "and a whole one");
	ok(party_test("/system.slice/nginx.service", &nginx), "a path is a cgroup");
	ok(party_test("/system.slice", &nginx), "or one above it");
	ok(!party_test("/system", &nginx), "by whole names");
	ok(party_test("/web/front", &nginx), "of version 1 too");
	ok(party_test("/sys/fs/cgroup/cpu/web/", &nginx), "or its directory");
	ok(party_test("/sys/fs/cgroup/system.slice", &nginx), "of either version");
	ok(!party_test("/sys/fs/cgroup/cpu/back", &nginx), "and no other directory");
	ok(!party_test("/", &nginx), "everything is no cgroup");
}

static void party_tests_conditions(void)
{
	ok(party_test("user=root", &nginx), "a user has a name");
	ok(party_test("user=0,nice>0", &nginx), "all conditions are met");
	ok(!party_test("user=0,nice>5", &nginx), "or not");
	ok(party_test("nice>=5,nice<=5,nice!=4", &nginx), "a number is compared");
	ok(!party_test("nice<5", &nginx), "either way");
	ok(party_test("policy=fifo", &nginx), "a policy has its name");
	ok(party_test("kind=program", &nginx), "a program is none of the kernel's");
	ok(party_test("name!=apache*", &nginx), "what is not");
	ok(!party_test("name!=ng*", &nginx), "and what is");
	ok(party_test("cgroup!=/web/back", &nginx), "not in a cgroup");
	ok(party_test("pid<2000,pid>1000", &nginx), "a range of processes");
}

static void party_tests_refused(void)
{
	party_refused("", "names no process");
	party_refused("color=red", "is nothing that is known");
	party_refused("nice>much", "is not a number");
	party_refused("name<nginx", "is a text");
	party_refused("user=no-such-user-here", "no user");
	party_refused("nice>0,apple", "is no condition");
	party_refused("nice=", "compared with nothing");
	party_refused("nice>1,nice!4", "!");
	party_refused("pid>1,pid>2,pid>3,pid>4,pid>5,pid>6,pid>7,pid>8,pid>9", "more than 8");
}

static bool party_test_is_pid(const char *said)
{
	struct str why = STR_INIT;
	struct party party;
	bool is;

	party_parse(&party, said, &why);
	is = party_is_pid(&party);
	party_free(&party);
	str_free(&why);
	return is;
}

static void party_tests_pid(void)
{
	ok(party_test_is_pid("1234") && party_test_is_pid("pid=1234"), "a number is one process");
	ok(!party_test_is_pid("pid>1234") && !party_test_is_pid("pid!=1234") &&
			!party_test_is_pid("pid=1234,nice>0") && !party_test_is_pid("nginx"),
		"others may be several, or come later");
}

int main(void)
{
	party_tests_plain();
	party_tests_conditions();
	party_tests_refused();
	party_tests_pid();
	return tap_done();
}
