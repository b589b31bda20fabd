/* SPDX-License-Identifier: GPL-2.0-only */
/* Do logs of ninja and files of clang -ftime-trace become one build on one clock? */
#include "base/banned.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/str.h"
#include "spans/analysis.h"
#include "spans/fields.h"
#include "spans/join.h"
#include "spans/read.h"
#include "spans/spans.h"
#include "tests/unit/tap.h"

#define MS INT64_C(1000000)
#define BEGAN INT64_C(1763900000000000000) /* of the build */

static int read_named(struct span_table *table, const char *path, const char *text)
{
	const int fd = memfd_create("test", MFD_CLOEXEC);

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		return -EIO;
	return spans_read(table, path, fd, NULL, NULL);
}

/* The first row of a name, or SPAN_NONE. */
static uint32_t row_of(const struct span_table *table, const char *name)
{
	uint32_t row;

	for (row = 0; row < table->n; row++)
		if (!strcmp(table->names[table->name[row]].text, name))
			return row;
	return SPAN_NONE;
}

static bool is_at(const struct span_table *table, const char *name, int64_t from_ms, int64_t to_ms)
{
	const uint32_t row = row_of(table, name);

	return row != SPAN_NONE && table->start_ns[row] == BEGAN + from_ms * MS &&
		table->duration_ns[row] == (uint64_t)((to_ms - from_ms) * MS);
}

static bool has_field(const struct span_table *table, const char *name, const char *value)
{
	struct str text = STR_INIT;
	const uint32_t row = row_of(table, name);
	const bool has = row != SPAN_NONE && !span_field_text(table, row, "output", &text) &&
		!strcmp(str_text(&text), value);

	str_free(&text);
	return has;
}

static void test_log(void)
{
	struct span_table table = {0};

	/* The first three are of another build; lib has two outputs; d was changed in the future.
	 */
	ok(!read_named(&table, ".ninja_log",
		   "# ninja log v5\n"
		   "0\t900\t1763800000900000000\told.o\taa\n"
		   "5\t950\t1763800000950000000\told.h\taa\n"
		   "5\t950\t1763800000950000000\told.i\taa\n"
		   "0\t300\t1763900000299000000\tobj/a.o\t1\n"
		   "10\t400\t1763900000400000000\tlib/l.so.1.2\t2\n"
		   "10\t400\t1763900000399000000\tlib/l.h\t2\n"
		   "400\t900\t1763900000890000000\tprogram\t3\n"
		   "bad\n"
		   "900\t950\t2200000000000000000\td.stamp\t4\n"),
		"a log of ninja is read");
	ok(table.n == 5 && table.earlier == 2 && table.bad == 1,
		"the last build of it, each job once, and what is damaged is counted");
	ok(is_at(&table, "ninja", 0, 950) && is_at(&table, "*.o", 0, 300) &&
			is_at(&table, "*.so", 10, 400) && is_at(&table, "program", 400, 900),
		"its jobs are on the clock by the output that was changed last before its end");
	ok(has_field(&table, "*.so", "lib/l.so.1.2"), "what is an output's ending is no version");
	span_table_free(&table);
	ok(!read_named(&table, "log",
		   "# ninja log v6\n100\t300\t1763900000100000000\ta.o\t1\n"
		   "200\t300\t1763900000200000000\tb.c\t1\n250\t350\t1763800000000000000\tc."
		   "d\t1\n") &&
			is_at(&table, "*.o", 100, 300),
		"from version 6 on they are there by when they began");
	span_table_free(&table);
	ok(read_named(&table, "log", "# ninja log v5\n") == -ENODATA,
		"a log without jobs has none");
	span_table_free(&table);
	ok(read_named(&table, "log",
		   "# ninja log v5\n5\t1\t1\ta\tb\n99999999999999999\t1\t1\ta\tb\n") == -ENODATA,
		"or with such as cannot be");
	span_table_free(&table);
}

