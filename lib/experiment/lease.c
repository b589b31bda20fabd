/* SPDX-License-Identifier: GPL-2.0-only */
/* Is an experiment under way on this machine, so that what is measured now is its doing? */
#include "base/banned.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "base/clock.h"
#include "experiment/lease.h"
#include "experiment/undo_log.h"
#include "base/num.h"
#include "sys/atomic_file.h"
#include "sys/statedir.h"
#include "base/str.h"

#define NAME "maintenance"
/* Keeper and watchdog may take this long after the deadline to put back what is to be put back. */
#define SLACK_NS 60000000000u

/* "CHECK EXPERIMENT PID STARTTIME UNTIL_NS" */
struct lease {
	char check[80], experiment[80];
	uint64_t pid, start, until_ns;
};

static int open_dir(bool make)
{
	char *path = rundir_path(".");
	int dir;

	*strrchr(path, '/') = 0;
	dir = directory_open(path, 0755, make);
	free(path);
	return dir;
}

/* At most size - 1 bytes of a small file, terminated. Returns whether there are any. */
static bool read_small(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, buf, size - 1);

	if (fd >= 0)
		close(fd);
	buf[n > 0 ? n : 0] = 0;
	return n > 0;
}

/* The start of a process in clock ticks since boot: field 22 of /proc/PID/stat, proc(5). 0 where it
 * cannot be read. */
static uint64_t start_of(uint64_t pid)
{
	char path[64], stat[1024], *at;
	uint64_t start = 0;
	int field;

	snprintf(path, sizeof(path), "/proc/%llu/stat", (unsigned long long)pid);
	if (!read_small(path, stat, sizeof(stat)))
		return 0;
	/* The name, field 2, can hold anything: its last parenthesis ends it. */
	at = strrchr(stat, ')');
	for (field = 2; at && field < 22; field++)
		at = strchr(at + 1, ' ');
	if (!at)
		return 0;
	at++;
	return num_next((const char **)&at, stat + strlen(stat), &start) ? 0 : start;
}

int lease_write(const char *check, const char *experiment, uint64_t until_ns)
{
	uint64_t pid = (uint64_t)getpid();
	char *text =
		mem_printf("%s %s %llu %llu %llu\n", check, experiment, (unsigned long long)pid,
			(unsigned long long)start_of(pid), (unsigned long long)until_ns);
	int dir = open_dir(true), err = dir;

	if (dir >= 0) {
		err = directory_write(dir, NAME, 0644, text, strlen(text));
		close(dir);
	}
	free(text);
	return err;
}

int lease_remove(void)
{
	int dir = open_dir(false), err = dir;

	if (dir < 0)
		return err;
	err = unlinkat(dir, NAME, 0) && errno != ENOENT ? -errno : 0;
	close(dir);
	return err;
}

static bool lease_parse(char *text, struct lease *lease)
{
	char *words[5];
	size_t n;

	text[strcspn(text, "\n")] = 0;
	for (n = 0; n < ARRAY_SIZE(words); n++)
		if (!(words[n] = strsep(&text, " ")))
			return false;
	if (text || !undo_log_name_is_sound(words[0]) || !undo_log_name_is_sound(words[1]))
		return false;
	snprintf(lease->check, sizeof(lease->check), "%s", words[0]);
	snprintf(lease->experiment, sizeof(lease->experiment), "%s", words[1]);
	return !num_u64(words[2], 1, INT32_MAX, &lease->pid) &&
		!num_u64(words[3], 0, UINT64_MAX, &lease->start) &&
		!num_u64(words[4], 0, UINT64_MAX - SLACK_NS, &lease->until_ns);
}

/* Whether this very process is alive, which another user's need not show itself to be. */
static bool is_alive(const struct lease *lease)
{
	uint64_t start;

	if (kill((pid_t)lease->pid, 0) && errno != EPERM)
		return false;
	start = start_of(lease->pid);
	return !start || !lease->start || start == lease->start;
}

bool lease_active(char *who, size_t size, pid_t own_keeper)
{
	char *path = rundir_path(NAME), text[512];
	struct lease lease;
	bool active = false;
	int dir = open_dir(false);

	if (dir >= 0) {
		close(dir);
		active = read_small(path, text, sizeof(text)) && lease_parse(text, &lease) &&
			is_alive(&lease) && boottime_ns() <= lease.until_ns + SLACK_NS &&
			(pid_t)lease.pid != own_keeper;
	}
	if (active)
		snprintf(who, size, "%s/%s", lease.check, lease.experiment);
	free(path);
	return active;
}
