/* SPDX-License-Identifier: GPL-2.0-only */
/* After which time does a thread come again? */
#include "base/banned.h"

#include <math.h>
#include <stdlib.h>

#include "base/diag.h"
#include "base/escape.h"
#include "base/ini.h"
#include "base/num.h"
#include "base/number_map.h"
#include "base/str.h"
#include "heatmap/periods.h"

#define NAME_COLUMNS 40

extern const char heatmap_limits_ini[], heatmap_limits_ini_end[];

struct periods_thread {
	char *name;
	uint64_t tid;
	uint64_t last_ns;
	uint64_t *at_ns;
	size_t n, room;
};

struct heatmap_periods {
	struct periods_thread *threads;
	size_t n, room;
	struct number_map by_tid;
};

void heatmap_periods_limits_default(struct heatmap_periods_limits *limits)
{
	struct complaints none = {0};
	struct inifile *ini = inifile_parse("limits.ini", heatmap_limits_ini,
		(size_t)(heatmap_limits_ini_end - heatmap_limits_ini), &none);
	const struct {
		const char *key;
		double *to;
	} keys[] = {
		{"times", &limits->times},
		{"regular", &limits->regular},
		{"met", &limits->met},
		{"pause", &limits->pause},
		{"ticks", &limits->ticks},
		{"drift", &limits->drift},
	};

	*limits = (struct heatmap_periods_limits){0};
	for (size_t i = 0; ini && i < inifile_count(ini); i++)
		for (size_t k = 0; k < ARRAY_SIZE(keys); k++)
			if (!strcmp(inifile_entry(ini, i)->key, keys[k].key))
				num_with_unit(inifile_entry(ini, i)->value, keys[k].to);
	inifile_free(ini);
}

struct heatmap_periods *heatmap_periods_new(void)
{
	return mem_zalloc(sizeof(struct heatmap_periods));
}

void heatmap_periods_free(struct heatmap_periods *periods)
{
	if (!periods)
		return;
	for (size_t i = 0; i < periods->n; i++) {
		free(periods->threads[i].name);
		free(periods->threads[i].at_ns);
	}
	free(periods->threads);
	number_map_free(&periods->by_tid);
	free(periods);
}

void heatmap_periods_add(
	struct heatmap_periods *periods, const char *name, uint64_t tid, uint64_t at_ns)
{
	struct periods_thread *thread;
	size_t at;

	if (!number_map_get(&periods->by_tid, tid, &at)) {
		if (periods->n == PERIODS_THREADS_MAX)
			return;
		ARRAY_GROW(periods->threads, periods->n, periods->room);
		at = periods->n++;
		periods->threads[at] =
			(struct periods_thread){.name = mem_strdup(name), .tid = tid};
		number_map_add(&periods->by_tid, tid, at);
	}
	thread = &periods->threads[at];
	if (thread->n == PERIODS_STARTS_MAX || (thread->n && at_ns < thread->last_ns))
		return;
	thread->last_ns = at_ns;
	ARRAY_GROW(thread->at_ns, thread->n, thread->room);
	thread->at_ns[thread->n++] = at_ns;
}

