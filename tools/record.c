/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What does this machine say while something goes on? All of it is kept, so that anybody can judge
 * it again anywhere.
 */
#include "base/banned.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "check/check.h"
#include "base/command.h"
#include "base/escape.h"
#include "run/options.h"
#include "capture/capture.h"
#include "base/progress.h"
#include "run/run.h"
#include "base/str.h"
#include "sys/child.h"
#include "capture/environment.h"

#define WHILE "--while"
/* An interrupted program is waited for; then it is asked to end, then it is made to. */
#define ASK_AFTER_MS 2000
#define KILL_AFTER_MS 7000
#define POLL_MS 20
#define WINDOWS_MAX 1000

/* The program to watch, from the beginning of this process: it waits until it is told to go on. */
static struct {
	pid_t pid;
	int go;	    /* a byte lets it go on, the end of the pipe ends it */
	int failed; /* the errno of its exec comes here */
} launcher = {.pid = -1, .go = -1, .failed = -1};

struct recording {
	const char *program;
	char **words; /* NULL: nothing is watched */
	double seconds;
	bool ended;
	int status;	     /* as of waitpid */
	struct rusage usage; /* what it cost */
	double began;	     /* monotonic_seconds */
};

static int cmd_record(int argc, char **argv);
static void launch(int argc, char **argv);
COMMAND(record_command) = {
	.name = "record",
	.args = "DIR [CHECK...]",
	.what = "run the checklist and record all that it reads",
	.group = COMMAND_RECORDS,
	.run = cmd_record,
	.works = COMMAND_ON_MACHINE,
};
EARLY(launch);

/* Where --while stands, which ends our own options, or argc. */
static int find_while(int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++)
		if (!strcmp(argv[i], WHILE))
			return i;
	return argc;
}

static void become_program(char **words, pid_t parent, int go, int failed)
{
	char byte;
	int err;

	child_ends_with(parent, SIGTERM);
	if (read(go, &byte, 1) != 1)
		_exit(0);
	execvp(words[0], words);
	err = errno;
	if (write(failed, &err, sizeof(err)) != sizeof(err))
		_exit(126);
	_exit(127);
}

/* Here the process still has all the rights that it was started with. */
static void launch(int argc, char **argv)
{
	pid_t parent = getpid();
	int at, go[2], failed[2];

	if (argc < 2 || strcmp(argv[1], record_command.name) != 0)
		return;
	at = find_while(argc, argv);
	if (at + 1 >= argc || pipe2(go, O_CLOEXEC))
		return;
	if (pipe2(failed, O_CLOEXEC)) {
		close(go[0]);
		close(go[1]);
		return;
	}
	launcher.pid = fork();
	if (!launcher.pid) {
		close(go[1]);
		close(failed[0]);
		become_program(argv + at + 1, parent, go[0], failed[1]);
	}
	close(go[0]);
	close(failed[1]);
	launcher.go = go[1];
	launcher.failed = failed[0];
}

static char *words_as_text(char **words)
{
	struct str text = STR_INIT;

	for (; *words; words++)
		str_addf(&text, "%s%s", text.len ? " " : "", *words);
	return str_take(&text);
}

static int record_begin(void *arg, struct capture *fs)
{
	struct recording *recording = arg;
	char *text = words_as_text(recording->words);
	int err = 0;

	capture_set_environment(fs, "command", text);
	free(text);
	recording->began = monotonic_seconds();
	if (launcher.pid < 0 || write(launcher.go, "", 1) != 1)
		err = EAGAIN;
	else if (read(launcher.failed, &err, sizeof(err)) != sizeof(err))
		err = 0;
	if (err) {
		char *name = escape_path(recording->words[0]);

		fprintf(stderr, "%s: %s: %s\n", recording->program, name, strerror(err));
		free(name);
	}
	return -err;
}

static bool ended(void *arg)
{
	struct recording *recording = arg;

	if (!recording->ended &&
		wait4(launcher.pid, &recording->status, WNOHANG, &recording->usage))
		recording->ended = true;
	return recording->ended;
}

/* After Ctrl-C the program has had the signal too, from its terminal: it gets time to clean up. */
static void wait_for_end(struct recording *recording)
{
	int waited = 0;

	while (!ended(recording)) {
		if (waited == ASK_AFTER_MS)
			kill(launcher.pid, SIGTERM);
		if (waited == KILL_AFTER_MS)
			kill(launcher.pid, SIGKILL);
		poll(NULL, 0, POLL_MS);
		waited += POLL_MS;
	}
}

