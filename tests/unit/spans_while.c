/* SPDX-License-Identifier: GPL-2.0-only */
/* Do the events of processes and the kernel's list of locks become the right spans? */
#include "base/banned.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/str.h"
#include "bpf/probe/process.h"
#include "spans/analysis.h"
#include "spans/fields.h"
#include "spans/read.h"
#include "spans/spans.h"
#include "tests/unit/tap.h"
#include "tools/span/holder.h"
#include "tools/span/processes.h"
#include "tools/span/processes_file.h"
#include "tools/span/while.h"
#include "tools/span/while_locks.h"
#include "tools/span/while_text.h"

#define MS UINT64_C(1000000)
#define COMMAND 100

static uint64_t began_ns;

static void begin(struct span_while *run)
{
	*run = (struct span_while){0};
	span_limits_default(&run->limits);
	processes_begin(&run->processes, memfd_create("test", MFD_CLOEXEC), COMMAND, false);
	began_ns = run->processes.list->start_ns;
}

static void forked(struct span_while *run, uint32_t parent, uint32_t pid, uint64_t ms)
{
	const struct process_fork event = {
		{PROCESS_FORK, pid, began_ns + ms * MS}, parent, "parent"};

	processes_take(&run->processes, &event, sizeof(event));
}

static void executed(
	struct span_while *run, uint32_t pid, const char *args, uint32_t len, uint32_t whole)
{
	struct process_exec event = {
		.event = {PROCESS_EXEC, pid, began_ns}, .comm = "comm", .len = len, .whole = whole};

	memcpy(event.args, args, len < PROCESS_ARGS ? len : PROCESS_ARGS);
	processes_take(&run->processes, &event, sizeof(event));
}

static void exited(struct span_while *run, uint32_t pid, uint64_t ms, uint32_t code)
{
	const struct process_exit event = {.event = {PROCESS_EXIT, pid, began_ns + ms * MS},
		.cpu_ns = 8 * MS,
		.user_ns = 3 * MS,
		.system_ns = MS,
		.part_ns = {[WAITS_QUEUE] = 2 * MS},
		.rss_pages = 10,
		.code = code};

	processes_take(&run->processes, &event, sizeof(event));
}

/* The file that was written, as a table; the run's processes have ended. */
static void read_back(struct span_while *run, struct span_table *table)
{
	*table = (struct span_table){0};
	processes_end(&run->processes);
	lseek(run->processes.fd, 0, SEEK_SET);
	spans_read(table, "kept", dup(run->processes.fd), NULL, NULL);
}

static void end(struct span_while *run)
{
	close(run->processes.fd);
	span_while_free(run);
}

static bool is_span(const struct span_table *table, uint32_t row, const char *name, uint64_t ms)
{
	return row < table->n && !strcmp(table->names[table->name[row]].text, name) &&
		table->duration_ns[row] == ms * MS;
}

static bool has(const struct span_table *table, uint32_t row, const char *key, const char *value)
{
	struct str text = STR_INIT;
	const bool same =
		!span_field_text(table, row, key, &text) && !strcmp(str_text(&text), value);

	str_free(&text);
	return same;
}

static bool has_seconds(const struct span_table *table, uint32_t row, const char *key, double s)
{
	struct str text = STR_INIT;
	const bool same = !span_field_text(table, row, key, &text) &&
		fabs(strtod(str_text(&text), NULL) - s) < 1e-12;

	str_free(&text);
	return same;
}

static void test_lives(void)
{
	static const char words[] = "/usr/bin/cc\0-c\0a\x1b.c";
	struct span_while run;
	struct span_table table;

	begin(&run);
	forked(&run, COMMAND, 101, 10);
	executed(&run, 101, words, sizeof(words), sizeof(words));
	exited(&run, 101, 50, 256);
	forked(&run, COMMAND, 101, 60);
	exited(&run, 101, 70, 9);
	forked(&run, 7777, 102, 80);
	/* An end before its beginning, of clocks that are read at two places. */
	exited(&run, 102, 20, 0);
	exited(&run, 5555, 20, 0);
	read_back(&run, &table);
	ok(table.n == 4 && !table.bad,
		"each process is one span, and what was never begun is none");
	ok(is_span(&table, 0, "cc", 40) && has(&table, 0, "exit", "1") &&
			has_seconds(&table, 0, "user_s", 0.006) &&
			has_seconds(&table, 0, "run_queue_s", 0.002),
		"named by its program, with how it ended and its time on CPUs");
	ok(has(&table, 0, "command", "/usr/bin/cc -c a\\x1b.c"),
		"its command line is one visible line");
	ok(is_span(&table, 1, "?", 10) && has(&table, 1, "signal", "9") &&
			table.id[1] != table.id[0],
		"another process of the same number is another span, with its parent's name");
	ok(is_span(&table, 2, "parent", 0) && !table.parent[2],
		"one whose parent is not known is a root, and none is shorter than nothing");
	ok(table.parent[0] == table.id[3] && has(&table, 3, "still_running", "1"),
		"what is left at the end is written as far as it came");
	span_table_free(&table);
	end(&run);
}

