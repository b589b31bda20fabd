/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What does a machine look like that has thousands of something?
 *
 *   many processes N   as many children, asleep
 *   many listeners N   as many TCP sockets of its own that listen on loopback
 *
 * Says "ready" and stays until it is killed; the children die with it.
 */
#include "base/banned.h"

#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

static int start_child(void)
{
	pid_t parent = getpid(), pid = fork();

	if (pid)
		return pid < 0 ? -1 : 0;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (getppid() == parent)
		pause();
	_exit(0);
}

static int start_listener(void)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof(address)))
		return -1;
	return listen(fd, 8);
}

int main(int argc, char **argv)
{
	struct rlimit limit;
	int (*start)(void);
	long i, n;

	if (argc != 3 || (n = strtol(argv[2], NULL, 10)) < 1 || n > 30000)
		return 64;
	start = strcmp(argv[1], "listeners") ? start_child : start_listener;
	if (!getrlimit(RLIMIT_NOFILE, &limit)) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
	for (i = 0; i < n; i++) {
		if (start()) {
			perror("many");
			return 1;
		}
	}
	puts("ready");
	fflush(stdout);
	pause();
	return 0;
}
