/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How are all traces of a run started, watched over and read together?
 *
 * Everything is loaded first and attached then, one after another, and only when the last is
 * attached does the first count: so the windows of all traces lie in the same time, and nothing
 * that they do to the machine lies in it. To detach from a tracepoint the kernel waits until every
 * CPU has left it, tens of milliseconds in which it holds a lock that others want, so that a trace
 * whose time is over stays attached, and counts no more, until all are read.
 *
 * The programs' own run time is measured in the first twentieth of the longest window, a quarter of
 * a second at most: turning the kernel's statistics on needs CAP_SYS_ADMIN, which is given up
 * before the wait, and the statistics cost two clock reads a run themselves. The rest is taken to
 * be like that part.
 */
#include "base/banned.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "sys/caps.h"
#include "base/num.h"
#include "base/str.h"
#include "sys/read_write.h"
#include "trace/codec.h"
#include "trace/child.h"
#include "trace/job.h"
#include "trace/load.h"
#include "trace/attach.h"
#include "trace/read.h"
#include "trace/spec.h"

#define MEASURE_SHARE 20
#define MEASURE_MAX_NS 250000000u
#define CPUS_MAX 8192
/* How soon a trace that is over its budget is detached: until then its programs do nothing. */
#define BUDGET_LOOK_NS 200000000u
/* Longer than any run, and no overflow in sums of times. */
#define UNTIL_TOLD_NS (UINT64_MAX / 4)

struct tracing {
	struct trace_job *jobs;
	size_t n;
	bool until_told;
	int statistics; /* while it is open the kernel measures programs; negative: not */
	uint64_t started_ns;
};

/* One more than the greatest number of a CPU that may ever come online. */
static unsigned int possible_cpus(void)
{
	char text[256];
	int fd = open("/sys/devices/system/cpu/possible", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, text, sizeof(text)) : -1;
	const char *at = text;
	uint64_t cpu = 0;
	long configured = sysconf(_SC_NPROCESSORS_CONF);

	if (fd >= 0)
		close(fd);
	if (configured > 0)
		cpu = (uint64_t)configured - 1;
	/* A list of ranges, "0-3,8-11": the last number is the greatest. */
	while (n > 0 && !num_next(&at, text + n, &cpu) && at < text + n)
		at++;
	return cpu < CPUS_MAX ? (unsigned int)cpu + 1 : CPUS_MAX;
}

static bool may_read(const struct tracing *tracing)
{
	uint32_t key = 0;
	struct hist *row = mem_alloc(sizeof(*row));
	bool refused = false;
	size_t i;

	for (i = 0; i < tracing->n; i++)
		if (tracing->jobs[i].is_loaded &&
			bpf_map_lookup_elem(tracing->jobs[i].loaded.hists, &key, row) &&
			errno == EPERM)
			refused = true;
	free(row);
	return !refused;
}

/* Everything goes for good, but for CAP_BPF where even reading an open map needs it (before 5.19).
 * It is kept out of use then until the end. Returns 0 or -errno. */
static int give_up_rights(const struct tracing *tracing)
{
	int err = caps_lower(CAPS_ALL);

	return err ? err : caps_start(may_read(tracing) ? 0 : CAPS_BPF);
}

static uint64_t seconds_ns(double seconds)
{
	return seconds > 0 && seconds < 1e6 ? (uint64_t)(seconds * 1e9) : 0;
}

static uint64_t longest_ns(const struct tracing *tracing)
{
	uint64_t longest = 0;
	size_t i;

	for (i = 0; i < tracing->n; i++) {
		uint64_t ns = tracing->jobs[i].asked_ns;

		if (tracing->jobs[i].is_loaded && ns > longest)
			longest = ns;
	}
	return longest;
}

/* Whether somebody said to stop, or the parent has died: SIGTERM is blocked. */
static bool told_to_stop(void)
{
	sigset_t pending;

	return !sigpending(&pending) && sigismember(&pending, SIGTERM) == 1;
}

/* Loads and attaches: what takes the machine's time and locks. What there is no time for any more
 * has no result. */
static void tracing_prepare(struct tracing *tracing)
{
	struct trace_machine machine = {
		.cpus = possible_cpus(),
		.tracefs = -EAGAIN,
	};
	size_t i;

	for (i = 0; i < tracing->n; i++) {
		if (told_to_stop())
			str_add(&tracing->jobs[i].missing, "not traced: interrupted");
		else
			trace_job_load(&tracing->jobs[i], &machine);
	}
	if (machine.tracefs >= 0)
		close(machine.tracefs);
	for (i = 0; i < tracing->n && !told_to_stop(); i++)
		trace_job_attach(&tracing->jobs[i]);
	tracing->statistics = bpf_enable_stats(BPF_STATS_RUN_TIME);
}

static void tracing_begin(struct tracing *tracing)
{
	size_t i;

	caps_raise(CAPS_BPF);
	tracing->started_ns = monotonic_ns();
	for (i = 0; i < tracing->n; i++)
		trace_job_begin(&tracing->jobs[i]);
	caps_lower(CAPS_BPF);
}

static void end_measuring(struct tracing *tracing)
{
	size_t i;

	if (tracing->statistics < 0)
		return;
	caps_raise(CAPS_BPF);
	for (i = 0; i < tracing->n; i++)
		trace_job_measure(&tracing->jobs[i]);
	caps_lower(CAPS_BPF);
	close(tracing->statistics);
	tracing->statistics = -1;
}

