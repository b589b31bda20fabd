/* SPDX-License-Identifier: GPL-2.0-only */
/* How does a run get its traces: from the kernel, or from a recording? */
#include "base/banned.h"

#include <errno.h>
#include <math.h>

#include "base/clock.h"
#include "sys/caps.h"
#include "sys/child.h"
#include "sys/raised_limit.h"
#include "capture/capture.h"
#include "base/str.h"
#include "trace/codec.h"
#include "trace/child.h"
#include "trace/job.h"
#include "trace/result_data.h"
#include "trace/load.h"
#include "trace/attach.h"
#include "trace/spec.h"
#include "trace/trace.h"

#define BLOB "trace"
/* What loading, attaching and reading may take beyond the traces' own time: an emulated machine
 * that has little of its host loads all of them in 10 s. */
#define GRACE_MS 30000

void traces_allow_memory(void)
{
	raised_limit_set(RLIMIT_MEMLOCK, RLIM_INFINITY, true);
}

struct watching {
	struct trace_watch watch;
	uint64_t started_ns;
	double seconds;
};

static bool traces_tick(void *arg)
{
	struct watching *watching = arg;
	double share;

	if (!watching->watch.progress)
		return true;
	share = (double)(monotonic_ns() - watching->started_ns) / 1e9 / watching->seconds;
	return watching->watch.progress(watching->watch.arg, share < 1 ? share : 1);
}

static double longest(const struct trace_spec *const *specs, size_t n)
{
	double seconds = 1e-3;
	size_t i;

	for (i = 0; i < n; i++)
		if (specs[i]->run_seconds > seconds && specs[i]->run_seconds < 1e6)
			seconds = specs[i]->run_seconds;
	return seconds;
}

/* The answer of the child, which is recorded in the sample that the traces belong to: before
 * somebody takes another. */
struct answering {
	struct traces *traces;
	const struct trace_watch *watch;
	struct str answer;
};

static void traces_take_answer(void *arg)
{
	struct answering *answering = arg;
	const struct str *answer = &answering->answer;
	const struct trace_watch *watch = answering->watch;

	if (!trace_blob_parse(answering->traces, str_text(answer), answer->len))
		capture_put_blob(answering->traces->fs, BLOB, str_text(answer), answer->len);
	if (watch->over)
		watch->over(watch->arg);
}

static void run_live(struct traces *traces, struct trace_child *work, struct watching *watching)
{
	struct answering answering = {traces, &watching->watch, STR_INIT};
	struct child child;
	int status = 0, err = child_start(&child, trace_child_run, work);
	char *why;

	if (!err) {
		child.answered = traces_take_answer;
		child.answered_arg = &answering;
		err = child_collect(&child, (int)(watching->seconds * 1000) + GRACE_MS, traces_tick,
			watching, &answering.answer, &status);
	}
	why = trace_child_why_failed(err, status);
	traces_finish(traces, why);
	free(why);
	str_free(&answering.answer);
}

static void run_replay(struct traces *traces)
{
	struct bytes blob;

	if (capture_get_blob(traces->fs, BLOB, &blob)) {
		traces_finish(traces, "the recording has no traces");
		return;
	}
	trace_blob_parse(traces, blob.data, blob.len);
	traces_finish(traces, "the recording does not have this trace");
}

struct traces *traces_run(struct capture *fs, const struct trace_spec *const *specs, size_t n,
	const struct trace_watch *watch)
{
	struct traces *traces = traces_new(fs, specs, n);
	struct trace_child work = {.specs = specs, .n = n};
	struct watching watching = {
		.started_ns = monotonic_ns(),
		.seconds = longest(specs, n),
	};

	if (watch)
		watching.watch = *watch;
	if (capture_is_replay(fs))
		run_replay(traces);
	else if (!capture_is_live(fs))
		traces_finish(traces, "only the machine itself can be traced");
	else
		run_live(traces, &work, &watching);
	return traces;
}

bool traces_possible(struct capture *fs, struct str *why)
{
	struct bytes blob;

	if (capture_is_replay(fs)) {
		if (!capture_get_blob(fs, BLOB, &blob))
			return true;
		str_add(why, "the recording has no traces");
	} else if (!capture_is_live(fs)) {
		str_add(why, "only the machine itself can be traced");
	} else if (trace_without("bpf") || !caps_have(CAPS_BPF)) {
		str_add(why, "needs CAP_BPF and CAP_PERFMON: run as root");
	} else {
		return true;
	}
	return false;
}
