/* SPDX-License-Identifier: GPL-2.0-only */
/* Was an experiment cut off so hard that its change is still in place? Every command of root says.
 */
#include "base/banned.h"

#include <stdio.h>
#include <unistd.h>

#include "base/command.h"
#include "base/escape.h"
#include "experiment/undo_log.h"
#include "sys/statedir.h"
#include "base/str.h"
#include "experiment/undo_log_file.h"

static void say_if_left(int argc, char **argv);
EARLY(say_if_left);

static int take_first(void *arg, const char *id)
{
	escape_terminal_cut(arg, id, 130);
	return 1;
}

/* Two directories that are not there, nearly always; what an entry says is not read here. */
static void say_if_left(int argc, char **argv)
{
	struct str id = STR_INIT;

	if (geteuid() || (argc > 1 && !strcmp(argv[1], "undo")))
		return;
	if (!undo_log_each(UNDO_LOG_RUN, take_first, &id))
		undo_log_each(UNDO_LOG_STATE, take_first, &id);
	if (id.len && !experiment_locked())
		fprintf(stderr,
			"tuesday: the experiment %s was cut off, and what it changed may still be "
			"so: run 'tuesday undo'\n",
			id.text);
	str_free(&id);
}
