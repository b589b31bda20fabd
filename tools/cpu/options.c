/* SPDX-License-Identifier: GPL-2.0-only */
/* Which options have cpudiagnose and offcpudiagnose, and what do they mean? */
#include "base/banned.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "base/num.h"
#include "base/str.h"
#include "stacks/fold.h"
#include "tools/cpu/options.h"

#define PID_MOST 4194304 /* PID_MAX_LIMIT */
#define HERTZ_MOST 10000

static const char *const cpu_formats[] = {"text", "json", "folded", NULL};
/* As enum stacks_by has them. */
static const char *const cpu_groups[] = {"name", "pid", "thread", "cgroup", "nothing", NULL};

/* "2s-4s" */
static int cpu_set_range(void *to, const char *program, const char *value)
{
	struct cpu_options *asked = to;
	int n = num_with_unit(value, &asked->from), m = -1;

	if (n > 0 && value[n] == '-')
		m = num_with_unit(value + n + 1, &asked->until);
	if (m <= 0 || value[n + 1 + m] || !(asked->from >= 0 && asked->until > asked->from))
		return option_refused(program, "range", value, "two times of the look, as 2s-4s");
	return 0;
}

static const struct option_row cpu_common[] = {
	{0, "for", "TIME", "look for so long (10s)",
		OPTION_SECONDS(struct cpu_options, seconds, 0.1, 3600, "a time from 0.1s to 1h")},
	{0, "cgroup", "PATH", "of the processes of that cgroup and of those below it",
		OPTION_TEXT(struct cpu_options, cgroup)},
	{0, "thread", "TID", "of this one thread",
		OPTION_COUNT(struct cpu_options, thread, 1, PID_MOST)},
	{0, "by", "WHAT", "stacks begin with the name (default), pid, thread, cgroup or nothing",
		OPTION_CHOICE(struct cpu_options, by, cpu_groups)},
	{'o', "output", "FORMAT", "text, json, or folded: stacks for tuesday flame",
		OPTION_CHOICE(struct cpu_options, format, cpu_formats)},
	{0, "to", "FILE", "write that to FILE, replaced in one step",
		OPTION_TEXT(struct cpu_options, to)},
	{0, "svg", "FILE", "draw a flame graph to FILE, for a browser",
		OPTION_TEXT(struct cpu_options, svg)},
	{'n', "top", "N", "show so many functions and processes (10)",
		OPTION_COUNT(struct cpu_options, top, 1, 1000)},
};

static const struct option_row cpu_running[] = {
	{0, "hertz", "N", "samples of each CPU a second (99)",
		OPTION_SECONDS(
			struct cpu_options, hertz, 1, HERTZ_MOST, "a number from 1 to 10000")},
	{0, "range", "FROM-TO", "only of this part of the look: 2s-4s", OPTION_CALL(cpu_set_range)},
};

static const struct option_row cpu_waiting[] = {
	{0, "wakers", NULL, "say who ended each wait, and what that was doing",
		OPTION_FLAG(struct cpu_options, wakers)},
};

static int cpu_options_pids(struct cpu_options *asked)
{
	asked->n_pids = asked->common.n_names;
	asked->pids = mem_zalloc((asked->n_pids + 1) * sizeof(*asked->pids));
	for (size_t i = 0; i < asked->n_pids; i++) {
		uint64_t pid;

		if (num_u64(asked->common.names[i], 1, PID_MOST, &pid)) {
			char *shown = escape_word(asked->common.names[i]);

			fprintf(stderr, "%s: '%s' is not the number of a process\n", asked->program,
				shown);
			free(shown);
			return -EINVAL;
		}
		asked->pids[i] = (uint32_t)pid;
	}
	return 0;
}

static int cpu_options_check(const struct cpu_options *asked)
{
	const int whats = (asked->n_pids > 0) + (asked->cgroup != NULL) + (asked->thread > 0);
	const char *wrong = NULL;

	if (whats > 1)
		wrong = "processes, --cgroup and --thread exclude each other";
	else if (asked->waits && !whats)
		wrong = "of which process? A PID, --cgroup PATH or --thread TID; see --help";
	else if (asked->until > 0 && asked->from >= asked->seconds)
		wrong = "--range begins after the look has ended: --for makes it longer";
	if (!wrong)
		return 0;
	fprintf(stderr, "%s: %s\n", asked->program, wrong);
	return -EINVAL;
}

static const char running_what[] =
	"Which functions take the CPU time: of the machine, of processes, a cgroup or a thread?\n"
	"Looks with BPF for ten seconds, kernel and user, to the true depth of stacks. Needs\n"
	"root. See docs/cpudiagnose.md.\n"
	"  cpudiagnose --svg cpu.svg\n"
	"  cpudiagnose 1234 --by thread\n"
	"  cpudiagnose -o folded | tuesday flame - --focus com/x --svg x.svg";
static const char waiting_what[] =
	"Where does a process wait, off the CPUs, and who ends that? Looks with BPF at each\n"
	"switch for ten seconds. Needs root. See docs/offcpudiagnose.md.\n"
	"  offcpudiagnose 1234\n"
	"  offcpudiagnose 1234 --wakers --svg waits.svg\n"
	"  offcpudiagnose --cgroup system.slice/nginx.service";

int cpu_options_read(struct cpu_options *asked, bool waits, int argc, char **argv)
{
	const struct usage usage = {
		.line = waits ? "offcpudiagnose PID... | --cgroup PATH | --thread TID"
			      : "cpudiagnose [PID...]",
		.what = waits ? waiting_what : running_what,
		.own = cpu_common,
		.n_own = ARRAY_SIZE(cpu_common),
		.to = asked,
		.more = waits ? cpu_waiting : cpu_running,
		.n_more = waits ? ARRAY_SIZE(cpu_waiting) : ARRAY_SIZE(cpu_running),
		.more_to = asked,
		.status = "0 it is done, 3 it is not",
	};
	int err;

	*asked = (struct cpu_options){.program = argv[0],
		.waits = waits,
		.seconds = 10,
		.hertz = waits ? 0 : 99,
		.top = 10};
	err = options_parse_usage(&asked->common, argc, argv, &usage);
	if (!err)
		err = cpu_options_pids(asked);
	return err ? err : cpu_options_check(asked);
}

void cpu_options_free(struct cpu_options *asked)
{
	free(asked->pids);
	options_free(&asked->common);
}
