/* SPDX-License-Identifier: GPL-2.0-only */
/* What holds a build back, of all that took long in it? */
#include "base/banned.h"

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "spans/analysis.h"

#define ALONE_ROWS 20000 /* fewer are not worth a second thread */
#define TRACES_AT_ONCE 16
#define STRAGGLING 10 /* at most this part of the peak */
#define PEAK_LEAST 4
#define RANKS_MAX 3

/* What one thread knows. */
struct analysis_worker {
	struct span_analysis *analysis;
	struct span_tree tree;
	struct span_sum *names;
	struct span_faults faults;
	struct span_root *roots;
	uint32_t n_roots, roots_room;
	uint64_t path_ns;
	atomic_uint *next; /* the first trace that nobody has taken */
};

void span_analysis_tree(
	const struct span_analysis *analysis, uint32_t trace, struct span_tree *tree)
{
	const uint32_t first = analysis->first[trace];

	span_tree_build(
		tree, analysis->table, analysis->rows + first, analysis->first[trace + 1] - first);
}

/* Rows by trace, those of one in their order. */
static void analysis_group(struct span_analysis *analysis)
{
	const struct span_table *table = analysis->table;
	uint32_t *next, i, sum = 0;

	analysis->rows = mem_realloc_array(NULL, (size_t)table->n + 1, sizeof(*analysis->rows));
	analysis->first = mem_zalloc(((size_t)table->n_traces + 2) * sizeof(*analysis->first));
	next = analysis->first + 1;
	for (i = 0; i < table->n; i++)
		next[table->trace[i]]++;
	for (i = 0; i < table->n_traces; i++) {
		const uint32_t count = next[i];

		next[i] = sum;
		sum += count;
		analysis->n_traces += count > 0;
	}
	/* Filling moves each beginning to its end, which is where the next one begins. */
	for (i = 0; i < table->n; i++)
		analysis->rows[next[table->trace[i]]++] = i;
	analysis->first[0] = 0;
}

static void analysis_add_piece(
	void *arg, const struct span_tree *tree, uint32_t node, int64_t from_ns, int64_t to_ns)
{
	struct analysis_worker *worker = arg;

	worker->names[tree->table->name[tree->row[node]]].path_ns += (uint64_t)(to_ns - from_ns);
}

static void worker_add_node(struct analysis_worker *worker, uint32_t node)
{
	const struct span_tree *tree = &worker->tree;
	const uint32_t row = tree->row[node];
	struct span_sum *sum = &worker->names[tree->table->name[row]];
	const uint64_t duration = tree->table->duration_ns[row];

	sum->count++;
	sum->sum_ns += duration;
	sum->self_ns += (uint64_t)span_tree_self(tree, node);
	if (duration > sum->most_ns ||
		(duration == sum->most_ns &&
			tree->table->id[row] < tree->table->id[sum->most_row])) {
		sum->most_ns = duration;
		sum->most_row = row;
	}
}

static void worker_note_dropped(const struct analysis_worker *worker, uint32_t trace)
{
	const struct span_analysis *analysis = worker->analysis;
	uint32_t i;

	for (i = analysis->first[trace]; i < analysis->first[trace + 1]; i++)
		analysis->dropped[analysis->rows[i]] = true;
	for (i = 0; i < worker->tree.n; i++)
		analysis->dropped[worker->tree.row[i]] = false;
}

static void worker_add_trace(struct analysis_worker *worker, uint32_t trace)
{
	struct span_tree *tree = &worker->tree;
	uint32_t i;

	span_analysis_tree(worker->analysis, trace, tree);
	if (tree->faults.duplicates)
		worker_note_dropped(worker, trace);
	worker->faults.duplicates += tree->faults.duplicates;
	worker->faults.orphans += tree->faults.orphans;
	worker->faults.circles += tree->faults.circles;
	worker->faults.outside += tree->faults.outside;
	worker->faults.shifted += tree->faults.shifted;
	for (i = 0; i < tree->n; i++)
		worker_add_node(worker, i);
	for (i = tree->first[tree->n]; i < tree->first[tree->n + 1]; i++) {
		const uint32_t node = tree->child[i];

		ARRAY_GROW(worker->roots, worker->n_roots, worker->roots_room);
		worker->roots[worker->n_roots++] = (struct span_root){
			trace, tree->row[node], tree->start_ns[node], tree->end_ns[node]};
		worker->path_ns += (uint64_t)(tree->end_ns[node] - tree->start_ns[node]);
		span_tree_path(tree, node, analysis_add_piece, worker);
	}
}