static int periods_by_size(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* A line through the first n begins, each at the whole number of periods nearest to it. */
struct periods_fit {
	double begin, period; /* of the line */
	double scatter;	      /* the standard deviation of the begins around it */
	double error;	      /* the standard error of the period */
	size_t span, met;     /* periods from the first to the last, and those with a begin */
};

static void periods_fit_once(const double *starts, size_t n, struct periods_fit *fit)
{
	double sum_k = 0, sum_t = 0, sum_kk = 0, sum_kt = 0, squares = 0, before = -1, variance;
	const double count = (double)n;

	fit->met = 0;
	for (size_t i = 0; i < n; i++) {
		const double k = round((starts[i] - fit->begin) / fit->period);

		sum_k += k;
		sum_t += starts[i];
		sum_kk += k * k;
		sum_kt += k * starts[i];
		fit->met += k > before;
		before = k;
	}
	variance = sum_kk - sum_k * sum_k / count;
	if (!(variance > 0))
		return;
	fit->span = (size_t)before + 1;
	for (size_t i = 0; i < n; i++) {
		const double k = round((starts[i] - fit->begin) / fit->period);
		const double slope = (sum_kt - sum_k * sum_t / count) / variance;
		const double off = starts[i] - (sum_t / count + slope * (k - sum_k / count));

		squares += off * off;
	}
	fit->period = (sum_kt - sum_k * sum_t / count) / variance;
	fit->begin = sum_t / count - fit->period * sum_k / count;
	fit->scatter = sqrt(squares / (count > 2 ? count - 2 : 1));
	fit->error = fit->scatter / sqrt(variance);
}

/* A period that is a little wrong loses count far from where it began: so it is fitted to a few
 * begins, and then to twice as many, and so on. */
static bool periods_fit_all(const double *starts, size_t n, double period, struct periods_fit *fit)
{
	*fit = (struct periods_fit){.begin = starts[0], .period = period};
	for (size_t some = 4;; some *= 2) {
		const size_t of = some < n ? some : n;

		periods_fit_once(starts, of, fit);
		if (!(fit->period > 0) || !isfinite(fit->period) ||
			(starts[n - 1] - starts[0]) / fit->period > 1e9)
			return false;
		if (of == n)
			break;
	}
	periods_fit_once(starts, n, fit);
	return fit->period > 0 && fit->span > 0;
}

static bool periods_is_regular(
	const struct periods_fit *fit, size_t n, const struct heatmap_periods_limits *limits)
{
	return (double)n >= limits->times && (double)fit->met >= limits->times &&
		fit->scatter <= limits->regular * fit->period &&
		(double)fit->met >= limits->met * (double)fit->span;
}

/* The round period that a person would have written. */
static double periods_round(double seconds)
{
	static const double of[] = {1, 1.5, 2, 2.5, 3, 4, 5, 6};
	static const double units[] = {1e-3, 1e-2, 1e-1, 1, 10, 60, 600, 3600};
	double best = 0;

	for (size_t u = 0; u < ARRAY_SIZE(units); u++)
		for (size_t i = 0; i < ARRAY_SIZE(of); i++)
			if (fabs(seconds - of[i] * units[u]) < fabs(seconds - best))
				best = of[i] * units[u];
	return best;
}

static void periods_note_drift(
	struct heatmap_period *period, const struct heatmap_periods_limits *limits)
{
	const double near = periods_round(period->seconds);
	const double off = near > 0 ? period->seconds / near - 1 : 1;

	if (fabs(off) > limits->drift)
		return;
	period->round_seconds = near;
	/* Three standard errors: else it is that period as far as anybody can tell. */
	if (fabs(period->seconds - near) > 3 * period->error_seconds)
		period->drift = off;
}

bool heatmap_period_of(const double *starts, size_t n, const struct heatmap_periods_limits *limits,
	struct heatmap_period *out)
{
	static const double quantiles[] = {0.5, 0.25, 0.1, 0.75};
	double *gaps;
	bool found = false;

	if (n < 4 || (double)n < limits->times)
		return false;
	gaps = mem_alloc(n * sizeof(*gaps));
	for (size_t i = 1; i < n; i++)
		gaps[i - 1] = starts[i] - starts[i - 1];
	qsort(gaps, n - 1, sizeof(*gaps), periods_by_size);
	for (size_t i = 0; i < ARRAY_SIZE(quantiles) * 3 && !found; i++) {
		const double gap = gaps[(size_t)(quantiles[i % 4] * (double)(n - 2))];
		struct periods_fit fit;

		/* What is not seen each time comes after two or three periods as often. */
		if (!(gap > 0) || !periods_fit_all(starts, n, gap / (double)(i / 4 + 1), &fit))
			continue;
		found = periods_is_regular(&fit, n, limits);
		if (!found)
			continue;
		*out = (struct heatmap_period){.seconds = fit.period,
			.error_seconds = fit.error,
			.times = fit.met,
			.met = (double)fit.met / (double)fit.span};
		periods_note_drift(out, limits);
	}
	free(gaps);
	return found;
}

/* The begins of pieces of work: what comes soon after another event is no begin. */
static size_t periods_starts(const struct periods_thread *thread, double pause, double *starts)
{
	double *gaps = mem_alloc((thread->n + 1) * sizeof(*gaps));
	const double first = (double)thread->at_ns[0];
	size_t n = 0, n_gaps = 0;
	double least;

	for (size_t i = 1; i < thread->n; i++)
		gaps[n_gaps++] = (double)(thread->at_ns[i] - thread->at_ns[i - 1]) * 1e-9;
	qsort(gaps, n_gaps, sizeof(*gaps), periods_by_size);
	/* Most gaps are within the work where a piece of it has many events: the long ones count.
	 */
	least = n_gaps ? gaps[n_gaps - 1 - n_gaps / 20] * pause : 0;
	for (size_t i = 0; i < thread->n; i++)
		if (!i || (double)(thread->at_ns[i] - thread->at_ns[i - 1]) * 1e-9 > least)
			starts[n++] = ((double)thread->at_ns[i] - first) * 1e-9;
	free(gaps);
	return n;
}

static int periods_by_times(const void *a, const void *b)
{
	const struct heatmap_period *x = a, *y = b;

	if (x->times != y->times)
		return x->times < y->times ? 1 : -1;
	return (x->tid > y->tid) - (x->tid < y->tid);
}

size_t heatmap_periods_find(struct heatmap_periods *periods, uint64_t tick_ns,
	const struct heatmap_periods_limits *limits, struct heatmap_period *out, size_t room)
{
	struct heatmap_period *all = mem_zalloc((periods->n + 1) * sizeof(*all));
	size_t n = 0;

	for (size_t i = 0; i < periods->n; i++) {
		const struct periods_thread *thread = &periods->threads[i];
		double *starts = mem_alloc((thread->n + 1) * sizeof(*starts));
		const size_t n_starts = periods_starts(thread, limits->pause, starts);

		if (heatmap_period_of(starts, n_starts, limits, &all[n]) &&
			all[n].seconds * 1e9 >= limits->ticks * (double)tick_ns) {
			all[n].name = thread->name;
			all[n++].tid = thread->tid;
		}
		free(starts);
	}
	if (n)
		qsort(all, n, sizeof(*all), periods_by_times);
	for (size_t i = 0; i < n && i < room; i++)
		out[i] = all[i];
	free(all);
	return n < room ? n : room;
}

/* As many digits as are known, three behind the point of seconds at least. */
static void periods_add_seconds(struct str *out, double seconds, double error)
{
	int digits = error > 0 ? (int)ceil(-log10(error)) : 6;

	if (seconds < 0.1) {
		str_addf(out, "%.*f ms",
			digits > 6	     ? 3
				: digits > 3 ? digits - 3
					     : 0,
			seconds * 1e3);
		return;
	}
	digits = digits < 1 ? 1 : digits > 4 ? 4 : digits;
	str_addf(out, "%.*f s", digits, seconds);
}

void heatmap_period_words(struct str *out, const struct heatmap_period *period)
{
	escape_name_cut(
		out, period->name && *period->name ? period->name : "[no name]", NAME_COLUMNS);
	str_addf(out, " (thread %llu): every ", (unsigned long long)period->tid);
	periods_add_seconds(out, period->seconds, period->error_seconds);
	if (period->drift > 0)
		str_addf(out, ", so about one interval of %g s in %.0f has no look",
			period->round_seconds, 1 / period->drift);
	else if (period->drift < 0)
		str_addf(out, ", so about one interval of %g s in %.0f has two looks",
			period->round_seconds, -1 / period->drift);
}
