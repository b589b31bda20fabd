/* SPDX-License-Identifier: GPL-2.0-only */
/* What is the run doing, and shall it stop? */
#include <signal.h>
#include <unistd.h>

#include "progress.h"

static volatile sig_atomic_t interrupted;

static void note_signal(int signal_number)
{
	(void)signal_number;
	interrupted = 1;
}

void progress_catch_signals(void)
{
	/* The handler goes away with the first signal, so a second one is not to be ignored. */
	struct sigaction action = {.sa_handler = note_signal, .sa_flags = (int)SA_RESETHAND};

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
}

bool progress_interrupted(void)
{
	return interrupted;
}

void progress_show(const char *doing, double share)
{
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "\r\033[K%s %d %%", doing, (int)(share * 100));
}

void progress_end(void)
{
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "\r\033[K");
}
