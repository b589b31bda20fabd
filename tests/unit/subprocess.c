/* SPDX-License-Identifier: GPL-2.0-only */
/* Is what plugins print read right, and are they contained whatever they do? */
#include "base/banned.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <math.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "judge/plugin_check.h"
#include "judge/perfdata.h"
#include "sys/child.h"
#include "sys/raised_limit.h"
#include "sys/subprocess.h"
#include "base/str.h"
#include "sys/file_trust.h"
#include "tests/unit/tap.h"
#include "tests/unit/tree.h"
#include "check/exec.h"

static struct plugin_output parsed(const char *text)
{
	struct plugin_output output;

	plugin_output_parse(&output, text, strlen(text));
	return output;
}

static bool near(double a, double b)
{
	return fabs(a - b) <= 1e-9 * fabs(b);
}

/* As the plugins of Debian's monitoring-plugins-basic 2.3.3 print it. */
static void test_real_output(void)
{
	struct plugin_output o = parsed("DISK OK - free space: / 77308MiB (78% inode=97%);| "
					"/=21671968768B;243497277849;257024904396;0;270552531000 "
					"/dev/shm=0B;21.5;22;0;25276502016\n");

	ok(!strcmp(o.text, "DISK OK - free space: / 77308MiB (78% inode=97%);"),
		"the text ends at the bar");
	ok(o.n == 2 && !strcmp(o.list[0].label, "/") && o.list[0].value == 21671968768.0 &&
			o.list[0].unit == UNIT_BYTES,
		"check_disk: bytes of a mount point");
	ok(o.list[0].warn.set && o.list[0].warn.low == 0 && o.list[0].warn.high == 243497277849.0 &&
			o.list[0].crit.high == 257024904396.0,
		"check_disk: both thresholds");
	plugin_output_free(&o);
	o = parsed(
		"LOAD WARNING - total load average: 2.18, 4.57, 3.57|load1=2.180;0.010;100.000;0;"
		" load5=4.570;0.010;100.000;0; load15=3.570;0.010;100.000;0; ");
	ok(o.n == 3 && near(o.list[2].value, 3.57) && o.list[2].unit == UNIT_COUNT,
		"check_load: three numbers without a unit");
	ok(perf_range_alerts(&o.list[0].warn, 2.18) && !perf_range_alerts(&o.list[0].crit, 2.18),
		"check_load: beyond warn, not beyond crit");
	plugin_output_free(&o);
	o = parsed("TCP OK - 0.002 second response time on 127.0.0.1 port 80"
		   "|time=0.002180s;;;0.000000;10.000000");
	ok(o.n == 1 && near(o.list[0].value, 0.00218) && o.list[0].unit == UNIT_SECONDS &&
			!o.list[0].warn.set && !o.list[0].crit.set,
		"check_tcp: seconds without thresholds");
	plugin_output_free(&o);
	o = parsed("SWAP OK - 100% free (0 MB out of 0 MB) |swap=0MB;0;0;0;0");
	ok(o.n == 1 && o.list[0].unit == UNIT_BYTES && o.list[0].warn.set,
		"check_swap: a threshold of 0");
	plugin_output_free(&o);
	o = parsed(
		"PROCS OK: 12 processes | procs=12;;;0;\nmore\nand more | x=5% 'y z'=7ms;1:;~:2\n");
	ok(o.n == 3 && near(o.list[1].value, 0.05) && o.list[1].unit == UNIT_RATIO &&
			!strcmp(o.list[2].label, "y z") && near(o.list[2].value, 0.007),
		"performance data goes on behind a bar in the long output");
	ok(isinf(o.list[2].warn.high) && near(o.list[2].warn.low, 1e-3) &&
			isinf(o.list[2].crit.low),
		"thresholds are in base units too, open ends stay open");
	plugin_output_free(&o);
}

