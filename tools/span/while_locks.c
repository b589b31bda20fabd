/* SPDX-License-Identifier: GPL-2.0-only */
/* How does the kernel's list of locks say who waits? */
#include "base/banned.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/str.h"
#include "tools/span/while.h"
#include "tools/span/while_locks.h"

#define LOCKS_BYTES_MAX (1 << 20)

/* "1: FLOCK ADVISORY WRITE 1234 00:2a:99 0 EOF" has the lock; with "->" behind the number it waits
 * for the one above (Documentation/filesystems/proc.rst). A lock of an open file, and one of
 * another PID namespace, has no process: -1 or 0. */
static bool while_locks_line(const char *line, bool *waits, pid_t *pid)
{
	char arrow[3] = "";
	int id, at = 0, found;

	if (sscanf(line, "%d: %n", &id, &at) < 1 || !at)
		return false;
	*waits = sscanf(line + at, "%2s", arrow) == 1 && !strcmp(arrow, "->");
	found = sscanf(line + at + (*waits ? 2 : 0), " %*15s %*15s %*15s %d", pid);
	return found == 1;
}

static void while_locks_hold(struct span_while *run, pid_t holder)
{
	const struct process *process = processes_living(&run->processes, holder);
	struct str shown = STR_INIT;

	escape_terminal_cut(&shown,
		!process ? "a process that is none of the command's"
			: process->command && !run->processes.redact ? process->command
								     : process->name,
		60);
	snprintf(run->lock_holder, sizeof(run->lock_holder), "%s", str_text(&shown));
	str_free(&shown);
}

void while_locks_parse(struct span_while *run, char *text, double seconds)
{
	pid_t pid, holder = 0;
	char *line, *rest = NULL;
	bool waits;

	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		struct process *process;

		if (!while_locks_line(line, &waits, &pid))
			continue;
		if (!waits) {
			holder = pid;
			continue;
		}
		process = pid > 0 ? processes_living(&run->processes, pid) : NULL;
		if (!process)
			continue;
		process->lock_s += seconds;
		run->lock_s += seconds;
		while_locks_hold(run, holder);
	}
}

void while_locks_look(struct span_while *run, double seconds)
{
	const int fd = open("/proc/locks", O_RDONLY | O_CLOEXEC);
	struct str text = STR_INIT;
	char piece[4096];
	ssize_t got;

	if (fd < 0)
		return;
	while ((got = read(fd, piece, sizeof(piece))) > 0 && text.len < LOCKS_BYTES_MAX)
		str_addn(&text, piece, (size_t)got);
	close(fd);
	if (text.len)
		while_locks_parse(run, text.text, seconds);
	str_free(&text);
}