static void *worker_run(void *arg)
{
	struct analysis_worker *worker = arg;
	const uint32_t n = worker->analysis->table->n_traces;
	uint32_t first, i;

	worker->names =
		mem_zalloc(((size_t)worker->analysis->table->n_names + 1) * sizeof(*worker->names));
	while ((first = atomic_fetch_add(worker->next, TRACES_AT_ONCE)) < n)
		for (i = first; i < n && i < first + TRACES_AT_ONCE; i++)
			worker_add_trace(worker, i);
	span_tree_free(&worker->tree);
	return NULL;
}

static void worker_join(struct span_analysis *analysis, struct analysis_worker *worker)
{
	const struct span_table *table = analysis->table;
	uint32_t i;

	for (i = 0; i < table->n_names; i++) {
		const struct span_sum *from = &worker->names[i];
		struct span_sum *to = &analysis->names[i];

		if (from->count &&
			(!to->count || from->most_ns > to->most_ns ||
				(from->most_ns == to->most_ns &&
					table->id[from->most_row] < table->id[to->most_row]))) {
			to->most_ns = from->most_ns;
			to->most_row = from->most_row;
		}
		to->count += from->count;
		to->sum_ns += from->sum_ns;
		to->self_ns += from->self_ns;
		to->path_ns += from->path_ns;
	}
	for (i = 0; i < worker->n_roots; i++) {
		ARRAY_GROW(analysis->roots, analysis->n_roots, analysis->roots_room);
		analysis->roots[analysis->n_roots++] = worker->roots[i];
	}
	analysis->path_ns += worker->path_ns;
	analysis->faults.duplicates += worker->faults.duplicates;
	analysis->faults.orphans += worker->faults.orphans;
	analysis->faults.circles += worker->faults.circles;
	analysis->faults.outside += worker->faults.outside;
	analysis->faults.shifted += worker->faults.shifted;
	free(worker->names);
	free(worker->roots);
}

static bool analysis_has_second_cpu(void)
{
	cpu_set_t set;

	return !sched_getaffinity(0, sizeof(set), &set) && CPU_COUNT(&set) > 1;
}

/* The last ending first, then the later one. */
static int analysis_root_order(const void *a, const void *b, void *arg)
{
	const struct span_root *left = a, *right = b;
	const struct span_table *table = arg;

	if (left->end_ns != right->end_ns)
		return left->end_ns > right->end_ns ? -1 : 1;
	if (left->start_ns != right->start_ns)
		return left->start_ns > right->start_ns ? -1 : 1;
	return table->id[left->row] < table->id[right->row]
		? -1
		: table->id[left->row] > table->id[right->row];
}

static void analysis_sum_traces(struct span_analysis *analysis)
{
	atomic_uint next = 0;
	struct analysis_worker first = {.analysis = analysis, .next = &next}, second = first;
	pthread_t thread;
	bool two = analysis->table->n > ALONE_ROWS && analysis_has_second_cpu() &&
		!pthread_create(&thread, NULL, worker_run, &second);

	worker_run(&first);
	if (two)
		pthread_join(thread, NULL);
	worker_join(analysis, &first);
	if (two)
		worker_join(analysis, &second);
	if (analysis->n_roots)
		qsort_r(analysis->roots, analysis->n_roots, sizeof(*analysis->roots),
			analysis_root_order, (void *)analysis->table);
}

/* Quickselect (Hoare, 1961): what is left of the place is not larger, what is right not smaller. */
static void analysis_select_one(uint64_t *values, size_t from, size_t to, size_t rank)
{
	while (to - from > 1) {
		const uint64_t a = values[from], b = values[from + (to - from) / 2],
			       c = values[to - 1];
		const uint64_t pivot = a < b ? (b < c		       ? b
							       : a < c ? c
								       : a)
					     : (a < c		       ? a
							       : b < c ? c
								       : b);
		size_t left = from, right = to - 1;

		for (;;) {
			uint64_t swap;

			while (values[left] < pivot)
				left++;
			while (values[right] > pivot)
				right--;
			if (left >= right)
				break;
			swap = values[left];
			values[left++] = values[right];
			values[right--] = swap;
		}
		/* from..right holds no more than the pivot, what is behind it no less. */
		right += right < left ? 1 : values[right] <= pivot;
		if (right == to)
			right--;
		if (rank < right)
			to = right;
		else
			from = right;
	}
}