static const char compiler[] =
	"{\"traceEvents\":["
	"{\"pid\":77,\"tid\":77,\"ph\":\"X\",\"ts\":1000,\"dur\":50000,\"name\":\"Source\","
	"\"args\":{\"detail\":\"x.h\"}},"
	"{\"pid\":77,\"tid\":77,\"ph\":\"X\",\"ts\":0,\"dur\":%d,\"name\":\"ExecuteCompiler\"},"
	"{\"pid\":77,\"tid\":78,\"ph\":\"X\",\"ts\":0,\"dur\":900000,\"name\":\"Total Source\","
	"\"args\":{\"count\":9,\"avg ms\":100}},"
	"{\"cat\":\"\",\"pid\":77,\"tid\":77,\"ts\":0,\"ph\":\"M\",\"name\":\"process_name\"}],"
	"\"beginningOfTime\":%lld}";

static void read_compiler(struct span_table *table, const char *path, int ms, int64_t start_ns)
{
	char text[1024];

	snprintf(text, sizeof(text), compiler, ms * 1000, (long long)(start_ns / 1000));
	ok(!read_named(table, path, text), "what clang -ftime-trace wrote is read");
}

static uint64_t parent_of(const struct span_table *table, const char *name)
{
	return table->parent[row_of(table, name)];
}

static void test_joined_to_log(void)
{
	struct span_table table = {0};
	struct span_analysis analysis;

	read_compiler(&table, "/build/obj/a.json", 280, BEGAN + 15 * MS);
	ok(row_of(&table, "Total Source") == SPAN_NONE && is_at(&table, "ExecuteCompiler", 15, 295),
		"on its clock, without its sums");
	/* The file system's clock is 10 ms behind. */
	read_named(&table, "/build/.ninja_log",
		"# ninja log v5\n0\t300\t1763900000290000000\tobj/a.o\t1\n"
		"0\t310\t1763900000300000000\tother/a.o\t2\n");
	span_join(&table);
	ok(table.joined == 1 &&
			parent_of(&table, "ExecuteCompiler") == table.id[row_of(&table, "*.o")],
		"it is within the job whose output lies beside it");
	ok(is_at(&table, "*.o", -5, 295) && is_at(&table, "ExecuteCompiler", 15, 295),
		"which is moved on the clock to be around it");
	span_analyse(&analysis, &table);
	ok(analysis.n_traces == 1 && !analysis.faults.outside && !analysis.faults.orphans,
		"so that they are one trace without a fault");
	span_analysis_free(&analysis);
	span_table_free(&table);
}

static void add_process(struct str *out, const char *id, int pid, int from_ms, int to_ms)
{
	const struct span_field fields[] = {{"pid", NULL, pid}};
	const struct span span = {
		"1", id, "", id, BEGAN + from_ms * MS, BEGAN + to_ms * MS, fields, 1};

	span_write(out, &span);
}

static void test_joined_to_processes(void)
{
	struct span_table table = {0};
	struct str text = STR_INIT;

	/* The number was another one's before. */
	add_process(&text, "before", 77, 0, 100);
	add_process(&text, "clang", 77, 200, 500);
	add_process(&text, "beside", 78, 200, 500);
	ok(strstr(str_text(&text), "\"pid\":77}") != NULL, "whole numbers are written as such");
	read_named(&table, "kept", str_text(&text));
	read_compiler(&table, "/build/obj/a.json", 280, BEGAN + 210 * MS);
	span_join(&table);
	ok(table.joined == 1 &&
			parent_of(&table, "ExecuteCompiler") == table.id[row_of(&table, "clang")],
		"it is within the process that had its number then");
	ok(parent_of(&table, "Source") == table.id[row_of(&table, "ExecuteCompiler")],
		"and what is within it stays there");
	span_table_free(&table);
	read_named(&table, "kept", str_text(&text));
	read_compiler(&table, "/build/obj/a.json", 280, BEGAN + 600 * MS);
	span_join(&table);
	ok(!table.joined && !parent_of(&table, "ExecuteCompiler"),
		"where there was none, in nothing");
	span_table_free(&table);
	str_free(&text);
}

int main(void)
{
	test_log();
	test_joined_to_log();
	test_joined_to_processes();
	return tap_done();
}
