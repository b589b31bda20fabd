/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes the spans of a build whose compiler runs elsewhere: each compile finds its headers, sends
 * what changed, waits for a worker, which fetches, compiles and sends back. Known parts of it can
 * be made slow, and the same arguments always give the same file.
 *
 *	spans [jobs=N] [parallel=N] [headers=N] [upload=FACTOR] [cold=PERCENT] [straggler=FACTOR]
 *	      [serial=MS] [seed=N]
 */
#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define START_NS INT64_C(1763900000000000000)
#define MS 1000000.0
#define LANES 8 /* headers that a worker fetches at a time */

static double jobs = 300, parallel = 40, headers = 40, upload = 1, cold = 3, straggler = 1, serial,
	      seed = 1;
static uint64_t state, last_id;

static double uniform(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (double)(state >> 11) / 9007199254740992.0;
}

/* Around a middle, with a long tail. */
static double takes(double middle_ms, double spread)
{
	const double angle = 6.283185307179586 * uniform();
	const double normal = sqrt(-2 * log(uniform() + 1e-12)) * cos(angle);

	return middle_ms * MS * exp(spread * normal);
}

static uint64_t new_id(void)
{
	return last_id += 0x9e3779b97f4a7c15u;
}

static void put_time(int64_t ns)
{
	time_t seconds = (time_t)((START_NS + ns) / 1000000000);
	struct tm tm;

	gmtime_r(&seconds, &tm);
	printf("\"start\":\"%04d-%02d-%02dT%02d:%02d:%02d.%09dZ\"", tm.tm_year + 1900,
		tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec,
		(int)((START_NS + ns) % 1000000000));
}

static void put(uint64_t trace, uint64_t id, uint64_t parent, const char *name, double from,
	double to, const char *fields)
{
	printf("{\"trace_id\":\"%016" PRIx64 "\",\"span_id\":\"%016" PRIx64 "\",", trace, id);
	if (parent)
		printf("\"parent_id\":\"%016" PRIx64 "\",", parent);
	printf("\"name\":\"%s\",", name);
	put_time((int64_t)from);
	printf(",\"duration\":%" PRId64 ",\"fields\":{%s}}\n", (int64_t)to - (int64_t)from, fields);
}

/* Files sent or fetched side by side. Returns when the last one has ended. */
static double transfer(
	uint64_t trace, uint64_t parent, const char *name, double from, int n, double each_ms)
{
	double lane[LANES], end = from;
	int i;

	for (i = 0; i < LANES; i++)
		lane[i] = from;
	for (i = 0; i < n; i++) {
		char fields[200];
		const double start = lane[i % LANES], to = start + takes(each_ms, 0.5);

		snprintf(fields, sizeof(fields),
			"\"global\":{\"build_id\":\"b1\"},\"path\":\"/usr/include/linux/"
			"header-%d.h\","
			"\"object\":\"%016" PRIx64 "\",\"bytes\":%d",
			(int)(uniform() * 4000), (uint64_t)(uniform() * 1e18),
			(int)(uniform() * 9e4));
		put(trace, new_id(), parent, name, start, to, fields);
		lane[i % LANES] = to;
		if (to > end)
			end = to;
	}
	return end;
}

/* One compile. Returns when it has ended. */
static double compile(int job, double from)
{
	const uint64_t trace = new_id() * 31 + 7, root = new_id(), invoke = new_id(),
		       execute = new_id(), fetch = new_id(), store = new_id();
	const int is_cold = uniform() * 100 < cold;
	char fields[200];
	double at = from, from_invoke, from_execute, step;

	step = at + takes(12, 0.3);
	put(trace, new_id(), root, "detect_dependencies", at, step, "");
	at = step;
	step = transfer(trace, store, "s3.store", at, 2, 60 * upload);
	put(trace, store, root, "upload", at, step, "\"bytes\":40000");
	from_invoke = at = step;
	from_execute = at += takes(is_cold ? 4000 : 8, 0.3);
	at = transfer(trace, fetch, "s3.get_one", from_execute, (int)headers, 5.0 * 40 / headers);
	put(trace, fetch, execute, "download", from_execute, at, "");
	step = at + takes(1100, 0.7) * (job == (int)jobs - 2 ? straggler : 1);
	snprintf(fields, sizeof(fields), "\"argv\":\"gcc -c file-%d.c\",\"exit\":0", job);
	put(trace, new_id(), execute, "exec", at, step, fields);
	at = transfer(trace, execute, "s3.store", step, 1, 40 * upload);
	snprintf(fields, sizeof(fields), "\"job_count\":%d,\"worker_id\":\"w%d\"", is_cold ? 1 : 7,
		job % (int)parallel);
	put(trace, execute, invoke, "runtime.Execute", from_execute, at, fields);
	step = at + takes(3, 0.3);
	put(trace, invoke, root, "llama.Invoke", from_invoke, step, "\"function\":\"gcc\"");
	put(trace, root, 0, "llamacc", from, step + MS, "\"global\":{\"build_id\":\"b1\"}");
	return step + MS;
}

static int set_argument(const char *argument)
{
	static const struct {
		const char *name;
		double *value;
	} known[] = {{"jobs", &jobs}, {"parallel", &parallel}, {"headers", &headers},
		{"upload", &upload}, {"cold", &cold}, {"straggler", &straggler},
		{"serial", &serial}, {"seed", &seed}};
	const char *equals = strchr(argument, '=');
	size_t i;

	for (i = 0; equals && i < sizeof(known) / sizeof(known[0]); i++)
		if (strlen(known[i].name) == (size_t)(equals - argument) &&
			!strncmp(argument, known[i].name, (size_t)(equals - argument))) {
			*known[i].value = strtod(equals + 1, NULL);
			return 0;
		}
	fprintf(stderr, "spans: '%s' is no argument\n", argument);
	return -1;
}

int main(int argc, char **argv)
{
	double *free_at, begun = 0;
	int i, k;

	for (i = 1; i < argc; i++)
		if (set_argument(argv[i]))
			return 64;
	if (!(parallel >= 1 && parallel < 1e6 && headers >= 1 && jobs >= 1))
		return 64;
	state = (uint64_t)seed * 0x2545f4914f6cdd1du | 1;
	free_at = calloc((size_t)parallel, sizeof(*free_at));
	if (!free_at)
		return 1;
	for (i = 0; i < (int)jobs; i++) {
		int first = 0;

		for (k = 1; k < (int)parallel; k++)
			if (free_at[k] < free_at[first])
				first = k;
		/* make itself starts no more than one at a time. */
		begun += takes(2 + serial, 0.2);
		if (free_at[first] < begun)
			free_at[first] = begun;
		free_at[first] = compile(i, free_at[first]);
	}
	free(free_at);
	return fflush(stdout) || ferror(stdout);
}
