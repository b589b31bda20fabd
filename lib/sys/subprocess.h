/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A foreign program, run so that nothing it does can hurt the run: no shell, no capabilities, no
 * input, an environment of its own, output up to 64 KiB, a deadline, and at its end every process
 * that came from it is gone, whatever session or parent it has chosen.
 */
#ifndef TUESDAY_SYS_SUBPROCESS_H
#define TUESDAY_SYS_SUBPROCESS_H

#include <stdbool.h>
#include <stddef.h>

#include "sys/child.h"

struct str;

#define PLUGIN_OUTPUT_MAX 65536

struct plugin {
	char **words; /* the program's path and its arguments, NULL at the end */
	double timeout_seconds;
	/* For a command of an experiment (experiment/knob_command.h): it keeps the rights of its
	 * caller, and what it says on standard error is no answer when it exits with 0. */
	bool privileged;
	char *variable; /* "NAME=VALUE", one more in its environment, or NULL */
	struct child child;
};

/* Starts the program. Returns 0 or -errno. plugin must stay where it is until plugin_collect. */
int plugin_start(struct plugin *plugin);

/*
 * Waits for its end, or until tick returns false, and gives the report that plugin_report_parse
 * reads. Never fails: what went wrong is in the report.
 */
void plugin_collect(struct plugin *plugin, bool (*tick)(void *arg), void *arg, struct str *report);

/* What became of it. */
struct plugin_report {
	enum plugin_end { PLUGIN_EXITED, PLUGIN_FAILED } end;
	int status;	    /* of an exit */
	char why[200];	    /* of a failure, a phrase: "did not end within 10 s" */
	const char *output; /* inside the report's text */
	size_t output_len;
};

/* Appends the report of a program that was not run. */
void plugin_report_failure(struct str *report, const char *why);

/* Reads a report, which may be a recording's and so anybody's. Returns 0 or -EBADMSG. */
int plugin_report_parse(struct plugin_report *out, const char *text, size_t len);

#endif
