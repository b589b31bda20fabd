/* SPDX-License-Identifier: GPL-2.0-only */
/* What is the watched number in this phase? */
#include "base/banned.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <poll.h>

#include "base/clock.h"
#include "expr/parse.h"
#include "base/num.h"
#include "experiment/observe.h"
#include "sample/sweep.h"
#include "expr/eval.h"

/* A command may be a benchmark of its own; one that hangs must not keep the knob turned. */
#define COMMAND_SECONDS 60
#define REQUEST_MS 1000
#define BETWEEN_REQUESTS_MS 5
#define REQUESTS_MAX 4096
#define TICK_MS 100

int observer_wait(struct observer *observer, double seconds)
{
	double end = monotonic_seconds() + seconds;

	for (;;) {
		double left_ms = (end - monotonic_seconds()) * 1000;
		int err;

		if (left_ms <= 0)
			return 0;
		poll(NULL, 0, left_ms > TICK_MS ? TICK_MS : (int)left_ms + 1);
		err = observer->tick(observer->arg, false);
		if (err)
			return err;
	}
}

static int observe_expr(struct observer *observer, double *value)
{
	struct expr_context context = {
		.check = observer->check, .sweep = observer->sweep, .cpus = observer->cpus};
	struct value found;
	int err = observer->tick(observer->arg, true);

	context.from = sweep_samples(observer->sweep) - 1;
	if (!err)
		err = observer_wait(observer, observer->seconds);
	if (!err)
		err = observer->tick(observer->arg, true);
	if (err)
		return err;
	context.to = sweep_samples(observer->sweep) - 1;
	found = expr_eval(observer->expr, &context);
	*value = value_of(&found, observer->instance);
	if (isnan(*value) && found.instances && !*observer->instance)
		str_add(&observer->why, "it is one number for each of many: use sum() or max()");
	else if (isnan(*value) && !expr_why_missing(observer->expr, &context, &observer->why))
		str_add(&observer->why, "there was nothing to divide by");
	value_free(&found);
	return 0;
}

double observed_number(const char *text, size_t len)
{
	char copy[64];
	double number;
	int n;

	while (len && isspace((unsigned char)text[len - 1]))
		len--;
	while (len && isspace((unsigned char)*text)) {
		text++;
		len--;
	}
	if (!len || len >= sizeof(copy) || memchr(text, 0, len))
		return NAN;
	memcpy(copy, text, len);
	copy[len] = 0;
	n = num_with_unit(copy, &number);
	return n > 0 && !copy[n] ? number : (double)NAN;
}

/* What plugin_collect understands, and what came of it. */
struct ticking {
	struct observer *observer;
	int err;
};

static bool keep_waiting(void *arg)
{
	struct ticking *ticking = arg;

	if (!ticking->err)
		ticking->err = ticking->observer->tick(ticking->observer->arg, false);
	return !ticking->err;
}

static void read_report(struct observer *observer, const struct str *text, double *value)
{
	struct plugin_report report;

	if (plugin_report_parse(&report, str_text(text), text->len)) {
		str_add(&observer->why, "nobody knows what became of the command");
	} else if (report.end == PLUGIN_FAILED) {
		str_addf(&observer->why, "the command %s", report.why);
	} else if (report.status) {
		str_addf(&observer->why, "the command ended with status %d", report.status);
	} else {
		*value = observed_number(report.output, report.output_len);
		if (isnan(*value))
			str_addf(&observer->why, "the command printed no number but '%.*s'",
				(int)(report.output_len < 40 ? report.output_len : 40),
				report.output);
	}
}

static int observe_command(struct observer *observer, double *value)
{
	char shell[] = "/bin/sh", flag[] = "-c", *command = mem_strdup(observer->command);
	char *words[] = {shell, flag, command, NULL};
	struct plugin plugin = {
		.words = words, .timeout_seconds = observer->seconds + COMMAND_SECONDS};
	struct ticking ticking = {.observer = observer};
	struct str report = STR_INIT;
	int err = plugin_start(&plugin);

	if (err) {
		str_addf(&observer->why, "the command did not start: %s", strerror(-err));
	} else {
		plugin_collect(&plugin, keep_waiting, &ticking, &report);
		if (!ticking.err)
			read_report(observer, &report, value);
	}
	str_free(&report);
	free(command);
	return ticking.err;
}

static int observe_compare_values(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* One request: its time, or INFINITY where it failed, since a failure is not a fast answer. */
static double request_once(struct observer *observer)
{
	double seconds;
	int status;

	str_clear(&observer->why);
	status = http_get(&observer->server, REQUEST_MS, &seconds, &observer->why);
	if (status >= 400)
		str_addf(&observer->why, "the server answered with status %d", status);
	return status >= 200 && status < 400 ? seconds : (double)INFINITY;
}

/* The median of all requests of the phase, one after the other. */
static int observe_url(struct observer *observer, double *value)
{
	double *times = mem_realloc_array(NULL, REQUESTS_MAX, sizeof(double));
	double end = monotonic_seconds() + observer->seconds;
	struct str why = STR_INIT;
	size_t n = 0;
	int err;

	do {
		times[n++] = request_once(observer);
		if (isinf(times[n - 1]) && !why.len)
			str_add(&why, str_text(&observer->why));
		poll(NULL, 0, BETWEEN_REQUESTS_MS);
		err = observer->tick(observer->arg, false);
	} while (!err && n < REQUESTS_MAX && monotonic_seconds() < end);
	if (!err)
		err = observer_wait(observer, end - monotonic_seconds());
	qsort(times, n, sizeof(double), observe_compare_values);
	*value = isinf(times[n / 2]) ? (double)NAN : times[n / 2];
	str_clear(&observer->why);
	str_add(&observer->why, isnan(*value) ? str_text(&why) : "");
	str_free(&why);
	free(times);
	return err;
}

int observe(struct observer *observer, double *value)
{
	*value = NAN;
	str_clear(&observer->why);
	if (observer->command)
		return observe_command(observer, value);
	if (observer->server.address_len)
		return observe_url(observer, value);
	return observe_expr(observer, value);
}

void observer_free(struct observer *observer)
{
	http_server_free(&observer->server);
	str_free(&observer->why);
}