/* As the kernel's side sends it: without what no word is in. */
static void test_short_words(void)
{
	struct process_exec event = {
		.event = {PROCESS_EXEC, COMMAND, 0}, .comm = "cc", .len = 900, .whole = 5};
	struct span_while run;
	struct span_table table;

	memset(event.args, 'x', sizeof(event.args));
	begin(&run);
	processes_take(&run.processes, &event, offsetof(struct process_exec, args) + 5);
	read_back(&run, &table);
	ok(has(&table, 0, "command", "xxxxx"), "of a command line only what has come is read");
	span_table_free(&table);
	end(&run);
}

/* What is in the file when nobody ends it. */
static void read_killed(struct span_while *run, struct span_table *table)
{
	*table = (struct span_table){0};
	lseek(run->processes.fd, 0, SEEK_SET);
	spans_read(table, "kept", dup(run->processes.fd), NULL, NULL);
}

static void test_killed(void)
{
	struct span_while run;
	struct span_table table;
	struct span_analysis analysis;

	begin(&run);
	executed(&run, COMMAND, "make", 5, 5);
	forked(&run, COMMAND, 101, 10);
	forked(&run, 101, 102, 20);
	exited(&run, 102, 500, 0);
	processes_flush(&run.processes, began_ns + 600 * MS);
	/* It becomes a program of a name that is longer than what its draft has room for. */
	executed(&run, 101, "/bin/a-name-that-is-so-long-that-its-draft-has-no-room", 55, 55);
	forked(&run, COMMAND, 103, 700);
	executed(&run, 103, "hangs", 6, 6);
	processes_flush(&run.processes, began_ns + 2600 * MS);
	read_killed(&run, &table);
	span_analyse(&analysis, &table);
	ok(table.n == 4 && !table.bad && !analysis.faults.orphans && !analysis.faults.outside &&
			!analysis.faults.duplicates,
		"whatever lives is in the file when it is read before the end, without a hole");
	ok(is_span(&table, 0, "make", 2600) && has(&table, 0, "still_running", "1"),
		"as if it ended now");
	ok(span_analysis_wall(&analysis) == 2600 * MS, "and what hangs is in it to the last look");
	span_analysis_free(&analysis);
	span_table_free(&table);
	exited(&run, 103, 2700, 0);
	exited(&run, 101, 2800, 0);
	exited(&run, COMMAND, 2900, 0);
	read_back(&run, &table);
	ok(table.n == 4 && !table.bad && is_span(&table, 3, "make", 2900),
		"each has one line at the end");
	span_table_free(&table);
	end(&run);
}

