/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Do events of processes, in any order and with any command line, become a file that is read
 * without a bad line, and does the kernel's list of locks, whatever stands in it, charge only those
 * who wait? A byte says what comes, then its event or line, and whether what is known is written.
 */
#include "base/banned.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/str.h"
#include "bpf/probe/process.h"
#include "spans/read.h"
#include "spans/spans.h"
#include "tools/span/processes_file.h"
#include "tools/span/while.h"
#include "tools/span/while_locks.h"
#include "tools/span/while_text.h"

#define EVENTS_MOST 256

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* An event whose beginning is from the input; pids are few, so that they meet. */
static size_t take_event(struct span_while *run, const uint8_t *data, size_t size)
{
	union {
		struct process_event event;
		struct process_fork fork;
		struct process_exec exec;
		struct process_exit exit;
	} any = {0};
	const size_t len = size < sizeof(any) ? size : sizeof(any);

	memcpy(&any, data, len);
	any.event.kind %= 5;
	any.event.pid %= 8;
	any.event.at_ns = run->processes.list->start_ns + any.event.at_ns % 1000000;
	if (any.event.kind == PROCESS_FORK)
		any.fork.parent %= 8;
	processes_take(&run->processes, &any, data[0] & 64 ? len : sizeof(any));
	return len < 48 ? len : 48;
}

static size_t take_locks(struct span_while *run, const uint8_t *data, size_t size)
{
	char *text = mem_strndup((const char *)data, size);

	while_locks_parse(run, text, 0.001);
	free(text);
	return size;
}

static void read_back(struct span_while *run)
{
	struct span_table table = {0};
	const size_t n = run->processes.n;

	if (processes_end(&run->processes) || lseek(run->processes.fd, 0, SEEK_SET))
		abort();
	if (spans_read(&table, "kept", dup(run->processes.fd), NULL, NULL) || table.bad ||
		table.n != n)
		abort();
	span_table_free(&table);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct span_while run = {0};
	struct str said = STR_INIT;
	size_t done = 0, events = 0;
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	if (fd < 0)
		return 0;
	span_limits_default(&run.limits);
	processes_begin(&run.processes, fd, 1, size && (*data & 1));
	while (done + 1 < size && events++ < EVENTS_MOST) {
		const uint8_t what = data[done++];

		done += what & 128 ? take_locks(&run, data + done, size - done)
				   : take_event(&run, data + done, size - done);
		/* Up to two seconds later, so that some have drafts in the file. */
		if (what & 64)
			processes_flush(&run.processes,
				run.processes.list->start_ns + (what & 63) * 32000000);
	}
	read_back(&run);
	span_while_text(&said, &run, NULL);
	str_free(&said);
	span_while_free(&run);
	close(fd);
	return 0;
}
