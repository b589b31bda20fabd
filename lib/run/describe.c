/* SPDX-License-Identifier: GPL-2.0-only */
/* Which machine was it, when, and what did the run cost? */
#include "base/banned.h"

#include <errno.h>
#include <math.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <time.h>

#include "experiment/change.h"
#include "experiment/lease.h"
#include "check/check.h"
#include "run/describe.h"
#include "history/host_facts.h"
#include "base/clock.h"
#include "base/num.h"
#include "capture/capture.h"
#include "capture/environment.h"
#include "base/progress.h"
#include "report/report.h"
#include "sample/sweep.h"
#include "base/str.h"

#define UNDER_WAY_MAX 160

static char *describe_first_line(struct capture *fs, const char *path)
{
	struct bytes bytes;

	if (capture_read(fs, path, &bytes))
		return NULL;
	return mem_strndup(bytes.data, strcspn(bytes.data, "\n"));
}

static double describe_read_uptime(struct capture *fs)
{
	char *line = describe_first_line(fs, "/proc/uptime");
	double seconds = NAN;

	if (line && num_with_unit(line, &seconds) < 0)
		seconds = NAN;
	free(line);
	return seconds;
}

static char *environment_or(struct capture *fs, const char *key)
{
	char *value = capture_environment(fs, key);

	return value ? value : mem_strdup("unknown");
}

/* A replay says the same as the run that was recorded, so it has its id; or none, where that had
 * none. */
static void give_id(struct capture *fs, struct report *report)
{
	char *id = report->id, *recorded;
	unsigned char bytes[(sizeof(report->id) - 1) / 2];
	size_t i;

	if (capture_is_replay(fs)) {
		recorded = capture_environment(fs, "id");
		if (recorded && strlen(recorded) == 2 * sizeof(bytes) &&
			strspn(recorded, "0123456789abcdef") == 2 * sizeof(bytes))
			memcpy(id, recorded, 2 * sizeof(bytes));
		free(recorded);
		return;
	}
	if (getrandom(bytes, sizeof(bytes), GRND_NONBLOCK) != (ssize_t)sizeof(bytes))
		return;
	for (i = 0; i < sizeof(bytes); i++)
		snprintf(id + 2 * i, 3, "%02x", bytes[i]);
	capture_set_environment(fs, "id", id);
}

void describe_run(struct capture *fs, struct report *report)
{
	char *when = capture_environment(fs, "time");
	uint64_t n = 0;

	give_id(fs, report);
	if (when && !num_u64(when, 0, UINT32_MAX, &n))
		report->time_start = (time_t)n;
	free(when);
	report->replay = capture_is_replay(fs);
}

void describe_machine(struct capture *fs, struct report *report)
{
	report->host = environment_or(fs, "host");
	report->kernel = environment_or(fs, "kernel");
	report->boot_id = describe_first_line(fs, "/proc/sys/kernel/random/boot_id");
	report->uptime_seconds = describe_read_uptime(fs);
	host_facts_read(fs, report);
}

void describe_under_way(const struct capture *fs, struct report *report)
{
	char who[UNDER_WAY_MAX];

	if (capture_is_live(fs) && lease_active(who, sizeof(who), change_keeper()))
		report->under_way = mem_strdup(who);
}

static void add_error(struct report *report, char *text)
{
	report->errors =
		mem_realloc_array(report->errors, report->n_errors + 1, sizeof(*report->errors));
	report->errors[report->n_errors++] = text;
}

void describe_samples(struct report *report, const struct sweep *sweep, int sampler_error)
{
	size_t samples = sweep_samples(sweep);

	report->windows = samples ? (unsigned int)(samples - 1) : 0;
	report->window_seconds =
		report->windows ? sweep_seconds(sweep, 0, samples - 1) / report->windows : 0;
	report->interrupted = progress_interrupted();
	/* A recording that stops in the middle: less is judged than was recorded. */
	if (sampler_error == -EMFILE || sampler_error == -ENFILE || sampler_error == -ENOMEM)
		add_error(report,
			mem_printf("sample %zu could not be opened: %s; what comes before it is "
				   "judged",
				samples, strerror(-sampler_error)));
	else if (sampler_error && sampler_error != -ENODATA)
		add_error(report,
			mem_printf("recording truncated at sample %zu (timestamp missing or not "
				   "increasing); the samples before it are judged",
				samples));
}

void describe_errors(struct report *report, const struct checks *checks)
{
	const char *at = str_text(checks->errors);

	while (*at) {
		size_t len = strcspn(at, "\n");

		add_error(report, mem_strndup(at, len));
		at += len + (at[len] == '\n');
	}
	report->refused = checks->refused;
	report->n_refused = checks->n_refused;
}

static struct cost cost_so_far(void)
{
	struct cost cost = {0};
	struct rusage self, children;

	getrusage(RUSAGE_SELF, &self);
	getrusage(RUSAGE_CHILDREN, &children);
	cost.cpu_ns = timeval_ns(self.ru_utime) + timeval_ns(self.ru_stime) +
		timeval_ns(children.ru_utime) + timeval_ns(children.ru_stime);
	cost.rss_bytes = (uint64_t)(self.ru_maxrss > children.ru_maxrss ? self.ru_maxrss
									: children.ru_maxrss) *
		1024;
	return cost;
}

void describe_cost(struct report *report, uint64_t start_ns, uint64_t others_ns)
{
	struct cost *cost = &report->cost;
	size_t i;

	*cost = cost_so_far();
	cost->cpu_ns -= others_ns;
	for (i = 0; i < report->n_checks; i++) {
		const struct cost *check = &report->checks[i].cost;

		cost->bpf_ns += check->bpf_ns;
		cost->bpf_known |= check->bpf_known;
		if (check->trace_ns > cost->trace_ns)
			cost->trace_ns = check->trace_ns;
	}
	cost->wall_ns = monotonic_ns() - start_ns;
}