static uint64_t record_finish(void *arg, struct capture *fs)
{
	struct recording *recording = arg;
	struct str name = STR_INIT;
	char *how;

	wait_for_end(recording);
	if (WIFSIGNALED(recording->status))
		how = mem_printf("was ended by signal %d", WTERMSIG(recording->status));
	else
		how = mem_printf("ended with exit status %d", WEXITSTATUS(recording->status));
	capture_set_environment(fs, "command_end", how);
	escape_terminal(&name, recording->words[0]);
	fprintf(stderr, "%s: %s %s after %.1f s\n", recording->program, str_text(&name), how,
		monotonic_seconds() - recording->began);
	str_free(&name);
	free(how);
	return timeval_ns(recording->usage.ru_utime) + timeval_ns(recording->usage.ru_stime);
}

/* It ends our options, so it never comes here but in an abbreviation. */
static int set_while(void *to, const char *program, const char *value)
{
	(void)to;
	(void)value;
	fprintf(stderr, "%s: " WHILE " is written in full, with the program behind it\n", program);
	return -EINVAL;
}

/* The number of windows for --for: short times are one window. */
static int plan_windows(
	const char *program, struct options *options, const struct recording *recording)
{
	double windows;

	if (recording->seconds <= 0)
		return 0;
	if (recording->seconds < options->window_seconds)
		options->window_seconds = recording->seconds;
	windows = ceil(recording->seconds / options->window_seconds - 1e-6);
	if (windows > WINDOWS_MAX) {
		fprintf(stderr, "%s: --for: more than %d windows: choose a longer --window\n",
			program, WINDOWS_MAX);
		return -EINVAL;
	}
	options->windows = (unsigned int)windows;
	return 0;
}

static int run_recording(struct recording *recording, struct options *options)
{
	const struct meanwhile meanwhile = {
		.begin = record_begin, .ended = ended, .finish = record_finish, .arg = recording};

	options->record = options->names[0];
	options->names++;
	options->n_names--;
	/* Standard output belongs to the program. */
	options->to_stderr = recording->words != NULL;
	return run_named(recording->program, options, recording->words ? &meanwhile : NULL);
}

static int record_parse(struct recording *recording, struct options *options, int argc, char **argv)
{
	static const struct option_row own[] = {
		{0, "for", "TIME", "how long: 60s, 5min",
			OPTION_SECONDS(struct recording, seconds, 0.1, INFINITY,
				"a time of at least 0.1 seconds")},
		{0, WHILE + 2, "PROGRAM...",
			"run PROGRAM and record until it ends; the rest\n"
			"                           are its arguments",
			OPTION_CALL(set_while)},
	};
	const struct usage usage = {
		.line = "tuesday record DIR [CHECK...] [" WHILE " PROGRAM...]",
		.what = "Runs the checklist, or the named checks, and records all that they read "
			"in DIR:\n"
			"'tuesday run --replay DIR' gives the same verdicts anywhere. See "
			"docs/recording.md.\n"
			"  tuesday record /tmp/slow --for 60s\n"
			"  tuesday record /tmp/slow --redact " WHILE " make test",
		.groups = OPTIONS_SAMPLING | OPTIONS_TRACING | OPTIONS_REPORT | OPTIONS_CHECKS |
			OPTIONS_REDACT,
		.own = own,
		.n_own = ARRAY_SIZE(own),
		.to = recording,
	};
	int at = find_while(argc, argv), err;

	err = options_parse_usage(options, at, argv, &usage);
	if (err)
		return err;
	err = -EINVAL;
	if (at + 1 == argc)
		fprintf(stderr, "%s: " WHILE ": name a program after it\n", argv[0]);
	else if (at < argc && recording->seconds > 0)
		fprintf(stderr, "%s: --for and " WHILE " exclude each other\n", argv[0]);
	else if (!options->n_names)
		fprintf(stderr, "%s: name a directory; see --help\n", argv[0]);
	else
		err = plan_windows(argv[0], options, recording);
	recording->words = at < argc ? argv + at + 1 : NULL;
	return err;
}

static int cmd_record(int argc, char **argv)
{
	struct recording recording = {.program = argv[0]};
	struct options options;
	int err = record_parse(&recording, &options, argc, argv);
	int status = err > 0 ? 0 : EXIT_MISUSE;

	if (!err)
		status = run_recording(&recording, &options);
	options_free(&options);
	return status;
}
