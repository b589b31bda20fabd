/* SPDX-License-Identifier: GPL-2.0-only */
/* What does the line of a process have? */
#include "base/banned.h"

#include <stdio.h>
#include <sys/wait.h>

#include "base/str.h"
#include "bpf/probe/process.h"
#include "spans/spans.h"
#include "tools/span/processes.h"
#include "tools/span/processes_line.h"

#define FIELDS_MAX (12 + WAITS_PARTS)
#define PART_TOLD_S 0.0001 /* of a part: less is no field */

static void processes_field(struct span *span, struct span_field *fields, const char *key,
	const char *text, double number)
{
	fields[span->n_fields++] = (struct span_field){key, text, number};
}

/* The parts that have no field of their own already. */
static const char *const process_parts[WAITS_PARTS] = {
	[WAITS_DISK] = "disk_s",
	[WAITS_QUOTA] = "quota_s",
	[WAITS_LOCK] = "kernel_lock_s",
	[WAITS_MEMORY] = "memory_s",
	[WAITS_STOPPED] = "stopped_s",
	[WAITS_FUTEX] = "futex_s",
	[WAITS_SLEEP] = "sleep_s",
	[WAITS_FAMILY] = "children_s",
	[WAITS_EVENTS] = "events_s",
	[WAITS_DATA] = "data_s",
	[WAITS_OTHER] = "uninterruptible_s",
	[WAITS_SHARED] = "shared_lock_s",
	[WAITS_MESSAGE] = "message_s",
	[WAITS_ELSE] = "other_s",
};

static void processes_fields_of_parts(
	const struct process *process, struct span *span, struct span_field *fields)
{
	int part;

	for (part = 0; part < WAITS_PARTS; part++)
		if (process_parts[part] && process->part_s[part] >= PART_TOLD_S)
			processes_field(
				span, fields, process_parts[part], NULL, process->part_s[part]);
}

void processes_line(
	struct processes *all, struct process *process, uint64_t now_ns, struct str *line)
{
	const uint64_t end_ns = process->end_ns ? process->end_ns
		: now_ns > process->start_ns	? now_ns
						: process->start_ns;
	struct span_field fields[FIELDS_MAX];
	char id[24], parent[24] = "";
	struct span span = {.trace = all->trace, .id = id, .parent = parent, .fields = fields};

	snprintf(id, sizeof(id), "%zx", (size_t)(process - all->list) + 1);
	if (process->parent != PROCESS_NO_PARENT)
		snprintf(parent, sizeof(parent), "%zx", process->parent + 1);
	span.name = process->name;
	span.start_ns = (int64_t)process->start_ns + all->realtime_ns;
	span.end_ns = (int64_t)end_ns + all->realtime_ns;
	processes_field(&span, fields, "pid", NULL, process->pid);
	if (process->command && !all->redact)
		processes_field(&span, fields, "command", process->command, 0);
	if (process->known) {
		if (WIFSIGNALED(process->status))
			processes_field(&span, fields, "signal", NULL, WTERMSIG(process->status));
		else
			processes_field(&span, fields, "exit", NULL, WEXITSTATUS(process->status));
		processes_field(&span, fields, "user_s", NULL, process->user_s);
		processes_field(&span, fields, "system_s", NULL, process->system_s);
		processes_field(&span, fields, "run_queue_s", NULL, process->part_s[WAITS_QUEUE]);
		processes_field(&span, fields, "max_rss_bytes", NULL, process->rss_bytes);
		processes_fields_of_parts(process, &span, fields);
	} else if (process->gone) {
		processes_field(&span, fields, "user_s", NULL, process->user_s);
		processes_field(&span, fields, "system_s", NULL, process->system_s);
	} else {
		processes_field(&span, fields, "still_running", NULL, 1);
	}
	if (process->lock_s > 0)
		processes_field(&span, fields, "file_lock_s", NULL, process->lock_s);
	span_write(line, &span);
}