static void test_absurd_output(void)
{
	static const char *const nothing[] = {"", "\n", "|", "text", "a|b", "a|=1", "a|b=", "a|b=x",
		"a|'b=1", "a|''=1", "a|b=nan", "a|b=inf", "a|b=0x10", "a|b=1e999", "a|b=--1",
		"a|b =1", "a|'x'y=1", "a|b=1,5", "\n\n\n||\n|"};
	struct plugin_output o;
	struct str text = STR_INIT;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(nothing); i++) {
		o = parsed(nothing[i]);
		ok(!o.n && o.text, "%zu: what is no performance data is none", i);
		plugin_output_free(&o);
	}
	o = parsed("x|a=U;1;2 'it''s'=1 b=-1.5e3s c=1E2 d=2EB e=3C;@1:2");
	ok(o.n == 6 && isnan(o.list[0].value), "U is no value");
	ok(!strcmp(o.list[1].label, "it's"), "two quotes in a label are one");
	ok(o.list[2].value == -1500 && o.list[3].value == 100, "numbers have signs and exponents");
	ok(o.list[4].value == 2 && o.list[4].unit == UNIT_COUNT, "an unknown unit is none");
	ok(perf_range_alerts(&o.list[5].warn, 1.5) && !perf_range_alerts(&o.list[5].warn, 3),
		"@ alerts inside");
	plugin_output_free(&o);
	str_add(&text, "x|");
	for (i = 0; i < 10000; i++)
		str_addf(&text, "a%zu=1 ", i);
	o = parsed(str_text(&text));
	ok(o.n == PERFDATA_MAX, "there is an end to what is kept");
	plugin_output_free(&o);
	str_clear(&text);
	for (i = 0; i < 10000; i++)
		str_addc(&text, 'x');
	str_add(&text, "\033[2J");
	o = parsed(str_text(&text));
	ok(strlen(o.text) == 500, "the text is cut");
	plugin_output_free(&o);
	str_free(&text);
	plugin_output_parse(&o, "a\0b|c=1", 7);
	ok(!strcmp(o.text, "a?b") && o.n == 1, "a byte of 0 hides nothing");
	plugin_output_free(&o);
}

static void test_ranges(void)
{
	static const struct {
		const char *text;
		double value;
		bool alerts;
	} table[] = {{"10", 5, false}, {"10", 10, false}, {"10", 10.1, true}, {"10", -1, true},
		{"10:", 9, true}, {"10:", 10, false}, {"~:10", -1e9, false}, {"~:10", 11, true},
		{"10:20", 9, true}, {"10:20", 15, false}, {"@10:20", 15, true},
		{"@10:20", 21, false}, {":5", 6, true}, {"~:", 1, false}};
	static const char *const wrong[] = {"", "@", "x", "10:5", "1:2:3", "nan", "~", "1;2"};
	struct perf_range range;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(table); i++)
		ok(perf_range_parse(&range, table[i].text, strlen(table[i].text)) &&
				perf_range_alerts(&range, table[i].value) == table[i].alerts,
			"%s %s for %g", table[i].text, table[i].alerts ? "alerts" : "is silent",
			table[i].value);
	for (i = 0; i < ARRAY_SIZE(wrong); i++)
		ok(!perf_range_parse(&range, wrong[i], strlen(wrong[i])) &&
				!perf_range_alerts(&range, 1e9),
			"'%s' is no range and never alerts", wrong[i]);
	perf_range_parse(&range, "10", 2);
	ok(!perf_range_alerts(&range, NAN), "no value never alerts");
}

static void test_reports(void)
{
	static const char *const wrong[] = {"", "exit 0\n", "tuesday-plugin 1\n",
		"tuesday-plugin 1\nexit 0", "tuesday-plugin 1\nexit 256\n",
		"tuesday-plugin 1\nexit -1\n", "tuesday-plugin 2\nexit 0\n",
		"tuesday-plugin 1\nexit 0 \n"};
	struct plugin_report report;
	struct str text = STR_INIT;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(wrong); i++)
		ok(plugin_report_parse(&report, wrong[i], strlen(wrong[i])) == -EBADMSG,
			"%zu: no report", i);
	ok(!plugin_report_parse(&report, "tuesday-plugin 1\nexit 2\nhello", 29) &&
			report.status == 2 && report.output_len == 5,
		"a report has status and output");
	plugin_report_failure(&text, "fell");
	ok(!plugin_report_parse(&report, text.text, text.len) && report.end == PLUGIN_FAILED &&
			!strcmp(report.why, "fell"),
		"a failure is read back");
	str_free(&text);
}

static struct foreign *foreign_from(const char *exec, struct str *error)
{
	str_clear(error);
	return foreign_new(exec, "x.ini", error);
}

