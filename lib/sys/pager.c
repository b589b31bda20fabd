/* SPDX-License-Identifier: GPL-2.0-only */
/* Who shows what is longer than a screen? */
#include "base/banned.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/terminal.h"
#include "sys/pager.h"

static pid_t pager_pid;

/* The shell finds the pager, as it is a command and not only a program: PAGER="less -S". */
static void pager_become(int from)
{
	if (dup2(from, STDIN_FILENO) < 0)
		_exit(127);
	execl("/bin/sh", "sh", "-c",
		"if [ -n \"$PAGER\" ]; then eval \"$PAGER\"; exit; fi\n"
		"for pager in less more; do\n"
		"	command -v $pager >/dev/null 2>&1 && LESS=${LESS:-FRX} exec $pager\n"
		"done\n"
		"exec cat",
		(char *)NULL);
	_exit(127);
}

static void pager_keep_width(void)
{
	char columns[16];

	snprintf(columns, sizeof(columns), "%u", terminal_columns());
	setenv("COLUMNS", columns, 0);
}

void pager_begin(void)
{
	int ends[2];

	if (pager_pid || !isatty(STDOUT_FILENO) || !isatty(STDIN_FILENO) ||
		access("/bin/sh", X_OK) || pipe2(ends, O_CLOEXEC))
		return;
	pager_keep_width();
	pager_pid = fork();
	if (!pager_pid)
		pager_become(ends[0]);
	if (pager_pid > 0) {
		/* Ctrl-C is the pager's; so is when to stop. */
		signal(SIGINT, SIG_IGN);
		signal(SIGPIPE, SIG_IGN);
		dup2(ends[1], STDOUT_FILENO);
	}
	close(ends[0]);
	close(ends[1]);
}

void pager_end(void)
{
	int nowhere, status;

	if (pager_pid <= 0)
		return;
	fflush(stdout);
	nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (nowhere < 0 || dup2(nowhere, STDOUT_FILENO) < 0)
		close(STDOUT_FILENO);
	if (nowhere >= 0)
		close(nowhere);
	clearerr(stdout);
	while (waitpid(pager_pid, &status, 0) < 0 && errno == EINTR)
		;
	pager_pid = 0;
}