static void test_damaged(void)
{
	static const struct process_event kinds[] = {
		{PROCESS_FORK, 1, 1}, {PROCESS_EXEC, 1, 1}, {PROCESS_EXIT, 1, 1}, {99, 1, 1}};
	struct span_while run;
	struct span_table table;
	size_t i, len;

	begin(&run);
	for (i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		for (len = 0; len <= sizeof(*kinds); len++)
			processes_take(&run.processes, &kinds[i], len);
	executed(&run, COMMAND, "x", 1, 4000);
	executed(&run, COMMAND, "", 0, 0);
	read_back(&run, &table);
	ok(table.n == 1, "events that are too short are passed over");
	ok(has(&table, 0, "command", ""), "a command without a word has an empty command line");
	span_table_free(&table);
	end(&run);
}

static void test_locks(void)
{
	char text[] = "1: FLOCK  ADVISORY  WRITE 101 00:2a:99 0 EOF\n"
		      "1: -> FLOCK  ADVISORY  WRITE 102 00:2a:99 0 EOF\n"
		      "1: -> FLOCK  ADVISORY  WRITE 999 00:2a:99 0 EOF\n"
		      "2: POSIX  ADVISORY  WRITE 5 00:2a:98 0 EOF\n"
		      "nonsense\n3:\n4: ->\n";
	char open_file[] = "1: FLOCK  ADVISORY  WRITE 101 00:2a:99 0 EOF\n"
			   "2: OFDLCK ADVISORY  WRITE -1 00:2a:97 0 0\n"
			   "2: -> OFDLCK ADVISORY  WRITE -1 00:2a:97 0 0\n"
			   "2: -> POSIX  ADVISORY  WRITE 102 00:2a:97 0 0\n";
	struct span_while run;
	struct str said = STR_INIT;

	begin(&run);
	forked(&run, COMMAND, 101, 0);
	executed(&run, 101, "holder", 7, 7);
	forked(&run, COMMAND, 102, 0);
	while_locks_parse(&run, text, 0.25);
	ok(run.lock_s == 0.25 && run.processes.list[2].lock_s == 0.25,
		"who waits for a lock is charged, and nobody who is not of the command");
	ok(!strcmp(run.lock_holder, "holder"), "the holder is named");
	while_locks_parse(&run, open_file, 0.5);
	ok(run.lock_s == 0.75 && !strstr(run.lock_holder, "holder") &&
			strstr(run.lock_holder, "none of the command's"),
		"a lock of an open file has no process, and is charged to nobody else");
	exited(&run, 101, 10, 0);
	exited(&run, 102, 800, 0);
	exited(&run, COMMAND, 1000, 0);
	span_while_text(&said, &run, NULL);
	ok(strstr(str_text(&said), "1 of its processes waited for a lock on a file") != NULL,
		"one that waited is one");
	str_free(&said);
	end(&run);
}

static void look(struct span_while *run, const char *checks, uint64_t from_ms, uint64_t to_ms)
{
	const int64_t zero_ns = (int64_t)began_ns + run->processes.realtime_ns;
	struct str report = STR_INIT;

	str_addf(&report, "{\"schema\":\"tuesday/1\",\"checks\":[%s]}", checks);
	meanwhile_read(&run->meanwhile, &report, zero_ns + (int64_t)(from_ms * MS),
		zero_ns + (int64_t)(to_ms * MS));
	str_free(&report);
}

/* Jobs one after the other, of which the second holds the build, and three looks of the checks. */
static void two_jobs(struct span_while *run)
{
	begin(run);
	forked(run, COMMAND, 101, 0);
	executed(run, 101, "first", 6, 6);
	exited(run, 101, 900, 0);
	forked(run, COMMAND, 102, 1000);
	executed(run, 102, "second", 7, 7);
	exited(run, 102, 3000, 0);
	exited(run, COMMAND, 3000, 0);
	look(run,
		"{\"check\":\"memory\",\"verdict\":\"bad\",\"summary\":\"it swaps\"},"
		"{\"check\":\"disk\",\"verdict\":\"good\",\"summary\":\"it rests\"}",
		0, 1000);
	look(run, "{\"check\":\"cpu\",\"verdict\":\"maybe\",\"summary\":\"a few wait\"}", 500,
		2000);
	look(run, "{\"check\":\"cpu\",\"verdict\":\"bad\",\"summary\":\"all wait\"}", 2000, 2500);
	look(run, "no answer", 2500, 3000);
}

static void test_meanwhile(void)
{
	struct span_while run;
	struct span_table table;
	struct span_analysis analysis;
	struct span_holder holder;
	struct str said = STR_INIT;

	two_jobs(&run);
	read_back(&run, &table);
	span_analyse(&analysis, &table);
	span_holder_find(&holder, &analysis, 0.05);
	span_while_text(&said, &run, &holder);
	ok(holder.believed && !strcmp(table.names[holder.name].text, "second") &&
			holder.ns == 2000 * MS,
		"what has most of the critical path holds the build");
	ok(!strncmp(str_text(&said), "Meanwhile: cpu bad, for 1.5 s of that: all wait\n", 48),
		"under it stands what a check said in its time, by the worst of its looks");
	ok(!strstr(str_text(&said), "swaps") && !strstr(str_text(&said), "rests"),
		"and neither what was said before, nor who was good");
	str_free(&said);
	span_while_text(&said, &run, NULL);
	ok(strstr(str_text(&said), "Meanwhile: memory bad, for 1 s of that: it swaps\n") != NULL,
		"of the whole time that is told, too");
	str_free(&said);
	span_holder_free(&holder);
	span_analysis_free(&analysis);
	span_table_free(&table);
	end(&run);
}

int main(void)
{
	test_lives();
	test_short_words();
	test_killed();
	test_damaged();
	test_locks();
	test_meanwhile();
	return tap_done();
}
