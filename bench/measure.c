/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What does a command cost? "measure FILE COMMAND [ARGUMENT]…" runs it and appends a line to FILE:
 * user and system time of the command and all that it waited for, in seconds, the largest resident
 * set of one of them, in bytes, and how often they left a CPU. The exit status is the command's.
 *
 * A child counts the memory of whoever forked it until it executes something, so this program must
 * be, and is, smaller than anything that it measures.
 */
#include "base/banned.h"

#include <errno.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>

extern char **environ;

static double seconds(struct timeval time)
{
	return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

static int write_cost(const char *path, const struct rusage *usage)
{
	FILE *file = fopen(path, "ae");

	if (!file)
		return -errno;
	fprintf(file, "%.6f %ld %ld\n", seconds(usage->ru_utime) + seconds(usage->ru_stime),
		usage->ru_maxrss * 1024, usage->ru_nvcsw + usage->ru_nivcsw);
	return fclose(file) ? -errno : 0;
}

int main(int argc, char **argv)
{
	struct rusage usage;
	int status, error;
	pid_t pid;

	if (argc < 3) {
		fprintf(stderr, "usage: measure FILE COMMAND [ARGUMENT]...\n");
		return 64;
	}
	error = posix_spawnp(&pid, argv[2], NULL, NULL, argv + 2, environ);
	if (error) {
		fprintf(stderr, "measure: %s: %s\n", argv[2], strerror(error));
		return 127;
	}
	while (wait4(pid, &status, 0, &usage) < 0)
		if (errno != EINTR)
			return 127;
	error = write_cost(argv[1], &usage);
	if (error) {
		fprintf(stderr, "measure: %s: %s\n", argv[1], strerror(-error));
		return 127;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
