/* SPDX-License-Identifier: GPL-2.0-only */
/* Does a declared trace count the events whose fields are as its conditions say, and no others? */
#include "base/banned.h"

#include <arpa/inet.h>
#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/str.h"
#include "capture/capture.h"
#include "attached.h"
#include "loopdisk.h"
#include "sample/instances.h"
#include "tap.h"
#include "trace/event_fields.h"
#include "trace/event_format.h"
#include "trace/event_where.h"
#include "trace/result.h"
#include "trace/spec.h"
#include "trace/trace.h"

#define EVENTS 23

static void test_forms(void)
{
	static const struct {
		const char *text, *error; /* NULL: right */
	} forms[] = {
		{"order > 0", NULL},
		{"order>0", NULL},
		{"a == 1 and b != -2 and c <= 0x10 and d >= 4 and e < 5 and f > 6 and g has 7 and "
		 "h "
		 "lacks 8",
			NULL},
		{"comm == \"a b and c\" and rwbs has S", NULL},
		{"state == TCP_ESTABLISHED", NULL},
		{"order", "does not begin with FIELD and one of"},
		{"order = 1", "does not begin with FIELD and one of"},
		{"> 1", "does not begin with FIELD and one of"},
		{"order hasty 1", "does not begin with FIELD and one of"},
		{"order >", "behind 'order >' there is no value"},
		{"order > and x > 1", "behind 'order >' there is no value"},
		{"comm == \"never ends", "behind 'comm ==' there is no value"},
		{"order > 0 and", "does not begin with FIELD and one of"},
		{"order > 0 or order < 0", "joined by 'and' only"},
		{"order > 0 rwbs has S", "'rwbs has S' is not joined"},
		{"a > 0 and a > 1 and a > 2 and a > 3 and a > 4 and a > 5 and a > 6 and a > 7 and "
		 "a "
		 "> 8",
			"more than 8 conditions"},
	};
	struct str error = STR_INIT;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(forms); i++) {
		int err;

		str_clear(&error);
		err = where_check(forms[i].text, &error);
		ok(!err == !forms[i].error && (!err || strstr(str_text(&error), forms[i].error)),
			"'%s': %s", forms[i].text, err ? str_text(&error) : "right");
	}
	str_free(&error);
}

static const char format_text[] =
	"ID: 1\nformat:\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:unsigned int order;\toffset:8;\tsize:4;\tsigned:0;\n"
	"\tfield:u8 byte;\toffset:12;\tsize:1;\tsigned:0;\n"
	"\tfield:s8 small;\toffset:13;\tsize:1;\tsigned:1;\n"
	"\tfield:s64 big;\toffset:16;\tsize:8;\tsigned:1;\n"
	"\tfield:u64 huge;\toffset:24;\tsize:8;\tsigned:0;\n"
	"\tfield:char rwbs[10];\toffset:32;\tsize:10;\tsigned:0;\n"
	"\tfield:int reason;\toffset:44;\tsize:4;\tsigned:1;\n"
	"\tfield:long list[4];\toffset:48;\tsize:32;\tsigned:1;\n\n"
	"print fmt: \"%s\", __print_symbolic(REC->reason, { 2, \"NOT_SPECIFIED\" }, { -1, \"NONE\" "
	"})\n";

/* What is wrong with a condition on such an event, "" for nothing. */
static void compile(const char *where, struct declared *out, struct str *why)
{
	struct trace_spec spec = {.event = "a:b", .where = (char *)where};
	struct event_format format;

	str_clear(why);
	event_format_parse(&format, format_text, strlen(format_text));
	declared_compile(&spec, &format, NULL, out, why);
	event_format_free(&format);
}

