/* SPDX-License-Identifier: GPL-2.0-only */
/* What is kept of the events of a trace? */
#include "base/banned.h"

#include <stdlib.h>

#include "base/escape.h"
#include "tools/trace/record.h"

static void record_swap(struct trace_slow *a, struct trace_slow *b)
{
	const struct trace_slow c = *a;

	*a = *b;
	*b = c;
}

static void record_sift_up(struct trace_slow *heap, size_t at)
{
	while (at && heap[at].latency_ns < heap[(at - 1) / 2].latency_ns) {
		record_swap(&heap[at], &heap[(at - 1) / 2]);
		at = (at - 1) / 2;
	}
}

static void record_sift_down(struct trace_slow *heap, size_t n)
{
	size_t at = 0, least;

	for (;; at = least) {
		least = at;
		for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < n; child++)
			if (heap[child].latency_ns < heap[least].latency_ns)
				least = child;
		if (least == at)
			return;
		record_swap(&heap[at], &heap[least]);
	}
}

static void record_keep_slow(struct trace_record *record, const struct trace_slow *event)
{
	if (!record->slowest_max)
		return;
	if (!record->slowest)
		record->slowest = mem_zalloc(record->slowest_max * sizeof(*record->slowest));
	if (record->n_slowest < record->slowest_max) {
		record->slowest[record->n_slowest] = *event;
		record_sift_up(record->slowest, record->n_slowest++);
	} else if (event->latency_ns > record->slowest[0].latency_ns) {
		record->slowest[0] = *event;
		record_sift_down(record->slowest, record->n_slowest);
	}
}

/* A line that this tool, and tuesday map --latency, read again. */
static void record_log(struct trace_record *record, const struct trace_slow *event)
{
	if (record->log.len > TRACE_LOG_BYTES_MAX) {
		record->left_out++;
		return;
	}
	str_addf(&record->log, "%llu.%09llu %llu.%09llu ",
		(unsigned long long)(event->at_ns / 1000000000),
		(unsigned long long)(event->at_ns % 1000000000),
		(unsigned long long)(event->latency_ns / 1000000000),
		(unsigned long long)(event->latency_ns % 1000000000));
	escape_name(&record->log, *event->who ? event->who : "-");
	if (event->pid)
		str_addf(&record->log, "[%u]", event->pid);
	if (*event->by) {
		str_addc(&record->log, ' ');
		escape_name(&record->log, event->by);
	}
	str_addc(&record->log, '\n');
}

static bool record_is_in_range(struct trace_record *record, const struct trace_slow *event)
{
	uint64_t at;

	if (!record->has_range)
		return true;
	if (!record->has_first) {
		record->has_first = true;
		record->first_ns = event->at_ns / record->column_ns * record->column_ns;
	}
	at = event->at_ns > record->first_ns ? event->at_ns - record->first_ns : 0;
	return at >= record->from_ns && at < record->to_ns;
}

void trace_record_keep(struct trace_record *record, const struct trace_slow *event)
{
	if (!record_is_in_range(record, event))
		return;
	record->total_ns += event->latency_ns;
	if (!record->is_counted)
		record_keep_slow(record, event);
	if (record->has_log)
		record_log(record, event);
}

void trace_record_add(struct trace_record *record, const struct trace_slow *event)
{
	heatmap_add(&record->map, event->at_ns, event->latency_ns,
		heatmap_name(&record->map, event->who), 1);
	trace_record_keep(record, event);
}

static int record_by_latency(const void *a, const void *b)
{
	const struct trace_slow *x = a, *y = b;

	if (x->latency_ns != y->latency_ns)
		return x->latency_ns < y->latency_ns ? 1 : -1;
	return (x->at_ns > y->at_ns) - (x->at_ns < y->at_ns);
}

void trace_record_sort(struct trace_record *record)
{
	if (record->n_slowest)
		qsort(record->slowest, record->n_slowest, sizeof(*record->slowest),
			record_by_latency);
}

void trace_record_free(struct trace_record *record)
{
	heatmap_free(&record->map);
	str_free(&record->log);
	free(record->slowest);
	free(record->method);
}
