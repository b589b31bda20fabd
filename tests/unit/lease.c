/* SPDX-License-Identifier: GPL-2.0-only */
/* Is an experiment that is under way seen by others, and one that is over not? */
#include "base/banned.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "experiment/change.h"
#include "sys/statedir.h"
#include "base/str.h"
#include "tests/unit/tap.h"
#include "experiment/lease.h"

#define HOUR_NS 3600000000000u

static void test_lease(void)
{
	char who[64] = "";

	ok(!lease_active(who, sizeof(who), change_keeper()),
		"without a lease there is no experiment");
	ok(!lease_write("disk", "readahead", boottime_ns() + HOUR_NS), "a lease is written");
	ok(lease_active(who, sizeof(who), change_keeper()) && !strcmp(who, "disk/readahead"),
		"it says which");
	ok(lease_active(who, 6, change_keeper()) && !strcmp(who, "disk/"), "cut to size");
	ok(!lease_write("disk", "readahead", 1) &&
			lease_active(who, sizeof(who), change_keeper()) ==
				(boottime_ns() < 60000000001u),
		"long after its deadline it is over");
	ok(!lease_remove() && !lease_active(who, sizeof(who), change_keeper()),
		"when it is removed too");
	ok(!lease_remove(), "which may be done twice");
}

/* The one who wrote it has ended without removing it. */
static void test_dead(void)
{
	char who[64];
	pid_t pid = fork();

	if (!pid)
		_exit(lease_write("disk", "readahead", boottime_ns() + HOUR_NS) != 0);
	waitpid(pid, NULL, 0);
	ok(!lease_active(who, sizeof(who), change_keeper()), "a lease ends with its process");
	lease_remove();
}

static void test_absurd(const char *path)
{
	static const char *const texts[] = {"", "\n", "a b c d e\n", "a b 1 1\n", "a b 1 1 1 1\n",
		"../a b 1 1 99999999999999999\n", "a b 0 1 99999999999999999\n",
		"a b 99999999999 1 99999999999999999\n", "a b 1 1 18446744073709551615\n",
		"\x1b[31m b 1 0 9999999999999999999\n", "a b 1 1 99999999999999999\n"};
	char who[64];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(texts); i++) {
		int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);

		ok(fd >= 0 && write(fd, texts[i], strlen(texts[i])) == (ssize_t)strlen(texts[i]) &&
				!lease_active(who, sizeof(who), change_keeper()),
			"nonsense, or a process that is another by now, is no lease, %zu", i);
		close(fd);
	}
	unlink(path);
}

int main(void)
{
	char dir[] = "/tmp/tuesday-lease.XXXXXX", *path;

	if (!mkdtemp(dir))
		return 1;
	setenv("TUESDAY_RUN_DIR", dir, 1);
	path = mem_printf("%s/maintenance", dir);
	test_lease();
	test_dead();
	test_absurd(path);
	free(path);
	ok(!rmdir(dir), "no temporary file is left");
	return tap_done();
}
