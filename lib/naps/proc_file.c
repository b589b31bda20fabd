/* SPDX-License-Identifier: GPL-2.0-only */
/* How is a process looked at that must not be held up by it? */
#include "base/banned.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/num.h"
#include "naps/proc_file.h"
#include "sys/caps.h"
#include "sys/privileged_call.h"

#define STAT_TEXT 1024
#define TARGET_MAX_BYTES 96
#define PF_KTHREAD 0x00200000u
#define CLOCK_OF_PROCESS 2u /* CPUCLOCK_SCHED, linux/posix-timers_types.h */
#define PID_SHIFT 3

ssize_t proc_file_read_hidden(const char *path, char *buf, size_t size)
{
	const int rights = CAPS_READ | CAPS_PTRACE | CAPS_NAMESPACE;
	const bool lent = caps_lend(rights);
	const ssize_t got = proc_file_read(path, buf, size);

	if (lent)
		caps_lower(rights);
	return got;
}

ssize_t proc_file_read(const char *path, char *buf, size_t size)
{
	const int fd = privileged_openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	size_t len = 0;
	ssize_t got = 0;

	if (fd < 0)
		return -errno;
	while (len < size - 1 &&
		(got = privileged_pread(fd, buf + len, size - 1 - len, (off_t)len)) > 0)
		len += (size_t)got;
	if (got < 0)
		got = -errno;
	close(fd);
	buf[len] = 0;
	return got < 0 && !len ? got : (ssize_t)len;
}

int proc_stat_parse(const char *text, struct proc_stat *out)
{
	const char *open = strchr(text, '('), *shut = strrchr(text, ')');
	unsigned int flags;
	int parent;
	size_t n;

	if (!open || !shut || shut < open)
		return -EBADMSG;
	n = (size_t)(shut - open - 1);
	n = n < PROC_COMM ? n : PROC_COMM - 1;
	*out = (struct proc_stat){0};
	memcpy(out->comm, open + 1, n);
	if (sscanf(shut + 1,
		    " %c %d %*d %*d %*d %*d %u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d"
		    " %" SCNu64,
		    &out->state, &parent, &flags, &out->start_ticks) != 4)
		return -EBADMSG;
	out->parent = parent;
	out->kernel = flags & PF_KTHREAD;
	return 0;
}

int proc_stat_read(const char *path, struct proc_stat *out)
{
	char text[STAT_TEXT];
	const ssize_t got = proc_file_read(path, text, sizeof(text));

	return got < 0 ? (int)got : proc_stat_parse(text, out);
}

int proc_cpu_ns(pid_t pid, uint64_t *out)
{
	const clockid_t clock = (clockid_t)(~(unsigned int)pid << PID_SHIFT | CLOCK_OF_PROCESS);
	struct timespec time;

	if (clock_gettime(clock, &time))
		return errno == EINVAL ? -ESRCH : -errno;
	*out = timespec_ns(time);
	return 0;
}

int proc_each_number(const char *directory, bool (*each)(void *arg, pid_t number), void *arg)
{
	DIR *dir = opendir(directory);
	const struct dirent *entry;
	uint64_t number;

	if (!dir)
		return -errno;
	while ((entry = readdir(dir)))
		if (!num_u64(entry->d_name, 1, INT32_MAX, &number) && !each(arg, (pid_t)number))
			break;
	closedir(dir);
	return 0;
}

struct proc_descriptors {
	int dir;
	size_t most;
	bool (*each)(void *arg, const char *target);
	void *arg;
};

static int proc_descriptor(void *arg, const char *name, unsigned char type)
{
	struct proc_descriptors *all = arg;
	char target[TARGET_MAX_BYTES];
	ssize_t len;

	(void)type;
	if (!all->most--)
		return 1;
	len = privileged_readlinkat(all->dir, name, target, sizeof(target) - 1);
	if (len < 0)
		return 0;
	target[len] = 0;
	return all->each(all->arg, target) ? 0 : 1;
}

void proc_each_descriptor(
	pid_t pid, size_t most, bool (*each)(void *arg, const char *target), void *arg)
{
	struct proc_descriptors all = {.most = most, .each = each, .arg = arg};
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	all.dir = privileged_openat(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (all.dir < 0)
		return;
	privileged_list(all.dir, proc_descriptor, &all);
	close(all.dir);
}
