/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One trace of ours without the rest, to compare with the tracers of others: "tracer CHECKFILE
 * TRACE SECONDS" runs it (or NAME.FIELD of one that measures several things) as the check file
 * declares it, but for as long as said here, or until SIGINT, prints "ready" once it is attached
 * and has measured its own cost, and at the end how many events it counted, so that a comparison
 * can demand that it did see them.
 */
#include "base/banned.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "check/check.h"
#include "sample/sweep.h"
#include "base/num.h"
#include "capture/capture.h"
#include "base/str.h"
#include "trace/trace.h"
#include "check/layers.h"
#include "sample/instances.h"
#include "trace/spec.h"
#include "trace/result.h"

static volatile sig_atomic_t interrupted;

static void interrupt(int signal)
{
	(void)signal;
	interrupted = 1;
}

struct told {
	double seconds;
	bool ready;
};

static void say_ready(struct told *told)
{
	if (told->ready)
		return;
	puts("ready");
	fflush(stdout);
	told->ready = true;
}

/* The first call may come while the tracer is still being loaded. In the first twentieth, 250 ms at
 * most, the kernel's statistics measure the tracer, which costs two clock reads for each event. */
static bool progress(void *arg, double share)
{
	struct told *told = arg;

	if (share > 0.05 || share * told->seconds > 0.25)
		say_ready(told);
	return !interrupted;
}

static double events(const struct trace_result *result)
{
	const struct instances *instances = trace_instances(result);
	size_t i, n = instances ? instances_count(instances) : 1;
	double sum = 0;

	for (i = 0; i < n; i++)
		sum += trace_count(result, i);
	return sum;
}

/* By the kernel's statistics of BPF, which themselves take part of that. */
static void print_cost(const struct trace_result *result)
{
	const struct trace_cost cost = trace_cost(result);

	if (cost.known && cost.run_count)
		printf("programs %llu ns_each %.0f\n", (unsigned long long)cost.run_count,
			(double)cost.run_ns / (double)cost.run_count);
}

static int run(struct trace_spec *spec, const char *name)
{
	const struct trace_spec *specs[] = {spec};
	const struct trace_result *result;
	struct told told = {.seconds = spec->run_seconds};
	const struct trace_watch watch = {.progress = progress, .arg = &told};
	struct traces *traces;
	struct capture *fs;
	uint64_t now_ns;
	int error, status = 0;

	error = capture_open(&fs, "/", NULL);
	if (error) {
		fprintf(stderr, "tracer: %s\n", strerror(-error));
		return 1;
	}
	capture_next_sample(fs, &now_ns);
	traces = traces_run(fs, specs, 1, &watch);
	result = traces_find(traces, spec->check, name);
	if (!result || trace_missing(result)) {
		fprintf(stderr, "tracer: %s: %s\n", name,
			result ? trace_missing(result) : "no result");
		status = 1;
	} else {
		printf("events %.0f\n", events(result));
		print_cost(traces_find(traces, spec->check, spec->name));
	}
	traces_free(traces);
	capture_close(fs);
	return status;
}

static struct trace_spec *find_trace(const struct check *check, const char *name)
{
	size_t len = strcspn(name, "."), i;

	for (i = 0; check && i < check->n_traces; i++)
		if (!strncmp(check->traces[i]->name, name, len) && !check->traces[i]->name[len])
			return check->traces[i];
	return NULL;
}

int main(int argc, char **argv)
{
	struct sigaction action = {.sa_handler = interrupt};
	struct str errors = STR_INIT;
	struct check *check = NULL;
	struct trace_spec *spec = NULL;
	uint64_t seconds;
	int status = 64;

	if (argc == 4 && !num_u64(argv[3], 1, 600, &seconds)) {
		check = check_read_file(argv[1], &errors);
		spec = find_trace(check, argv[2]);
	}
	if (spec) {
		sigaction(SIGINT, &action, NULL);
		spec->run_seconds = (double)seconds;
		status = run(spec, argv[2]);
	} else {
		fprintf(stderr, "usage: tracer CHECKFILE TRACE SECONDS (1 to 600)\n%s",
			str_text(&errors));
	}
	check_free(check);
	str_free(&errors);
	return status;
}
