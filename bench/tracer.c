/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One tracer of ours without the rest, to compare with the tracers of others: "tracer NAME SECONDS"
 * runs bpf/NAME.bpf.c for as long, or until SIGINT, prints "ready" once it is attached, and at the
 * end how many events it counted, so that a comparison can demand that it did see them.
 */
#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "num.h"
#include "procfs.h"
#include "sample.h"
#include "str.h"
#include "trace.h"

static volatile sig_atomic_t interrupted;

static void interrupt(int signal)
{
	(void)signal;
	interrupted = 1;
}

/* The first call may come while the tracer is still being loaded. */
static bool progress(void *arg, double share)
{
	bool *told = arg;

	if (share > 0 && !*told) {
		puts("ready");
		fflush(stdout);
		*told = true;
	}
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

static int run(char *name, double seconds)
{
	struct trace_spec spec = {.check = (char[]){"bench"},
		.name = (char[]){"bench"},
		.tracer = name,
		.value_unit = 1e-9,
		.run_seconds = seconds};
	const struct trace_spec *specs[] = {&spec};
	const struct trace_result *result;
	struct traces *traces;
	struct procfs *fs;
	bool told = false;
	uint64_t now_ns;
	int error, status = 0;

	error = procfs_open(&fs, "/", NULL);
	if (error) {
		fprintf(stderr, "tracer: %s\n", strerror(-error));
		return 1;
	}
	procfs_next_sample(fs, &now_ns);
	traces = traces_run(fs, specs, 1, progress, &told);
	result = traces_find(traces, spec.check, spec.name);
	if (!result || trace_missing(result)) {
		fprintf(stderr, "tracer: %s: %s\n", name,
			result ? trace_missing(result) : "no result");
		status = 1;
	} else {
		printf("events %.0f\n", events(result));
	}
	traces_free(traces);
	procfs_close(fs);
	return status;
}

int main(int argc, char **argv)
{
	struct sigaction action = {.sa_handler = interrupt};
	uint64_t seconds;

	if (argc != 3 || num_u64(argv[2], 1, 600, &seconds)) {
		fprintf(stderr, "usage: tracer NAME SECONDS (1 to 600)\n");
		return 64;
	}
	sigaction(SIGINT, &action, NULL);
	return run(argv[1], (double)seconds);
}
