/* SPDX-License-Identifier: GPL-2.0-only */
/* What is the run doing, and shall it stop? */
#include <signal.h>
#include <unistd.h>

#include "progress.h"

static volatile sig_atomic_t interrupted;
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

bool progress_interrupted(void)
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