static void test_fields(void)
{
	static const struct {
		const char *where, *why;
	} wrong[] = {
		{"odrer > 0", "a:b has no field 'odrer' on this kernel; did you mean 'order'?"},
		{"nothing > 0", "a:b has no field 'nothing' on this kernel"},
		{"order > -1", "field 'order' has no sign: it is never -1"},
		{"byte == 256", "field 'byte' has 8 bits: it is never 256"},
		{"small == 128", "field 'small' has 8 bits: it is never 128"},
		{"small == -129", "field 'small' has 8 bits: it is never -129"},
		{"rwbs > 3", "field 'rwbs' is text, and '>' is for numbers"},
		{"rwbs has 123456789", "text behind 'has' has 1 to 8 characters"},
		{"rwbs == 1234567890123456", "text behind '==' has at most 15 characters"},
		{"order == few", "field 'order' is a number, and 'few' is none"},
		{"order == 1x", "field 'order' is a number, and '1x' is none"},
		{"reason == NOT_SPECIFED", "did you mean 'NOT_SPECIFIED'?"},
		{"list == 1", "field 'list' is neither a number nor text"},
		{"common_pid == 1", "field 'common_pid' is neither a number nor text"},
		{"rwbs lacks \"\"", "text behind 'lacks' has 1 to 8 characters"},
		{"order has 0", "'has 0' asks for no bit"},
	};
	static const char *const right[] = {"order == 4294967295", "byte == 0xff", "small == -128",
		"big == -9223372036854775808", "huge == 18446744073709551615", "reason == NONE",
		"rwbs == \"\"", "rwbs lacks S and reason != NOT_SPECIFIED"};
	struct declared declared;
	struct str why = STR_INIT;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		compile(wrong[i].where, &declared, &why);
		ok(strstr(str_text(&why), wrong[i].why) != NULL, "'%s': %s", wrong[i].where,
			str_text(&why));
	}
	for (i = 0; i < ARRAY_SIZE(right); i++) {
		compile(right[i], &declared, &why);
		ok(!why.len && declared.pair.where[0].accept, "'%s' is compiled%s%s", right[i],
			why.len ? ": " : "", str_text(&why));
	}
	str_free(&why);
}

/* The workload does each thing a known number of times, beside others that look alike. */

struct workload {
	int go[2], done[2];
	pid_t pid;
	bool told, finished;
	char disk[32]; /* the name of a loop device */
	int disk_fd;   /* or -1: there is none */
};

static void send_signals(void)
{
	const union sigval value = {0};
	sigset_t all;
	int i;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	for (i = 0; i < EVENTS; i++) {
		kill(getpid(), SIGUSR1);
		kill(getpid(), SIGUSR2);
		syscall(SYS_tgkill, getpid(), getpid(), SIGUSR2);
		if (i < 5)
			sigqueue(getpid(), SIGRTMIN, value);
	}
}

static void sleep_some(void)
{
	const struct timespec one_ms = {0, 1000000}, wrong = {0, -1};
	int i;

	for (i = 0; i < EVENTS; i++) {
		clock_nanosleep(CLOCK_MONOTONIC, 0, &one_ms, NULL);
		clock_nanosleep(CLOCK_REALTIME, 0, &one_ms, NULL);
		if (i < 9)
			clock_nanosleep(CLOCK_MONOTONIC, 0, &wrong, NULL);
	}
}

static void listen_some(void)
{
	int i;

	for (i = 0; i < 5; i++) {
		int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

		listen(fd, 1);
		close(fd);
	}
}