void span_select(uint64_t *values, size_t n, const size_t *ranks, size_t n_ranks, uint64_t *found)
{
	size_t i, from = 0;

	for (i = 0; i < n_ranks; i++) {
		analysis_select_one(values, from, n, ranks[i]);
		found[i] = values[ranks[i]];
		from = ranks[i];
	}
}

/* The rank, from 0, of a quantile of n values: ceil(q n) - 1 in whole numbers. */
static size_t analysis_rank(size_t n, unsigned int percent)
{
	return (n * percent + 99) / 100 - 1;
}

static void analysis_name_quantiles(struct span_sum *sum, uint64_t *values)
{
	const size_t n = sum->count;
	size_t ranks[RANKS_MAX];
	uint64_t found[RANKS_MAX];

	if (!n)
		return;
	ranks[0] = analysis_rank(n, 50);
	ranks[1] = analysis_rank(n, 95);
	ranks[2] = analysis_rank(n, 99);
	span_select(values, n, ranks, RANKS_MAX, found);
	sum->p50_ns = found[0];
	sum->p95_ns = found[1];
	sum->p99_ns = found[2];
}

/* Durations by name, and their quantiles. */
static void analysis_quantiles(struct span_analysis *analysis)
{
	const struct span_table *table = analysis->table;
	uint64_t *values = mem_realloc_array(NULL, (size_t)table->n + 1, sizeof(*values));
	size_t *end = mem_zalloc(((size_t)table->n_names + 1) * sizeof(*end)), sum = 0;
	uint32_t i;

	for (i = 0; i < table->n_names; i++) {
		end[i] = sum;
		sum += analysis->names[i].count;
	}
	for (i = 0; i < table->n; i++)
		if (!analysis->dropped[i])
			values[end[table->name[i]]++] = table->duration_ns[i];
	for (i = 0; i < table->n_names; i++)
		analysis_name_quantiles(
			&analysis->names[i], values + end[i] - analysis->names[i].count);
	free(end);
	free(values);
}

static int analysis_by_trace(const void *a, const void *b, void *arg)
{
	const struct span_root *roots = arg, *left = &roots[*(const uint32_t *)a],
			       *right = &roots[*(const uint32_t *)b];

	if (left->trace != right->trace)
		return left->trace < right->trace ? -1 : 1;
	return left->row < right->row ? -1 : left->row > right->row;
}

/* The roots that the build waited for, from its end back. */
static void analysis_find_chain(struct span_analysis *analysis)
{
	int64_t to = analysis->end_ns;
	uint32_t i;

	for (i = 0; i < analysis->n_roots; i++) {
		const struct span_root *root = &analysis->roots[i];

		if (root->end_ns > to || root->start_ns >= root->end_ns)
			continue;
		analysis->idle_ns += (uint64_t)(to - root->end_ns);
		to = root->start_ns;
		ARRAY_GROW(analysis->chain, analysis->n_chain, analysis->chain_room);
		analysis->chain[analysis->n_chain++] = i;
	}
	analysis->idle_ns += (uint64_t)(to - analysis->start_ns);
	if (analysis->n_chain)
		qsort_r(analysis->chain, analysis->n_chain, sizeof(*analysis->chain),
			analysis_by_trace, analysis->roots);
}

static void analysis_add_build(
	void *arg, const struct span_tree *tree, uint32_t node, int64_t from_ns, int64_t to_ns)
{
	struct span_analysis *analysis = arg;

	analysis->names[tree->table->name[tree->row[node]]].build_ns += (uint64_t)(to_ns - from_ns);
	/* Between two of its children the node itself is on the path. */
	analysis->assumed += from_ns > tree->start_ns[node] && to_ns < tree->end_ns[node] &&
		to_ns - from_ns > span_tree_tolerance(tree, node);
}

