/* SPDX-License-Identifier: GPL-2.0-only */
/* Does any text of a watch, or of the files that it reads, break what reads it? */
#include "base/banned.h"

#include <stdint.h>

#include "base/str.h"
#include "naps/blame.h"
#include "naps/cpu_group.h"
#include "naps/log.h"
#include "naps/proc_file.h"
#include "naps/service.h"
#include "naps/suspects.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void take_listener(void *arg, uint64_t inode, uint64_t queue)
{
	uint64_t *sum = arg;

	*sum += inode + queue;
}

static void read_log(const char *text, size_t size)
{
	struct nap_log log = {0};
	struct nap_blame blame;
	size_t i;

	nap_log_take(&log, text, size);
	for (i = 0; i < log.n_events && i < 16; i++) {
		nap_blame_find(
			&blame, log.events, log.n_events, log.events[i].pid, nap_log_ran, &log);
		if (!blame.naps || blame.n > NAP_BLAMED_MAX || (blame.named && !blame.n) ||
			strlen(log.events[i].comm) >= PROC_COMM)
			abort();
	}
	nap_log_free(&log);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = mem_strndup((const char *)data, size), path[64];
	struct proc_stat stat;
	uint64_t sum = 0;
	pid_t number;

	read_log((const char *)data, size);
	nap_listeners_parse(text, take_listener, &sum);
	nap_drops_parse(text, &sum);
	cpu_group_parse_stat(text);
	cpu_group_parse_path(text, "cpu", path, sizeof(path));
	cpu_group_parse_path(text, NULL, path, sizeof(path));
	if (!proc_stat_parse(text, &stat) && strlen(stat.comm) >= PROC_COMM)
		abort();
	nap_file_that_locks(text, &number);
	nap_status_has_number(text, 3);
	free(text);
	return 0;
}