static void start_programs(const char *path, int times)
{
	char *const argv[] = {(char *)path, NULL};
	int i;

	for (i = 0; i < times; i++) {
		pid_t pid = fork();

		if (!pid) {
			execv(path, argv);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
	}
}

/* Reads that somebody waits for, and writes that nobody does: the page cache sends them. */
static void use_disk(const struct workload *workload)
{
	char device[48];
	void *buffer = NULL;
	int i, fd;

	if (workload->disk_fd < 0 || posix_memalign(&buffer, 4096, 4096))
		return;
	memset(buffer, 1, 4096);
	snprintf(device, sizeof(device), "/dev/%s", workload->disk);
	fd = open(device, O_WRONLY | O_CLOEXEC);
	/* First the reads: one of what is dirty would have it written, and wait. */
	for (i = 0; i < EVENTS; i++)
		if (pread(workload->disk_fd, buffer, 4096, (off_t)i * 65536) < 0)
			break;
	for (i = 0; fd >= 0 && i < EVENTS; i++)
		if (pwrite(fd, buffer, 4096, (off_t)i * 131072) < 0)
			break;
	sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WRITE);
	sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WAIT_BEFORE);
	free(buffer);
	close(fd);
}

static void work(const struct workload *workload)
{
	char byte;
	int i;

	prctl(PR_SET_NAME, "T3where");
	if (read(workload->go[0], &byte, 1) != 1)
		_exit(1);
	send_signals();
	sleep_some();
	for (i = 0; i < EVENTS; i++) {
		syscall(SYS_getpgid, -5L);
		syscall(SYS_getpgid, 2000000007L);
	}
	listen_some();
	start_programs("/bin/true", 7);
	start_programs("/bin/false", 3);
	use_disk(workload);
	byte = 1;
	if (write(workload->done[1], &byte, 1) != 1)
		_exit(1);
	pause();
	_exit(0);
}

static bool watch(void *arg, double share)
{
	struct workload *workload = arg;
	char byte = 1;

	if (!workload->told) {
		workload->told = share > 0.5 || is_attached(workload->pid);
		return !workload->told || write(workload->go[1], &byte, 1) == 1;
	}
	if (read(workload->done[0], &byte, 1) != 1)
		return true;
	workload->finished = true;
	return false;
}

#define BASE .check = "test", .value_unit = 1e-9, .run_seconds = 8
#define SIGNALS BASE, .event = "signal:signal_generate"
#define PGID BASE, .event = "syscalls:sys_enter_getpgid"
#define EXEC BASE, .event = "sched:sched_process_exec"
#define SLEEP \
	BASE, .begin = "syscalls:sys_enter_clock_nanosleep", \
	      .end = "syscalls:sys_exit_clock_nanosleep", .key = "tid", .who = "comm", \
	      .ignore = "[!T]* T T[!3]*"

#define BLOCK \
	BASE, .begin = "block:block_rq_issue", .end = "block:block_rq_complete", \
	      .key = "dev sector", .by = "dev"

/* As disk.ini has it. */
static const struct trace_spec waited_for = {BLOCK, .name = "waited_for",
	.where = "rwbs != W and rwbs != D and rwbs != DE and rwbs != N"};
static const struct trace_spec written_back = {BLOCK, .name = "written_back", .where = "rwbs == W"};

static const struct {
	struct trace_spec spec;
	double count;
} wanted[] = {
	{{SIGNALS, .name = "equal", .where = "sig == 10 and comm == T3where"}, EVENTS},
	{{SIGNALS, .name = "negative", .where = "comm == T3where and code < -1"}, EVENTS},
	{{SIGNALS, .name = "at_least", .where = "sig != 17 and comm == T3where and code >= -1"},
		2 * EVENTS + 5},
	{{SIGNALS, .name = "minus_one", .where = "comm has where and code == -1"}, 5},
	{{SIGNALS, .name = "bits", .where = "comm has T3 and code == 0 and sig has 0x2"}, EVENTS},
	{{SIGNALS, .name = "no_bits", .where = "comm has T3 and code == 0 and sig lacks 0x2"},
		EVENTS},
	{{SIGNALS, .name = "too_long", .where = "comm == T3wher"}, 0},
	{{SIGNALS, .name = "other", .where = "comm has T3w and comm != T3where"}, 0},
	{{PGID, .name = "hex", .where = "pid == 0x77359407"}, EVENTS},
	{{PGID, .name = "above", .where = "pid > 0x7fffffffffffffff"}, EVENTS},
	{{BASE, .name = "named", .event = "sock:inet_sock_set_state", .who = "comm",
		 .ignore = "[!T]* T T[!3]*", .where = "newstate == TCP_LISTEN and dport == 0"},
		5},
	{{EXEC, .name = "placed", .where = "filename == /bin/true"}, 7},
	{{EXEC, .name = "inside", .where = "filename has in/fals"}, 3},
	{{SLEEP, .name = "begin", .where = "which_clock == 1"}, EVENTS + 9},
	{{SLEEP, .name = "end", .where = "ret < 0"}, 9},
	{{SLEEP, .name = "both", .where = "which_clock == 1 and ret == 0"}, EVENTS},
};