/* Of one trace: its tree is built once, however many of its roots are in the chain. */
static void analysis_path_of_trace(const struct span_analysis *analysis, struct span_tree *tree,
	const uint32_t *places, uint32_t n, span_piece *piece, void *arg)
{
	uint32_t i;

	span_analysis_tree(analysis, analysis->roots[*places].trace, tree);
	for (i = tree->first[tree->n]; i < tree->first[tree->n + 1]; i++) {
		const uint32_t row = tree->row[tree->child[i]];
		uint32_t from = 0, to = n;

		while (from < to) {
			const uint32_t middle = from + (to - from) / 2;

			if (analysis->roots[places[middle]].row < row)
				from = middle + 1;
			else
				to = middle;
		}
		if (from < n && analysis->roots[places[from]].row == row)
			span_tree_path(tree, tree->child[i], piece, arg);
	}
}

void span_analysis_path(const struct span_analysis *analysis, span_piece *piece, void *arg)
{
	const uint32_t *chain = analysis->chain;
	struct span_tree tree = {0};
	uint32_t i, n;

	for (i = 0; i < analysis->n_chain; i += n) {
		const uint32_t trace = analysis->roots[chain[i]].trace;

		for (n = 1; i + n < analysis->n_chain; n++)
			if (analysis->roots[chain[i + n]].trace != trace)
				break;
		analysis_path_of_trace(analysis, &tree, chain + i, n, piece, arg);
	}
	span_tree_free(&tree);
}

static int analysis_by_time(const void *a, const void *b)
{
	const int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;

	return left < right ? -1 : left > right;
}

/* The jobs of a build. */
struct analysis_jobs {
	int64_t *starts, *ends;
	uint32_t n, room, ends_room;
};

static void jobs_add(struct span_analysis *analysis, struct analysis_jobs *jobs, uint32_t row,
	int64_t start, int64_t end)
{
	struct span_concurrency *found = &analysis->jobs;

	if (end <= start)
		return;
	ARRAY_GROW(jobs->starts, jobs->n, jobs->room);
	if (jobs->ends_room != jobs->room) {
		jobs->ends_room = jobs->room;
		jobs->ends = mem_realloc_array(jobs->ends, jobs->room, sizeof(*jobs->ends));
	}
	jobs->starts[jobs->n] = start;
	jobs->ends[jobs->n++] = end;
	if ((uint64_t)(end - start) > found->longest_ns) {
		found->longest_ns = (uint64_t)(end - start);
		found->longest_row = row;
	}
}

/* Below one root: the first generation with more than one span. */
static void jobs_of_generation(struct span_analysis *analysis, struct analysis_jobs *jobs)
{
	struct span_tree tree = {0};
	uint32_t from, to, i;

	span_analysis_tree(analysis, analysis->roots[0].trace, &tree);
	/* .order has parents before children, generation by generation. */
	for (from = 0, to = 1; to - from == 1 &&
		tree.first[tree.order[from] + 1] > tree.first[tree.order[from]];) {
		const uint32_t node = tree.order[from];

		from = to;
		to += tree.first[node + 1] - tree.first[node];
	}
	for (i = from; i < to; i++)
		jobs_add(analysis, jobs, tree.row[tree.order[i]], tree.start_ns[tree.order[i]],
			tree.end_ns[tree.order[i]]);
	span_tree_free(&tree);
}

/* How long at least half of the peak ran, and at most a tenth. */
static void jobs_shares(struct span_concurrency *found, const struct analysis_jobs *jobs)
{
	const uint32_t few = found->peak / STRAGGLING > 1 ? found->peak / STRAGGLING : 1;
	const double wall = (double)(jobs->ends[jobs->n - 1] - jobs->starts[0]);
	uint32_t begun = 0, ended = 0;
	int64_t at = jobs->starts[0];
	double low = 0, high = 0;

	while (ended < jobs->n) {
		const uint32_t now = begun - ended;
		const bool begins = begun < jobs->n && jobs->starts[begun] < jobs->ends[ended];
		const int64_t to = begins ? jobs->starts[begun] : jobs->ends[ended];

		if (now && now <= few)
			low += (double)(to - at);
		if (2 * now >= found->peak)
			high += (double)(to - at);
		at = to;
		begun += begins;
		ended += !begins;
	}
	found->straggled = found->peak < PEAK_LEAST ? (double)NAN : low / wall;
	found->level = high / wall;
}

/* From each of these moments on there is one more, or one less: what is added is how much a part
 * has beyond the one before it. */
