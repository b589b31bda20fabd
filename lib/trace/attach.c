/* SPDX-License-Identifier: GPL-2.0-only */
/* How is a loaded trace attached, told when to count, and detached, and what does it cost? */
#include "base/banned.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "trace/job.h"
#include "trace/attach.h"
#include "trace/since.h"
#include "trace/spec.h"

uint64_t trace_cpu_ns(void)
{
	struct rusage usage = {0};

	getrusage(RUSAGE_SELF, &usage);
	return timeval_ns(usage.ru_utime) + timeval_ns(usage.ru_stime);
}

/* The program sees the tracepoint on every CPU: the event itself, which counts on the first one
 * only, is but a handle. */
static int attach_tracepoint(uint64_t id, int program)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.config = id,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC), err;

	if (fd < 0)
		return -errno;
	if (!ioctl(fd, PERF_EVENT_IOC_SET_BPF, program) && !ioctl(fd, PERF_EVENT_IOC_ENABLE, 0))
		return fd;
	err = -errno;
	close(fd);
	return err;
}

static int program_info(int program, struct bpf_prog_info *info)
{
	__u32 size = sizeof(*info);

	memset(info, 0, sizeof(*info));
	return bpf_obj_get_info_by_fd(program, info, &size);
}

/* Attaches one program. Returns its link, 0 where the trace has no use for it, or -errno. */
static int attach_program(const struct trace_job *job, const struct tracer_program *tracer)
{
	struct bpf_prog_info info;
	int program = tracer->fd, err;

	if (job->special)
		return bpf_raw_tracepoint_open(tracer->tracepoint, program);
	err = program_info(program, &info);
	if (err)
		return err;
	if (job->spec->event)
		return !strcmp(info.name, "event") ? attach_tracepoint(job->first.id, program) : 0;
	if (!strcmp(info.name, "begin"))
		return attach_tracepoint(job->first.id, program);
	return !strcmp(info.name, "end") ? attach_tracepoint(job->second.id, program) : 0;
}

/* When a program runs, by its name: *_seed and *_rest are iterators. */
enum program_time {
	PROGRAM_AT_EVENTS,
	PROGRAM_BEFORE, /* the first event: what is there already */
	PROGRAM_BEHIND	/* the last one: what has not ended */
};

static enum program_time time_of_program(const struct trace_job *job, int program)
{
	struct bpf_prog_info info;

	if (!job->special || program_info(program, &info))
		return PROGRAM_AT_EVENTS;
	if (strstr(info.name, "_rest"))
		return PROGRAM_BEHIND;
	return strstr(info.name, "_seed") ? PROGRAM_BEFORE : PROGRAM_AT_EVENTS;
}

/* Runs an iterator through to its end; what it writes is nothing. Returns 0 or -errno. */
static int run_iterator(int program)
{
	int link = bpf_link_create(program, 0, BPF_TRACE_ITER, NULL), fd, err = 0;
	char byte;

	if (link < 0)
		return link;
	fd = bpf_iter_create(link);
	if (fd < 0)
		err = fd;
	while (!err && read(fd, &byte, 1) < 0)
		if (errno != EAGAIN && errno != EINTR)
			err = -errno;
	if (fd >= 0)
		close(fd);
	close(link);
	return err;
}

/* First what sees events, then what looks for what was there before: nothing falls between. */
static int attach_programs(struct trace_job *job, enum program_time when)
{
	size_t i;

	for (i = 0; i < job->loaded.n_programs; i++) {
		const struct tracer_program *program = &job->loaded.programs[i];
		int link;

		if (time_of_program(job, program->fd) != when)
			continue;
		link = when == PROGRAM_AT_EVENTS ? attach_program(job, program)
						 : run_iterator(program->fd);
		if (link < 0)
			return link;
		if (link > 0)
			job->links[job->n_links++] = link;
	}
	return 0;
}

void trace_job_attach(struct trace_job *job)
{
	uint64_t before = trace_cpu_ns();
	int err = 0;

	if (job->is_loaded)
		err = attach_programs(job, PROGRAM_AT_EVENTS);
	if (job->is_loaded && !err)
		err = attach_programs(job, PROGRAM_BEFORE);
	if (err) {
		/* A raw tracepoint is looked for only now. */
		if (err != -ENOENT || !trace_explain_since(&job->missing, job->loaded.info.since))
			str_addf(&job->missing, "it cannot be attached: %s", strerror(-err));
		trace_job_detach(job);
		job->loaded.unload(job->loaded.skeleton);
		job->is_loaded = false;
	}
	job->start_cpu_ns += trace_cpu_ns() - before;
}

static uint64_t job_misses(const struct trace_job *job)
{
	struct bpf_prog_info info;
	uint64_t misses = 0;
	size_t i;

	for (i = 0; i < job->loaded.n_programs; i++)
		if (!program_info(job->loaded.programs[i].fd, &info))
			misses += info.recursion_misses;
	return misses;
}

void trace_job_begin(struct trace_job *job)
{
	if (!job->is_loaded)
		return;
	job->misses = job_misses(job);
	job->began_ns = monotonic_ns();
	*job->loaded.phase = TRACE_COUNTS;
}

void trace_job_measure(struct trace_job *job)
{
	struct bpf_prog_info info;
	size_t i;

	job->run_ns = job->run_count = 0;
	job->measured = job->is_loaded;
	job->measured_ns = monotonic_ns() - job->began_ns;
	for (i = 0; job->is_loaded && i < job->loaded.n_programs; i++) {
		if (program_info(job->loaded.programs[i].fd, &info)) {
			job->measured = false;
			return;
		}
		job->run_ns += info.run_time_ns;
		job->run_count += info.run_cnt;
	}
}

bool trace_job_is_spent(const struct trace_job *job)
{
	return job->loaded.budget->over_ns > job->began_ns;
}

void trace_job_detach(struct trace_job *job)
{
	size_t i;

	for (i = 0; i < job->n_links; i++)
		close(job->links[i]);
	job->n_links = 0;
}

/* What has begun and not ended, which no event has told of. Without it the trace has seen less than
 * it could have, as one that stands in for another. */
static void count_rest(struct trace_job *job)
{
	int err;

	*job->loaded.phase = TRACE_ENDS;
	job->ended_ns = monotonic_ns();
	err = attach_programs(job, PROGRAM_BEHIND);
	if (!err)
		return;
	str_addf(&job->method, ", without what had not ended: %s", strerror(-err));
	job->fallback = true;
}

void trace_job_end(struct trace_job *job)
{
	if (!job->is_loaded || job->over)
		return;
	count_rest(job);
	*job->loaded.phase = TRACE_IS_OVER;
	job->over = true;
	job->misses = job_misses(job) - job->misses;
	if (!trace_job_is_spent(job))
		return;
	job->ended_ns = job->loaded.budget->over_ns;
	job->away_ns = job->ended_ns - job->began_ns;
	trace_job_detach(job);
}