/* Sleeps until a time. Returns whether to stop early: somebody said so, or the parent has died. */
static bool sleep_until(uint64_t when_ns)
{
	sigset_t set;
	uint64_t now = monotonic_ns();

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	for (;; now = monotonic_ns()) {
		uint64_t left = when_ns > now ? when_ns - now : 0;
		struct timespec wait = {(time_t)(left / 1000000000u), (long)(left % 1000000000u)};

		if (sigtimedwait(&set, NULL, &wait) == SIGTERM)
			return true;
		if (!left)
			return false;
	}
}

/* Whether a trace is to end now, and else when it is to be looked at next. */
static bool end_is_due(const struct trace_job *job, uint64_t *when)
{
	uint64_t now = monotonic_ns(), end = job->began_ns + job->asked_ns;

	if (end <= now || (job->spec->budget > 0 && trace_job_is_spent(job)))
		return true;
	*when = job->spec->budget > 0 && end > now + BUDGET_LOOK_NS ? now + BUDGET_LOOK_NS : end;
	return false;
}

/* Ends every trace whose time has come. Returns when the next one may have to end, 0 for none. */
static uint64_t end_due(struct tracing *tracing, bool all)
{
	uint64_t next = 0, when = 0;
	size_t i;

	caps_raise(CAPS_BPF);
	for (i = 0; i < tracing->n; i++) {
		struct trace_job *job = &tracing->jobs[i];

		if (!job->is_loaded || job->over)
			continue;
		if (all || end_is_due(job, &when))
			trace_job_end(job);
		else if (!next || when < next)
			next = when;
	}
	caps_lower(CAPS_BPF);
	return next;
}

/* What looks until it is told was to look as long as that took. */
static void note_told(struct tracing *tracing)
{
	uint64_t now = monotonic_ns();
	size_t i;

	for (i = 0; tracing->until_told && i < tracing->n; i++)
		tracing->jobs[i].asked_ns = now - tracing->jobs[i].began_ns;
}

/* Whether it was told to stop, or its parent has died. */
static bool tracing_sleep(struct tracing *tracing, uint64_t until_ns)
{
	bool told = sleep_until(until_ns);

	if (told)
		note_told(tracing);
	return told;
}

static void wait_and_end(struct tracing *tracing)
{
	uint64_t slice = longest_ns(tracing) / MEASURE_SHARE, next;
	bool stop = false;

	if (slice > MEASURE_MAX_NS)
		slice = MEASURE_MAX_NS;
	slice += tracing->started_ns;
	for (next = end_due(tracing, false); next; next = end_due(tracing, stop)) {
		bool measuring = tracing->statistics >= 0 && slice < next;

		stop = tracing_sleep(tracing, measuring ? slice : next);
		if (stop || measuring || monotonic_ns() >= slice)
			end_measuring(tracing);
	}
	end_measuring(tracing);
	/* That all took themselves away is no reason to answer before somebody listens. */
	if (tracing->until_told && !stop)
		tracing_sleep(tracing, UNTIL_TOLD_NS);
}

/* Whatever runs is attached by now, and nobody needs to wait for it any longer. */
static void say_ready(const struct tracing *tracing, int fd)
{
	const char ready = TRACE_CHILD_READY;

	if (tracing->until_told)
		write_all(fd, &ready, 1);
}

/* What all have counted, once all are over. Returns 0 or 1. */
static int tracing_answer(struct tracing *tracing, int fd)
{
	struct str answer = STR_INIT;
	size_t i;
	int status;

	str_add(&answer, TRACE_BLOB_FIRST_LINE);
	for (i = 0; i < tracing->n; i++)
		trace_job_write(&tracing->jobs[i], &answer);
	status = write_all(fd, answer.text, answer.len) != 0;
	str_free(&answer);
	return status;
}

int trace_child_run(void *arg, int fd)
{
	const struct trace_child *child = arg;
	struct tracing tracing = {.n = child->n, .until_told = child->until_told, .statistics = -1};
	sigset_t term;
	size_t i;
	int status;

	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	sigprocmask(SIG_BLOCK, &term, NULL);
	caps_raise(CAPS_BPF | CAPS_READ | CAPS_NAMESPACE);
	tracing.jobs = mem_zalloc(child->n * sizeof(*tracing.jobs));
	for (i = 0; i < child->n; i++) {
		tracing.jobs[i].spec = child->specs[i];
		tracing.jobs[i].asked_ns = child->until_told
			? UNTIL_TOLD_NS
			: seconds_ns(child->specs[i]->run_seconds);
	}
	tracing_prepare(&tracing);
	/* Who could not give them up does not read what others wrote. */
	if (give_up_rights(&tracing))
		_exit(1);
	tracing_begin(&tracing);
	say_ready(&tracing, fd);
	wait_and_end(&tracing);
	caps_raise(CAPS_BPF);
	status = tracing_answer(&tracing, fd);
	/* Nobody waits for what is detached now, which takes the kernel a while. */
	close(fd);
	for (i = 0; i < tracing.n; i++)
		trace_job_unload(&tracing.jobs[i]);
	free(tracing.jobs);
	return status;
}

char *trace_child_why_failed(int err, int status)
{
	if (err == -EPIPE && WIFSIGNALED(status))
		return mem_printf("the tracing process was killed by signal %d", WTERMSIG(status));
	if (err == -ETIMEDOUT)
		return mem_strdup("the tracing process did not end in time");
	if (err)
		return mem_printf("the tracing process failed: %s", strerror(-err));
	return mem_strdup("the tracing process did not answer");
}
