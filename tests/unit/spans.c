/* SPDX-License-Identifier: GPL-2.0-only */
/* Do spans become the right tree, path and sums, however damaged, shuffled or odd their file is? */
#include "base/banned.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sparkline.h"
#include "base/str.h"
#include "spans/analysis.h"
#include "spans/fields.h"
#include "spans/line.h"
#include "spans/read.h"
#include "spans/spans.h"
#include "spans/stages.h"
#include "tests/unit/tap.h"

#define START 1763900000000000000

static uint64_t random_state = 88172645463325252;

static uint64_t next_random(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

/* A line of milliseconds since some moment. */
static void add_span(struct str *out, const char *trace, const char *id, const char *parent,
	const char *name, int from_ms, int to_ms)
{
	const struct span span = {trace, id, parent, name, START + from_ms * INT64_C(1000000),
		START + to_ms * INT64_C(1000000), NULL, 0};

	span_write(out, &span);
}

static void analyse_text(
	struct span_analysis *analysis, struct span_table *table, const struct str *text)
{
	*table = (struct span_table){0};
	if (spans_read_text(table, str_text(text), text->len))
		*table = (struct span_table){0};
	span_analyse(analysis, table);
}

/* The sums of a name; zeros for one that there is not. */
static struct span_sum sum_of(const struct span_analysis *analysis, const char *name)
{
	uint32_t i;

	for (i = 0; i < analysis->table->n_names; i++)
		if (!strcmp(analysis->table->names[i].text, name))
			return analysis->names[i];
	return (struct span_sum){0};
}

static bool paths_sum_up(const struct span_analysis *analysis)
{
	uint64_t path = 0, build = analysis->idle_ns;
	uint32_t i;

	for (i = 0; i < analysis->table->n_names; i++) {
		path += analysis->names[i].path_ns;
		build += analysis->names[i].build_ns;
	}
	return path == analysis->path_ns && build == span_analysis_wall(analysis);
}

static void test_path(void)
{
	struct str text = STR_INIT;
	struct span_analysis analysis;
	struct span_table table;

	/* b and c run side by side and c ends last; a comes before both, and root rests for 10 ms.
	 */
	add_span(&text, "1", "r", "", "root", 0, 100);
	add_span(&text, "1", "b", "r", "b", 40, 80);
	add_span(&text, "1", "c", "r", "c", 40, 100);
	add_span(&text, "1", "a", "r", "a", 0, 30);
	add_span(&text, "1", "d", "c", "d", 50, 70);
	analyse_text(&analysis, &table, &text);
	ok(sum_of(&analysis, "c").path_ns == 40000000 &&
			sum_of(&analysis, "d").path_ns == 20000000 &&
			sum_of(&analysis, "a").path_ns == 30000000 &&
			sum_of(&analysis, "root").path_ns == 10000000 &&
			!sum_of(&analysis, "b").path_ns,
		"the critical path goes by what ends last, and has the rest of its parent");
	ok(paths_sum_up(&analysis), "its pieces are as long together as the root");
	ok(sum_of(&analysis, "root").self_ns == 10000000 &&
			sum_of(&analysis, "c").self_ns == 40000000,
		"self time is what no child covers, be they side by side");
	span_analysis_free(&analysis);
	span_table_free(&table);
	str_free(&text);
}

/* Nothing says what waited for what: the one before is the one whose end is nearest. */
static void test_assumed_order(void)
{
	struct str text = STR_INIT;
	struct span_analysis analysis;
	struct span_table table;
	size_t parents;

	for (parents = 0; parents < 2; parents++) {
		if (parents)
			add_span(&text, "1", "r", "", "root", 0, 1000);
		add_span(&text, "1", "f", parents ? "r" : "", "far", 0, 300);
		add_span(&text, "1", "n", parents ? "r" : "", "near", 100, 395);
		add_span(&text, "1", "m", parents ? "r" : "", "middle", 400, 600);
		add_span(&text, "1", "l", parents ? "r" : "", "last", 700, 1000);
		analyse_text(&analysis, &table, &text);
		ok(!sum_of(&analysis, "far").build_ns &&
				sum_of(&analysis, "near").build_ns == 295000000 &&
				sum_of(&analysis, "middle").build_ns == 200000000 &&
				sum_of(&analysis, "last").build_ns == 300000000,
			"the path goes on with the one whose end is nearest, %s",
			parents ? "within a span" : "without parents");
		ok(parents ? analysis.assumed == 1 : analysis.idle_ns == 205000000,
			"a gap of a tenth is an order that is assumed, or one in which nothing "
			"ran");
		span_analysis_free(&analysis);
		span_table_free(&table);
		str_free(&text);
	}
}

static void test_faults(void)
{
	struct str text = STR_INIT;
	struct span_analysis analysis;
	struct span_table table;

	add_span(&text, "1", "r", "", "root", 0, 100);
	add_span(&text, "1", "x", "gone", "orphan", 10, 20);
	add_span(&text, "1", "p", "q", "p", 0, 50);
	add_span(&text, "1", "q", "p", "q", 10, 40);
	add_span(&text, "1", "s", "s", "itself", 0, 10);
	add_span(&text, "1", "r", "", "root", 0, 100);
	add_span(&text, "1", "late", "r", "late", 90, 200);
	add_span(&text, "1", "away", "r", "away", 300, 400);
	str_add(&text, "{\"trace_id\":\"1\",\"na\n\n[]\n{\"name\":\"no times\"}\n");
	add_span(&text, "2", "r", "", "client", 0, 100);
	add_span(&text, "2", "c", "r", "server", -500, -420);
	str_add(&text, "{\"trace_id\":\"1\",\"span_id\":\"e\",\"na");
	analyse_text(&analysis, &table, &text);
	ok(analysis.faults.orphans == 1 && analysis.faults.circles == 2 &&
			analysis.faults.duplicates == 1,
		"orphans, circles and duplicates are counted");
	ok(analysis.faults.outside == 3 && analysis.faults.shifted == 1,
		"so are children outside of their parents, and one whose clock is another one");
	ok(sum_of(&analysis, "server").path_ns == 80000000,
		"which is in the middle of its parent then");
	ok(table.bad == 3 && table.cut_off,
		"damaged lines are counted, and one that is cut off is none");
	ok(sum_of(&analysis, "root").count == 1, "what comes twice is counted once");
	ok(paths_sum_up(&analysis), "paths sum up to their roots all the same");
	span_analysis_free(&analysis);
	span_table_free(&table);
	str_free(&text);
}

/* Clients and servers, whose clock is ahead, or behind; what is within a server goes with it. */
static void test_clocks(void)
{
	static const int ahead_ms[] = {0, 15, 30, 5000, -15, -5000};
	const size_t clocks = sizeof(ahead_ms) / sizeof(*ahead_ms);
	struct str text = STR_INIT;
	struct span_analysis analysis;
	struct span_table table;
	size_t i;

	for (i = 0; i < clocks; i++) {
		char trace[8];

		snprintf(trace, sizeof(trace), "%zu", i);
		add_span(&text, trace, "c", "", "client", 0, 100);
		add_span(&text, trace, "s", "c", "server", 10 + ahead_ms[i], 90 + ahead_ms[i]);
		add_span(&text, trace, "d", "s", "disk", 30 + ahead_ms[i], 50 + ahead_ms[i]);
	}
	/* Nobody waited for these: they are too long, or there are two. */
	add_span(&text, "async", "c", "", "client", 0, 100);
	add_span(&text, "async", "s", "c", "queue", 50, 200);
	add_span(&text, "two", "c", "", "client", 0, 100);
	add_span(&text, "two", "s", "c", "queue", 50, 120);
	add_span(&text, "two", "t", "c", "queue", 60, 70);
	analyse_text(&analysis, &table, &text);
	ok(analysis.faults.outside == 7 && analysis.faults.shifted == 5,
		"a clock that is ahead is seen as one that is behind, and what goes on is not");
	ok(sum_of(&analysis, "server").path_ns == clocks * 60000000 &&
			sum_of(&analysis, "disk").path_ns == clocks * 20000000,
		"whatever the clock, the server has the same part of the path, and what is in it");
	ok(paths_sum_up(&analysis), "and the paths sum up to their roots");
	span_analysis_free(&analysis);
	span_table_free(&table);
	str_free(&text);
}

/* A tree with all that can be odd; parents are among the spans before and behind. */
static char *random_line(int n, int of)
{
	struct str line = STR_INIT;
	char id[32], parent[32], trace[32];
	const int from = (int)(next_random() % 1000), to = from + (int)(next_random() % 300);

	snprintf(id, sizeof(id), "%d", n - (next_random() % 20 == 0));
	snprintf(parent, sizeof(parent), "%d", (int)(next_random() % (unsigned int)of));
	snprintf(trace, sizeof(trace), "t%d", n % 3);
	add_span(&line, trace, id, next_random() % 4 ? parent : "", n % 2 ? "odd" : "even", from,
		to);
	return str_take(&line);
}

#define LINES 200

static bool same_sums(
	const struct span_analysis *a, const struct span_analysis *b, const char *name)
{
	const struct span_sum one = sum_of(a, name), other = sum_of(b, name);

	return one.count == other.count && one.sum_ns == other.sum_ns &&
		one.self_ns == other.self_ns && one.path_ns == other.path_ns &&
		one.build_ns == other.build_ns && one.p50_ns == other.p50_ns &&
		one.p99_ns == other.p99_ns;
}

static void test_order(void)
{
	size_t round, i, same = 0, exact = 0;

	for (round = 0; round < 100; round++) {
		char *lines[LINES];
		struct str text = STR_INIT, shuffled = STR_INIT;
		struct span_analysis one, other;
		struct span_table table, other_table;

		for (i = 0; i < LINES; i++) {
			lines[i] = random_line((int)i, LINES);
			str_add(&text, lines[i]);
		}
		for (i = LINES - 1; i; i--) {
			const size_t k = next_random() % (i + 1);
			char *swap = lines[i];

			lines[i] = lines[k];
			lines[k] = swap;
		}
		for (i = 0; i < LINES; i++) {
			str_add(&shuffled, lines[i]);
			free(lines[i]);
		}
		analyse_text(&one, &table, &text);
		analyse_text(&other, &other_table, &shuffled);
		same += same_sums(&one, &other, "odd") && same_sums(&one, &other, "even") &&
			one.faults.circles == other.faults.circles &&
			one.faults.outside == other.faults.outside;
		exact += paths_sum_up(&one) && paths_sum_up(&other);
		span_analysis_free(&one);
		span_analysis_free(&other);
		span_table_free(&table);
		span_table_free(&other_table);
		str_free(&text);
		str_free(&shuffled);
	}
	ok(same == 100, "the order of the lines changes nothing (%zu of 100 odd trees)", same);
	ok(exact == 100, "their critical paths are as long as their roots (%zu of 100)", exact);
}

/* As long a chain of parents as may come, and back: no call goes deeper for it. */
static void test_deep(void)
{
	enum { DEPTH = 200000 };
	struct span_table table = {0};
	struct span_analysis analysis;
	int i;

	for (i = 0; i < DEPTH; i++) {
		char id[32], parent[32];
		const struct span span = {"t", id, i ? parent : "", "deep", START + i,
			START + 2 * DEPTH - i, NULL, 0};

		snprintf(id, sizeof(id), "%d", i);
		snprintf(parent, sizeof(parent), "%d", i - 1);
		span_table_add(&table, &span);
	}
	span_analyse(&analysis, &table);
	ok(table.n == DEPTH && analysis.n_roots == 1 && paths_sum_up(&analysis),
		"a chain of %d parents ends well", DEPTH);
	span_analysis_free(&analysis);
	span_table_free(&table);
}

static const char *const odd_lines[] = {
	"{\"name\":\"a\",\"start\":\"2026-11-23T20:00:00Z\",\"duration\":5}",
	"{\"name\":\"a\",\"start\":\"2026-11-23T20:00:00.5+01:00\",\"duration\":5}",
	"{\"name\":\"a\",\"start\":\"1969-12-31T23:59:59.9Z\",\"duration\":5}",
	"{\"name\":\"a\",\"start\":\"2026-02-23T20:00:00.0123456789Z\",\"duration\":5}",
	"{\"name\":\"a\",\"start\":1700000000.25,\"duration\":1.5}",
	"{\"name\":\"a\",\"start_ns\":17,\"end_ns\":20}",
	"{\"name\":\"a\",\"start_ns\":\"17\",\"end_ns\":\"20\"}",
	"{\"name\":\"a\",\"start_ns\":21,\"end_ns\":20}",
	"{\"name\":\"a\",\"start\":5,\"duration\":-5}",
	"{\"name\":\"a\",\"start\":5,\"duration\":05}",
	"{\"name\":\"a\",\"start\":5,\"duration\":1e3}",
	"{\"name\":\"a\",\"start\":9223372036854775807,\"duration\":1}",
	"{\"name\":\"a\",\"start\":99999999999999999999,\"duration\":1}",
	"{\"name\":\"a\",\"start\":5,\"duration\":5,}",
	"{\"name\":\"a\",\"start\":5,\"duration\":5}x",
	"{\"name\":\"a\",\"start\":5,\"duration\":5} \r",
	"{ \"name\" : \"a\" , \"start\" : 5, \"duration\": 5 }",
	"{\"name\":\"\",\"start\":5,\"duration\":5}",
	"{\"name\":\"a\\u0041\\n\",\"start\":5,\"duration\":5}",
	"{\"name\":\"a\tb\",\"start\":5,\"duration\":5}",
	"{\"name\":null,\"start\":5,\"duration\":5}",
	"{\"name\":[1],\"start\":5,\"duration\":5}",
	"{\"span_id\":17,\"name\":\"a\",\"start\":5,\"duration\":5}",
	"{\"fields\":{\"a\":[{\"b\":\"}\"}]},\"name\":\"a\",\"start\":5,\"duration\":5}",
	"{\"fields\":{\"a\":]},\"name\":\"a\",\"start\":5,\"duration\":5}",
	"{\"a\":1,\"b\":2,\"c\":3,\"d\":4,\"e\":5,\"f\":6,\"g\":7,\"h\":8,\"i\":9,\"j\":0,\"k\":1,"
	"\"l\":2,\"m\":3,"
	"\"n\":4,\"o\":5,\"p\":6,\"name\":\"a\",\"start\":5,\"duration\":5}",
	"{}",
	"[]",
	"",
	"{",
};

static bool same_text(const struct json_text *a, const struct json_text *b)
{
	return a->at == b->at && a->len == b->len;
}

/* Every line, and every beginning of every line, one after another by a reader that learns. */
static void test_readers(void)
{
	struct span_line_reader reader = {0};
	size_t i, len, tried = 0, same = 0;

	for (i = 0; i < ARRAY_SIZE(odd_lines); i++)
		for (len = strlen(odd_lines[i]);; len--) {
			char *text = mem_zalloc(len + SPAN_LINE_PAD);
			struct span_line slow, fast;
			bool is_slow, is_fast;

			memcpy(text, odd_lines[i], len);
			is_slow = span_line_read(text, len, &slow);
			is_fast = span_line_scan(&reader, text, len, &fast);
			tried++;
			same += is_slow == is_fast &&
				(!is_slow ||
					(slow.start_ns == fast.start_ns &&
						slow.duration_ns == fast.duration_ns &&
						same_text(&slow.id, &fast.id) &&
						same_text(&slow.name, &fast.name)));
			free(text);
			if (!len)
				break;
		}
	ok(same == tried, "the fast reader says what the slow one says (%zu of %zu)", same, tried);
}

static bool reads_as(const char *text, const char *format, uint32_t n, uint64_t sum_ns)
{
	struct str all = STR_INIT;
	struct span_analysis analysis;
	struct span_table table;
	uint64_t sum = 0;
	bool good;
	uint32_t i;

	str_add(&all, text);
	analyse_text(&analysis, &table, &all);
	for (i = 0; i < table.n_names; i++)
		sum += analysis.names[i].sum_ns;
	good = table.n == n && sum == sum_ns && table.format && !strcmp(table.format, format) &&
		paths_sum_up(&analysis);
	if (!good)
		printf("# %s: %u spans, %llu ns\n", table.format ? table.format : "nothing",
			table.n, (unsigned long long)sum);
	span_analysis_free(&analysis);
	span_table_free(&table);
	str_free(&all);
	return good;
}

static void test_forms(void)
{
	ok(reads_as("{\"resourceSpans\":[{\"resource\":{},\"scopeSpans\":[{\"spans\":[{\"traceId\":"
		    "\"a\","
		    "\"spanId\":\"b\",\"name\":\"n\",\"startTimeUnixNano\":\"1700000000000000001\","
		    "\"endTimeUnixNano\":\"1700000000000000008\"}]}]}]}\n{\"resourceSpans\":[]}\n",
		   "OTLP", 1, 7),
		"OTLP is read, one object a line");
	ok(reads_as("{\"data\":[{\"traceID\":\"a\",\"spans\":[{\"traceID\":\"a\",\"spanID\":\"1\","
		    "\"operationName\":\"n\",\"startTime\":1700000000000000,\"duration\":3},{"
		    "\"traceID\":\"a\","
		    "\"spanID\":\"2\",\"references\":[{\"refType\":\"CHILD_OF\",\"spanID\":\"1\"}],"
		    "\"operationName\":\"m\",\"startTime\":1700000000000001,\"duration\":1}],"
		    "\"processes\":{}}]}",
		   "Jaeger", 2, 4000),
		"Jaeger is read, in microseconds");
	ok(reads_as("{\"traceEvents\":[{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":1.5,\"dur\":10.25,"
		    "\"name\":\"a\"},"
		    "{\"ph\":\"B\",\"pid\":1,\"tid\":2,\"ts\":2,\"name\":\"b\"},{\"ph\":\"M\","
		    "\"name\":\"x\"},"
		    "{\"ph\":\"E\",\"pid\":1,\"tid\":2,\"ts\":4}]}",
		   "Chrome", 2, 12250),
		"Chrome's events are read, B with E");
	ok(reads_as("[{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":0,\"dur\":10,\"name\":\"a\"},\n"
		    "{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":2,\"dur\":3,\"name\":\"b\"},\n{"
		    "\"ph\":\"X\",",
		   "Chrome", 2, 13000),
		"a list of them without its end, too");
	ok(reads_as("[{\"name\":\"a\",\"start_ns\":1,\"end_ns\":5}]", "JSON list", 1, 4),
		"a list of spans is read");
}

static void test_refused(void)
{
	static const char *const texts[] = {"hello\n", "{}\n", "{\"a\":1}\n", "\n\n", "1\n"};
	size_t i, refused = 0;
	struct span_table table = {0};

	for (i = 0; i < ARRAY_SIZE(texts); i++) {
		refused += spans_read_text(&table, texts[i], strlen(texts[i])) == -ENOEXEC;
		span_table_free(&table);
	}
	ok(refused == ARRAY_SIZE(texts), "what is no file of spans is refused");
	ok(spans_read_text(&table, "", 0) == -ENODATA, "and so is what is empty");
	span_table_free(&table);
}

/* A line of 10 MB, in a file large enough for two threads. */
static void test_large(void)
{
	struct str text = STR_INIT;
	struct span_analysis analysis;
	struct span_table table;
	int i;

	for (i = 0; i < 30000; i++) {
		char id[32];

		snprintf(id, sizeof(id), "%d", i);
		add_span(&text, "t", id, i ? "0" : "", "n", i ? i : 0, i ? i + 1 : 40000);
	}
	str_add(&text, "{\"name\":\"long\",\"start\":1,\"duration\":7,\"fields\":{\"a\":\"");
	for (i = 0; i < 10 << 20; i++)
		str_addc(&text, 'x');
	str_add(&text, "\"}}\n");
	for (i = 0; i < 30000; i++)
		add_span(&text, "u", "", "", "m", i, i + 1);
	analyse_text(&analysis, &table, &text);
	ok(sum_of(&analysis, "n").count == 30000 && sum_of(&analysis, "m").count == 30000 &&
			sum_of(&analysis, "long").sum_ns == 7 && !table.bad,
		"two threads miss no line, be one of 10 MB");
	ok(paths_sum_up(&analysis), "and their critical paths sum up");
	span_analysis_free(&analysis);
	span_table_free(&table);
	str_free(&text);
}

static void test_select(void)
{
	size_t round, good = 0;

	for (round = 0; round < 500; round++) {
		uint64_t values[100], found[3];
		const size_t n = 1 + next_random() % 100, ranks[3] = {n / 2, n - 1 - n / 20, n - 1};
		size_t i, k, right = 0;

		for (i = 0; i < n; i++)
			values[i] = next_random() % (1 + next_random() % 50);
		span_select(values, n, ranks, 3, found);
		for (k = 0; k < 3; k++) {
			size_t below = 0, equal = 0;

			for (i = 0; i < n; i++) {
				below += values[i] < found[k];
				equal += values[i] == found[k];
			}
			right += below <= ranks[k] && ranks[k] < below + equal;
		}
		good += right == 3;
	}
	ok(good == 500, "quantiles are values of their ranks (%zu of 500)", good);
}

static void test_fields(void)
{
	static const char otlp[] =
		"{\"attributes\":[{\"key\":\"a\",\"value\":{\"intValue\":\"7\"}}],\"name\":\"n\"}";
	static const char plain[] =
		"{\"name\":\"n\",\"fields\":{\"a\":{\"b\":\"x\\n\"},\"name\":true}}";
	struct str value = STR_INIT;

	ok(!span_field_in(otlp, strlen(otlp), "a", &value) && !strcmp(str_text(&value), "7"),
		"an attribute of OTLP is found");
	ok(!span_field_in(plain, strlen(plain), "a.b", &value) && !strcmp(str_text(&value), "x\n"),
		"a field within another is found, its escapes undone");
	ok(!span_field_in(plain, strlen(plain), "name", &value) &&
			!strcmp(str_text(&value), "true"),
		"a field goes before what the span itself calls so");
	ok(span_field_in(plain, strlen(plain), "b", &value) == -ENOENT,
		"what is not there is not found");
	str_free(&value);
}

static void test_stages(void)
{
	struct str text = STR_INIT;
	struct span_analysis analysis;
	struct span_table table;
	struct span_stages stages;
	uint64_t sum = 0;
	size_t i;

	add_span(&text, "1", "r", "", "cc", 0, 100);
	add_span(&text, "1", "u", "r", "s3.store", 20, 100);
	add_span(&text, "2", "r", "", "?", 150, 160);
	analyse_text(&analysis, &table, &text);
	span_stages_default(&stages);
	span_stages_share(&stages, &analysis);
	for (i = 0; i < stages.n; i++)
		sum += stages.list[i].build_ns;
	ok(sum == span_analysis_wall(&analysis) && stages.list[2].build_ns == 80000000 &&
			stages.list[stages.n - 1].build_ns == 50000000 &&
			stages.list[stages.n - 2].build_ns == 10000000,
		"stages share out the whole build: upload, what no section names, and rest");
	span_stages_free(&stages);
	span_analysis_free(&analysis);
	span_table_free(&table);
	str_free(&text);
}

/* The course of the jobs that are the children of one root. */
static bool course_is(const struct span_analysis *analysis, size_t from, size_t to, double jobs)
{
	bool is = true;

	for (; from < to; from++)
		is = is && fabs(analysis->jobs.course[from] - jobs) < 1e-6;
	return is;
}

static void test_course(void)
{
	static const char *const ids[] = {"a", "b", "c", "d"};
	struct str text = STR_INIT, line = STR_INIT;
	struct span_analysis analysis;
	struct span_table table;
	int i;

	add_span(&text, "1", "r", "", "make", 0, 600);
	for (i = 0; i < 4; i++)
		add_span(&text, "1", ids[i], "r", "cc", 0, i < 3 ? 300 : 600);
	analyse_text(&analysis, &table, &text);
	ok(analysis.jobs.peak == 4 && course_is(&analysis, 0, 30, 4) &&
			course_is(&analysis, 30, 60, 1),
		"the course is that of the jobs, not of the root around them");
	spark_add_eighths(&line, analysis.jobs.course, SPAN_COURSE_PARTS, 4, false);
	ok(!strncmp(str_text(&line), "##############################..............................",
		   60),
		"and is drawn from 0 to their peak: %s", str_text(&line));
	span_analysis_free(&analysis);
	span_table_free(&table);
	str_free(&text);
	str_free(&line);
}

static void test_course_steady(void)
{
	const double values[] = {4, 4 - 1e-9, 2 + 1e-9, 2 - 1e-9, 1, 0, 5};
	struct str line = STR_INIT;

	spark_add_eighths(&line, values, ARRAY_SIZE(values), 4, false);
	ok(!strcmp(str_text(&line), "##--._#"), "what never changes is level: %s", str_text(&line));
	str_free(&line);
}

int main(void)
{
	test_course();
	test_course_steady();
	test_path();
	test_assumed_order();
	test_faults();
	test_clocks();
	test_order();
	test_deep();
	test_readers();
	test_forms();
	test_refused();
	test_large();
	test_select();
	test_fields();
	test_stages();
	return tap_done();
}
