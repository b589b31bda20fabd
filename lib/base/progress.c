/* SPDX-License-Identifier: GPL-2.0-only */
/* What is the run doing, and shall it stop? */
#include "base/banned.h"

#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/progress.h"

#define GRACE_SECONDS 5

static volatile sig_atomic_t interrupted, late;
static bool shown;

static void note_signal(int signal_number)
{
	(void)signal_number;
	interrupted = 1;
}

/* What is ignored stays so: nohup, and a shell's background jobs, want it. */
static void catch_one(int signal_number, const struct sigaction *action)
{
	struct sigaction before;

	if (!sigaction(signal_number, NULL, &before) && before.sa_handler == SIG_IGN)
		return;
	sigaction(signal_number, action, NULL);
}

void progress_catch_signals(void)
{
	/* The handler goes away with the first signal, so a second one is not to be ignored. */
	struct sigaction action = {.sa_handler = note_signal, .sa_flags = (int)SA_RESETHAND};

	catch_one(SIGINT, &action);
	catch_one(SIGTERM, &action);
	catch_one(SIGHUP, &action);
}

/* At the deadline the run ends as if it was told to; what does not end by itself then is ended. */
static void note_deadline(int signal_number)
{
	static const char text[] = "tuesday: the deadline is over, and it does not end by itself\n";

	(void)signal_number;
	if (late) {
		ssize_t ignored = write(STDERR_FILENO, text, sizeof(text) - 1);

		(void)ignored;
		_exit(3);
	}
	late = 1;
	alarm(GRACE_SECONDS);
}

void progress_deadline(double seconds)
{
	struct sigaction action = {.sa_handler = note_deadline, .sa_flags = SA_RESTART};
	struct itimerval timer = {0};

	timer.it_value.tv_sec = (time_t)seconds;
	timer.it_value.tv_usec = (suseconds_t)((seconds - (double)timer.it_value.tv_sec) * 1e6);
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
}

bool progress_interrupted(void)
{
	return interrupted || late;
}

bool progress_told_to_stop(void)
{
	return interrupted;
}

void progress_show(const char *doing, double share)
{
	const char *term = getenv("TERM");

	if (!isatty(STDERR_FILENO) || !term || !strcmp(term, "dumb"))
		return;
	fprintf(stderr, "\r\033[K%s %d %%", doing, (int)(share * 100));
	shown = true;
}

void progress_end(void)
{
	if (shown)
		fprintf(stderr, "\r\033[K");
	shown = false;
}
