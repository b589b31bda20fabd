/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How many requests a second of CPU does keepalivediagnose's client send, and how long do they take
 * by its clock? Prints both, for a server on this machine.
 *
 *   client URL keep|close CONNECTIONS REQUESTS
 */
#include "base/banned.h"

#include <sys/resource.h>

#include "base/num.h"
#include "base/str.h"
#include "tools/keepalive/client.h"
#include "tools/keepalive/conn.h"
#include "tools/keepalive/service_order.h"
#include "tools/keepalive/round.h"
#include "tools/keepalive/target.h"
#include "sys/url.h"
#include "stats/quantile.h"

#define MINUTE_NS 60000000000ull

static double cpu_seconds(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
		(double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static void print_round(const struct round *round, double cpu)
{
	const double wall = (double)(round->end_ns - round->start_ns) / 1e9;
	size_t n;
	double *seconds = seconds_of_rounds(&round, 1, &n);

	printf("requests %zu failed %zu per_second %.0f per_cpu_second %.0f cpu_us %.2f "
	       "p50_us %.1f p90_us %.1f p99_us %.1f\n",
		round->answered, round->failed, (double)round->answered / wall,
		(double)round->answered / cpu, cpu / (double)round->answered * 1e6,
		stats_quantile(seconds, n, 0.5) * 1e6, stats_quantile(seconds, n, 0.9) * 1e6,
		stats_quantile(seconds, n, 0.99) * 1e6);
	free(seconds);
}

static int run(const struct target *target, struct round_plan *plan)
{
	char *text = mem_printf("GET %s HTTP/1.1\r\nHost: %s\r\n%s\r\n", target->url->path,
		target->url->authority, plan->keep ? "" : "Connection: close\r\n");
	const struct request request = {text, text, strlen(text), strlen(text), false, true};
	struct dialer dialer;
	struct client *client = NULL;
	struct round round = {0};
	double before;
	int err = dialer_open(&dialer, target, false);

	if (!err)
		err = client_new(&client, &dialer, &request);
	before = cpu_seconds();
	if (!err)
		err = client_round(client, plan, &round, NULL, NULL);
	if (!err)
		print_round(&round, cpu_seconds() - before);
	round_free(&round);
	client_free(client);
	dialer_close(&dialer);
	free(text);
	return err;
}

int main(int argc, char **argv)
{
	struct str why = STR_INIT;
	struct target target;
	struct url url = {0};
	uint64_t connections, requests;
	int err;

	if (argc != 5 || url_parse(&url, argv[1]) ||
		num_u64(argv[3], 1, ROUND_CONNECTIONS_MAX, &connections) ||
		num_u64(argv[4], 1, 10000000, &requests)) {
		fputs("usage: client URL keep|close CONNECTIONS REQUESTS\n", stderr);
		return 64;
	}
	err = target_find(&target, &url, NULL, &why);
	if (!err && target.own) {
		struct round_plan plan = {.keep = !strcmp(argv[2], "keep"),
			.connections = (unsigned int)connections,
			.idle_max = (unsigned int)connections,
			.rate_max = 1e9,
			.requests_max = requests,
			.issue_ns = MINUTE_NS,
			.release_ns = MINUTE_NS,
			.drain_ns = MINUTE_NS,
			.wait_max_ns = MINUTE_NS,
			.body_max = 1 << 20,
			.errors_max = 0.01};

		err = run(&target, &plan);
	}
	url_free(&url);
	str_free(&why);
	return err ? 1 : 0;
}
