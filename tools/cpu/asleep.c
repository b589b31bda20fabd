/* SPDX-License-Identifier: GPL-2.0-only */
/* Who sleeps already when a look begins, and where? */
#include "base/banned.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sys/caps.h"
#include "tools/cpu/asleep.h"
#include "tools/cpu/look.h"

struct asleep_tell {
	struct cpu_look *look;
	struct stacks_sampler *sampler;
	pid_t pid;
};

/* A file of a thread; its stack takes CAP_SYS_ADMIN when it is read. Returns its bytes, 0 for none.
 */
static size_t asleep_read(pid_t pid, pid_t tid, const char *file, char *text, size_t size)
{
	const int rights = CAPS_NAMESPACE | CAPS_READ | CAPS_PTRACE;
	const bool raised = caps_lend(rights);
	ssize_t len = -1;
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/%s", (int)pid, (int)tid, file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		len = read(fd, text, size - 1);
		close(fd);
	}
	if (raised)
		caps_lower(rights);
	text[len > 0 ? len : 0] = '\0';
	return len > 0 ? (size_t)len : 0;
}

static void asleep_tell_thread(void *arg, pid_t tid)
{
	const struct asleep_tell *tell = arg;
	const size_t only = tell->look->asked->thread;
	char stat[1024], stack[8192];
	const char *name, *end;

	if (only && (pid_t)only != tid)
		return;
	/* "1234 (name) S ..." */
	if (!asleep_read(tell->pid, tid, "stat", stat, sizeof(stat)))
		return;
	name = strchr(stat, '(');
	end = strrchr(stat, ')');
	if (!name || !end || end < name || end[1] != ' ' || end[2] == 'R')
		return;
	asleep_read(tell->pid, tid, "stack", stack, sizeof(stack));
	stat[end - stat] = '\0';
	/* Ids of stacks are hashes of 64 bits; the small numbers are free for these. */
	if (!stacks_sampler_waits_already(tell->sampler, tell->pid, tid, name + 1, (uint64_t)tid))
		stacks_profile_text(
			&tell->look->profile, (uint32_t)tell->pid, (uint64_t)tid, stack);
}

void cpu_asleep_tell(struct cpu_look *look, struct stacks_sampler *sampler)
{
	for (size_t i = 0; i < look->targets.n; i++) {
		struct asleep_tell tell = {look, sampler, look->targets.list[i]};

		cpu_target_threads(tell.pid, asleep_tell_thread, &tell);
	}
}
