/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All sentinels and nothing else, to see what they cost: "sentinels SECONDS CHECKFILE…" attaches
 * every trace of these files that is always on, as a run does, prints "ready" once they are and
 * the kernel's statistics are off again, and takes them away after that time, or at SIGINT. A
 * workload at full speed is beyond any budget, so they have none here.
 */
#include "base/banned.h"

#include <signal.h>
#include <unistd.h>

#include "base/num.h"
#include "base/str.h"
#include "capture/capture.h"
#include "check/check.h"
#include "check/layers.h"
#include "trace/result.h"
#include "trace/sentinel.h"
#include "trace/spec.h"

/* The child measures itself for the first 250 ms. */
#define MEASURED_US 400000
#define NO_BUDGET 1e9

static volatile sig_atomic_t interrupted;

static void interrupt(int signal)
{
	(void)signal;
	interrupted = 1;
}

struct sentinel_list {
	struct trace_spec **specs;
	size_t n, room;
};

static void list_add(struct sentinel_list *list, const struct check *check)
{
	size_t i;

	for (i = 0; i < check->n_traces; i++) {
		if (!check->traces[i]->always)
			continue;
		ARRAY_GROW(list->specs, list->n, list->room);
		list->specs[list->n++] = check->traces[i];
		check->traces[i]->budget = NO_BUDGET;
	}
}

static int say_each(const struct traces *traces, const struct sentinel_list *list)
{
	int status = 0;
	size_t i;

	for (i = 0; i < list->n; i++) {
		const struct trace_result *result =
			traces_find(traces, list->specs[i]->check, list->specs[i]->name);
		const char *missing = trace_missing(result), *away = trace_away_text(result);

		if (missing || away)
			status = 1;
		printf("%s/%s: %s\n", list->specs[i]->check, list->specs[i]->name,
			missing	       ? missing
				: away ? away
				       : "was on");
	}
	return status;
}

static int watch(const struct sentinel_list *list, unsigned int seconds)
{
	struct sentinels *sentinels;
	struct traces *traces;
	struct capture *fs;
	uint64_t now_ns;
	int status;

	if (capture_open(&fs, "/", NULL) || capture_next_sample(fs, &now_ns))
		return 1;
	sentinels =
		sentinels_begin(fs, (const struct trace_spec *const *)list->specs, list->n, NULL);
	usleep(MEASURED_US);
	puts("ready");
	fflush(stdout);
	for (; seconds && !interrupted; seconds--)
		sleep(1);
	traces = sentinels_end(sentinels);
	status = say_each(traces, list);
	traces_free(traces);
	capture_close(fs);
	return status;
}

int main(int argc, char **argv)
{
	struct sigaction action = {.sa_handler = interrupt};
	struct check **checks = mem_zalloc((size_t)argc * sizeof(struct check *));
	struct sentinel_list list = {0};
	struct str errors = STR_INIT;
	uint64_t seconds;
	int i, status = 64;

	for (i = 2; i < argc; i++) {
		checks[i] = check_read_file(argv[i], &errors);
		if (checks[i])
			list_add(&list, checks[i]);
	}
	if (argc > 2 && list.n && !num_u64(argv[1], 1, 600, &seconds)) {
		sigaction(SIGINT, &action, NULL);
		status = watch(&list, (unsigned int)seconds);
	} else {
		fprintf(stderr, "usage: sentinels SECONDS (1 to 600) CHECKFILE…\n%s",
			str_text(&errors));
	}
	for (i = 2; i < argc; i++)
		check_free(checks[i]);
	free(checks);
	free(list.specs);
	str_free(&errors);
	return status;
}