static double disk_count(const struct traces *traces, const char *name, const char *disk)
{
	const struct trace_result *result = traces_find(traces, "test", name);
	long at = result && trace_instances(result) ? instances_find(trace_instances(result), disk)
						    : -1;

	return at < 0 ? 0 : trace_count(result, (size_t)at);
}

static void judge_disk(
	const struct traces *traces, const struct workload *workload, const char *how)
{
	double reads = disk_count(traces, "waited_for", workload->disk);
	double writes = disk_count(traces, "written_back", workload->disk);

	if (workload->disk_fd < 0) {
		ok(true, "%s: write-back is told apart # SKIP no loop device", how);
		return;
	}
	ok(reads == EVENTS, "%s: of reads and write-back the %d reads (%g)", how, EVENTS, reads);
	ok(writes == EVENTS, "%s: and the %d writes by themselves (%g)", how, EVENTS, writes);
}

static void test_live(struct capture *fs, const char *how)
{
	const struct trace_spec *specs[ARRAY_SIZE(wanted) + 2];
	struct workload workload = {0};
	struct traces *traces;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(wanted); i++)
		specs[i] = &wanted[i].spec;
	specs[i++] = &waited_for;
	specs[i++] = &written_back;
	workload.disk_fd = loop_disk(workload.disk, sizeof(workload.disk));
	if (pipe(workload.go) || pipe(workload.done))
		return;
	workload.pid = fork();
	if (!workload.pid)
		work(&workload);
	traces = traces_run(
		fs, specs, i, &(struct trace_watch){.progress = watch, .arg = &workload});
	kill(workload.pid, SIGKILL);
	waitpid(workload.pid, NULL, 0);
	ok(workload.finished, "%s: the workload is done", how);
	for (i = 0; i < ARRAY_SIZE(wanted); i++) {
		const struct trace_result *result = traces_find(traces, "test", specs[i]->name);
		const char *missing = trace_missing(result);

		if (missing && strstr(missing, "no tracepoint"))
			ok(true, "%s: %s # SKIP %s", how, specs[i]->where, missing);
		else
			ok(!missing && trace_count(result, 0) == wanted[i].count,
				"%s: '%s' holds of %g (%s%g)", how, specs[i]->where,
				wanted[i].count, missing ? missing : "",
				missing ? 0 : trace_count(result, 0));
	}
	judge_disk(traces, &workload, how);
	if (workload.disk_fd >= 0)
		close(workload.disk_fd);
	traces_free(traces);
}

int main(void)
{
	struct str why = STR_INIT;
	struct capture *fs;
	uint64_t now;

	test_forms();
	test_fields();
	if (capture_open(&fs, "/", NULL) || capture_next_sample(fs, &now))
		return 1;
	if (traces_possible(fs, &why) && !geteuid()) {
		test_live(fs, "our own loader");
		setenv("TUESDAY_WITHOUT", "light", 1);
		test_live(fs, "ordinary skeletons");
	} else {
		ok(true, "conditions hold in the kernel # SKIP %s", str_text(&why));
	}
	capture_close(fs);
	str_free(&why);
	return tap_done();
}