static void test_words(void)
{
	static const char *const wrong[] = {"", "  ", "relative/path", "/bin/x 'open", "\"/bin/x"};
	struct str error = STR_INIT, words = STR_INIT;
	struct foreign *foreign =
		foreign_from("/bin/x -a 'b  c' \"d'e\" $HOME `id` f'g h'i ;", &error);
	size_t i;

	foreign_command(foreign, &words);
	ok(!strcmp(words.text, "/bin/x -a b  c d'e $HOME `id` fg hi ;"),
		"quotes keep words together and nothing else is special");
	foreign_free(foreign);
	for (i = 0; i < ARRAY_SIZE(wrong); i++)
		ok(!foreign_from(wrong[i], &error) && error.len, "'%s' is refused", wrong[i]);
	str_free(&words);
	str_free(&error);
}

/* Runs a shell script; the report is kept in text until the next call. */
static struct plugin_report run_script(const char *script, double timeout)
{
	static struct str text = STR_INIT;
	char shell[] = "/bin/sh", option[] = "-c", *copy = mem_strdup(script);
	char *words[] = {shell, option, copy, NULL};
	struct plugin plugin = {.words = words, .timeout_seconds = timeout};
	struct plugin_report report = {.status = -1};

	str_clear(&text);
	if (ok(!plugin_start(&plugin), "a program is started")) {
		plugin_collect(&plugin, NULL, NULL, &text);
		ok(!plugin_report_parse(&report, text.text, text.len), "its report can be read");
	}
	free(copy);
	return report;
}

static bool said(const struct plugin_report *report, const char *text)
{
	return report->end == PLUGIN_EXITED && report->output_len == strlen(text) &&
		!memcmp(report->output, text, report->output_len);
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Whether the process whose number is in the file has ended. */
static bool is_gone(const struct tree *tree, const char *name)
{
	FILE *file = fopen(tree_path(tree, name), "r");
	int pid = 0, tries;

	if (!file || fscanf(file, "%d", &pid) != 1)
		pid = 0;
	if (file)
		fclose(file);
	for (tries = 0; pid > 0 && tries < 100 && !kill(pid, 0); tries++)
		usleep(10000);
	return pid > 0 && kill(pid, 0) && errno == ESRCH;
}

static void test_runs(void)
{
	struct plugin_report r = run_script("echo fine; exit 2", 10);

	ok(r.status == 2 && said(&r, "fine\n"), "exit status and output come back");
	r = run_script("echo wrong >&2; exit 3", 10);
	ok(r.status == 3 && said(&r, "wrong\n"), "who writes only errors is heard too");
	r = run_script("echo out; echo err >&2", 10);
	ok(said(&r, "out\n"), "else errors are not mixed in");
	r = run_script("cat; echo $0 $HOME $USER; pwd", 10);
	ok(said(&r, "/bin/sh\n/\n"), "there is no input, nothing of our environment, and / below");
	r = run_script("sed -n 's/^CapEff:[[:space:]]*0*$/none/p' /proc/self/status", 10);
	ok(said(&r, "none\n"), "there are no capabilities");
	r = run_script("kill -SEGV $$", 10);
	ok(r.end == PLUGIN_FAILED && strstr(r.why, "signal 11"), "a crash is said");
	r = run_script("exec /no/such/program 2>/dev/null", 10);
	ok(r.end == PLUGIN_EXITED && r.status == 127, "a script that fails has its exit status");
}

static void test_contains(void)
{
	struct tree tree = tree_new();
	char *script;
	double began = seconds();
	struct plugin_report r = run_script("sleep 100", 0.3);

	ok(r.end == PLUGIN_FAILED && strstr(r.why, "0.3 s") && seconds() - began < 5,
		"who hangs is ended at the deadline");
	began = seconds();
	r = run_script("trap '' TERM INT HUP; while :; do :; done", 0.3);
	ok(r.end == PLUGIN_FAILED && seconds() - began < 5, "who takes no signal is ended too");
	began = seconds();
	r = run_script("while :; do echo a long line of output, again and again; done", 20);
	ok(r.end == PLUGIN_FAILED && strstr(r.why, "64 KiB") && seconds() - began < 15,
		"who floods is ended long before");
	script = mem_printf(
		"sh -c 'echo $$ > %s/own; exec sleep 100' &\n"
		"setsid sh -c 'echo $$ > %s/other; exec sleep 100' &\n"
		"(setsid sh -c 'setsid sh -c \"echo \\$\\$ > %s/third; exec sleep 100\" "
		"& exec sleep 100' &)\n"
		"until test -s %s/third -a -s %s/other -a -s %s/own; do sleep 0.01; done\n"
		"echo done; exit 1",
		tree.dir, tree.dir, tree.dir, tree.dir, tree.dir, tree.dir);
	began = seconds();
	r = run_script(script, 20);
	ok(r.status == 1 && said(&r, "done\n") && seconds() - began < 15,
		"who leaves processes behind has spoken all the same");
	ok(is_gone(&tree, "own"), "those of its group are gone");
	ok(is_gone(&tree, "other"), "those of another session are gone");
	ok(is_gone(&tree, "third"), "those of a session below that are gone");
	free(script);
	tree_free(&tree);
}

/* The program gets the limits that we got, and no descriptor but its own three. */
static void test_inherits_little(void)
{
	struct rlimit before, now, lower;
	struct plugin_report r;
	int far;

	getrlimit(RLIMIT_NOFILE, &before);
	lower = (struct rlimit){1000, before.rlim_max};
	setrlimit(RLIMIT_NOFILE, &lower);
	raised_limit_set(RLIMIT_NOFILE, 3000, false);
	ok(!getrlimit(RLIMIT_NOFILE, &now) && now.rlim_cur == 3000, "a limit is raised");
	far = dup2(STDIN_FILENO, 2500);
	/* 3 is the directory that ls reads. */
	r = run_script("ulimit -Sn; exec ls /proc/self/fd", 20);
	ok(far == 2500 && said(&r, "1000\n0\n1\n2\n3\n"),
		"who is started has the one from before, and no descriptor of ours");
	close(far);
	raised_limit_set(RLIMIT_NOFILE, 2000, false);
	ok(!getrlimit(RLIMIT_NOFILE, &now) && now.rlim_cur == 3000, "a higher one stays");
	raised_limits_undo();
	ok(!getrlimit(RLIMIT_NOFILE, &now) && now.rlim_cur == 1000, "and what was is again");
	setrlimit(RLIMIT_NOFILE, &before);
}

/* A child whose parent ended before it could ask for the signal. */
static void test_orphan(void)
{
	int status = 0;
	pid_t pid = fork();

	if (!pid) {
		child_ends_with(getpid(), SIGKILL);
		_exit(0);
	}
	ok(pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
			WEXITSTATUS(status) == 1,
		"a child that has lost its parent already exits");
}

static int open_trusted(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), err;
	struct stat st;

	err = trusted_open(fd, &st);
	close(fd);
	return err;
}