static void jobs_course_add(
	struct span_analysis *analysis, const int64_t *moments, uint32_t n, double more)
{
	const double part_ns = (double)span_analysis_wall(analysis) / SPAN_COURSE_PARTS;
	uint32_t i;

	for (i = 0; i < n; i++) {
		const double at = (double)(moments[i] - analysis->start_ns) / part_ns;
		const size_t part = (size_t)at;

		if (part < SPAN_COURSE_PARTS)
			analysis->jobs.course[part] += more * ((double)part + 1 - at);
		if (part + 1 < SPAN_COURSE_PARTS)
			analysis->jobs.course[part + 1] += more * (at - (double)part);
	}
}

static void jobs_course(struct span_analysis *analysis, const struct analysis_jobs *jobs)
{
	size_t part;

	jobs_course_add(analysis, jobs->starts, jobs->n, 1);
	jobs_course_add(analysis, jobs->ends, jobs->n, -1);
	for (part = 1; part < SPAN_COURSE_PARTS; part++)
		analysis->jobs.course[part] += analysis->jobs.course[part - 1];
}

static void analysis_jobs(struct span_analysis *analysis)
{
	struct span_concurrency *found = &analysis->jobs;
	struct analysis_jobs jobs = {0};
	uint32_t i, begun = 0, ended = 0;
	double sum = 0;

	if (analysis->n_roots == 1)
		jobs_of_generation(analysis, &jobs);
	else
		for (i = 0; i < analysis->n_roots; i++)
			jobs_add(analysis, &jobs, analysis->roots[i].row,
				analysis->roots[i].start_ns, analysis->roots[i].end_ns);
	found->jobs = jobs.n;
	found->straggled = found->level = found->mean = (double)NAN;
	if (jobs.n) {
		for (i = 0; i < jobs.n; i++)
			sum += (double)(jobs.ends[i] - jobs.starts[i]);
		qsort(jobs.starts, jobs.n, sizeof(*jobs.starts), analysis_by_time);
		qsort(jobs.ends, jobs.n, sizeof(*jobs.ends), analysis_by_time);
		while (begun < jobs.n) {
			if (jobs.starts[begun] < jobs.ends[ended])
				begun++;
			else
				ended++;
			if (begun - ended > found->peak)
				found->peak = begun - ended;
		}
		found->mean = sum / (double)(jobs.ends[jobs.n - 1] - jobs.starts[0]);
		jobs_shares(found, &jobs);
		jobs_course(analysis, &jobs);
	}
	free(jobs.starts);
	free(jobs.ends);
}

void span_analyse(struct span_analysis *analysis, const struct span_table *table)
{
	uint32_t i;

	*analysis = (struct span_analysis){.table = table};
	analysis->names = mem_zalloc(((size_t)table->n_names + 1) * sizeof(*analysis->names));
	/* Pages of zeros that nobody writes to take no memory. */
	analysis->dropped = mem_zalloc((size_t)table->n + 1);
	analysis_group(analysis);
	analysis_sum_traces(analysis);
	analysis_quantiles(analysis);
	if (analysis->n_roots) {
		analysis->end_ns = analysis->roots[0].end_ns;
		analysis->start_ns = analysis->roots[0].start_ns;
		for (i = 1; i < analysis->n_roots; i++)
			if (analysis->roots[i].start_ns < analysis->start_ns)
				analysis->start_ns = analysis->roots[i].start_ns;
		analysis_find_chain(analysis);
		span_analysis_path(analysis, analysis_add_build, analysis);
	}
	analysis_jobs(analysis);
}

void span_analysis_free(struct span_analysis *analysis)
{
	free(analysis->rows);
	free(analysis->first);
	free(analysis->names);
	free(analysis->roots);
	free(analysis->chain);
	free(analysis->dropped);
	*analysis = (struct span_analysis){0};
}

double span_analysis_wrong(const struct span_analysis *analysis)
{
	const struct span_faults *faults = &analysis->faults;
	const double wrong = (double)(faults->orphans + faults->outside + faults->circles) +
		(double)analysis->table->bad,
		     all = (double)analysis->table->n + (double)analysis->table->bad;

	return all > 0 ? wrong / all : (double)NAN;
}

uint64_t span_analysis_wall(const struct span_analysis *analysis)
{
	return (uint64_t)analysis->end_ns - (uint64_t)analysis->start_ns;
}