static void test_trust(void)
{
	struct tree tree = tree_new();
	struct str why = STR_INIT;
	char target[200];

	tree_write(&tree, "dir/file", "x");
	chmod(tree_path(&tree, "dir"), 0755);
	chmod(tree_path(&tree, "dir/file"), 0755);
	ok(!trusted_file(tree_path(&tree, "dir/file"), &why), "one's own file is trusted");
	ok(!open_trusted(tree_path(&tree, "dir/file")) &&
			open_trusted(tree_path(&tree, "dir")) == -EPERM,
		"an open one too, but no directory");
	chmod(tree_path(&tree, "dir/file"), 0775);
	ok(trusted_file(tree_path(&tree, "dir/file"), &why) == -EPERM && strstr(why.text, "file"),
		"not if its group may write to it");
	chmod(tree_path(&tree, "dir/file"), 0757);
	ok(trusted_file(tree_path(&tree, "dir/file"), &why) == -EPERM, "not if others may");
	chmod(tree_path(&tree, "dir/file"), 0755);
	chmod(tree_path(&tree, "dir"), 0777);
	ok(trusted_file(tree_path(&tree, "dir/file"), &why) == -EPERM,
		"not if others may write to its directory");
	chmod(tree_path(&tree, "dir"), 01777);
	ok(!trusted_file(tree_path(&tree, "dir/file"), &why), "but with the sticky bit");
	snprintf(target, sizeof(target), "%s/dir/file", tree.dir);
	tree_mkdirs(&tree, "links");
	if (symlink(target, tree_path(&tree, "links/one")) ||
		symlink("one", tree_path(&tree, "links/two")) ||
		symlink("three", tree_path(&tree, "links/three")))
		exit(1);
	ok(!trusted_file(tree_path(&tree, "links/two"), &why), "links are followed");
	ok(trusted_file(tree_path(&tree, "links/three"), &why) == -ELOOP, "not for ever");
	chmod(tree_path(&tree, "dir"), 0777);
	ok(trusted_file(tree_path(&tree, "links/two"), &why) == -EPERM,
		"and what they lead to is looked at");
	ok(trusted_file(tree_path(&tree, "links/none"), &why) == -ENOENT,
		"what is not there is not");
	if (geteuid() == 0) {
		chmod(tree_path(&tree, "dir"), 0755);
		if (chown(tree_path(&tree, "dir/file"), 1234, 1234))
			exit(1);
		ok(trusted_file(tree_path(&tree, "dir/file"), &why) == -EPERM,
			"another user's file is not trusted");
		ok(open_trusted(tree_path(&tree, "dir/file")) == -EPERM, "nor when it is open");
	}
	str_free(&why);
	tree_free(&tree);
}

static void obeys(const struct tree *tree, mode_t dir, mode_t file, bool wanted, const char *what)
{
	bool mere_user = geteuid();
	struct str why = STR_INIT;

	chmod(tree_path(tree, "dir/x.ini"), file);
	chmod(tree_path(tree, "dir"), dir);
	ok(obeyed_file(tree_path(tree, "dir/x.ini"), &why) == (wanted || mere_user) &&
			!why.len == (wanted || mere_user),
		"%s: %s", what, str_text(&why));
	str_free(&why);
}

static void test_obeyed(void)
{
	struct tree tree = tree_new();
	struct str why = STR_INIT;

	tree_write(&tree, "dir/x.ini", "x");
	obeys(&tree, 0755, 0644, true, "root obeys its own file");
	obeys(&tree, 0755, 0664, false, "not one that its group may write to");
	obeys(&tree, 0755, 0646, false, "not one that others may write to");
	obeys(&tree, 0775, 0644, false, "not in a directory that its group may write to");
	obeys(&tree, 01777, 0644, true, "in one like /tmp");
	ok(obeyed_directory(tree_path(&tree, "dir"), &why) == (geteuid() != 0),
		"but not all that others may put into one like /tmp: %s", str_text(&why));
	str_clear(&why);
	ok(obeyed_file(tree_path(&tree, "dir/none"), &why) && !why.len,
		"what is not there is nothing to disobey");
	if (!geteuid() && !chown(tree_path(&tree, "dir"), 1234, 1234))
		obeys(&tree, 0755, 0644, false, "not in somebody else's directory");
	if (!geteuid() && !chown(tree_path(&tree, "dir"), 0, 0) &&
		!chown(tree_path(&tree, "dir/x.ini"), 1234, 1234))
		obeys(&tree, 0755, 0644, false, "not somebody else's file");
	if (!unlink(tree_path(&tree, "dir/x.ini")) &&
		!symlink("/dev/null", tree_path(&tree, "dir/x.ini")))
		ok(obeyed_file(tree_path(&tree, "dir/x.ini"), &why),
			"/dev/null is nobody's to change");
	str_free(&why);
	tree_free(&tree);
}

/* Every capset() of this process and its children fails from now on, as without memory. */
static bool fail_capset(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_capset, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOMEM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = {.len = ARRAY_SIZE(filter), .filter = filter};

	return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
		!prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static void test_keeps_no_rights(void)
{
	char touch[] = "/usr/bin/touch", *words[] = {touch, NULL, NULL};
	struct plugin plugin = {.words = words, .timeout_seconds = 5};
	struct tree tree = tree_new();
	struct str raw = STR_INIT;
	int status = 0;
	pid_t pid;

	words[1] = mem_strdup(tree_path(&tree, "ran"));
	fflush(stdout);
	pid = fork();
	if (!pid) {
		if (!fail_capset())
			_exit(77);
		if (!plugin_start(&plugin))
			plugin_collect(&plugin, NULL, NULL, &raw);
		_exit(!strstr(str_text(&raw), "capabilities could not be taken away"));
	}
	waitpid(pid, &status, 0);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		ok(true, "a plugin that would keep capabilities is not run # SKIP no seccomp here");
	else
		ok(WIFEXITED(status) && !WEXITSTATUS(status) && access(words[1], F_OK),
			"a plugin that would keep capabilities is not run");
	free(words[1]);
	str_free(&raw);
	tree_free(&tree);
}

int main(void)
{
	test_real_output();
	test_absurd_output();
	test_ranges();
	test_reports();
	test_words();
	test_runs();
	test_contains();
	test_inherits_little();
	test_orphan();
	test_trust();
	test_obeyed();
	test_keeps_no_rights();
	return tap_done();
}
