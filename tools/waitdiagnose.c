/* SPDX-License-Identifier: GPL-2.0-only */
/* Where does the time of a program go, and behind whom? */
#include "base/banned.h"

#include "base/command.h"
#include "base/progress.h"
#include "base/str.h"
#include "sys/caps.h"
#include "tools/wait/answer.h"
#include "tools/wait/json.h"
#include "tools/wait/limits.h"
#include "tools/wait/watch.h"
#include "tools/wait/options.h"
#include "tools/wait/whom.h"
#include "tools/wait/text.h"

/* Appends the answer. */
static void waitdiagnose_tell(
	struct wait_look *look, const struct wait_options *asked, struct str *out)
{
	struct wait_limits limits;
	struct wait_answers answers;

	wait_limits_default(&limits);
	wait_answers_sort(&answers, look, asked, &limits);
	/* What is left is thinking and writing. */
	caps_drop(CAPS_ALL);
	wait_answers_say(&answers);
	if (asked->format == WAIT_AS_JSON)
		wait_json(out, &answers);
	else
		wait_text(out, &answers);
	wait_answers_free(&answers);
}

static int waitdiagnose(int argc, char **argv)
{
	struct wait_options asked;
	struct wait_targets targets = {0};
	struct wait_look look = {0};
	struct str out = STR_INIT;
	int status = EXIT_MISUSE;
	const int err = wait_options_read(&asked, argc, argv);

	if (err > 0) {
		status = 0;
	} else if (!err) {
		status = 3;
		progress_catch_signals();
		if (!wait_targets_find(&targets, &asked) &&
			!wait_look_run(&look, &asked, &targets)) {
			caps_drop(CAPS_BPF);
			waitdiagnose_tell(&look, &asked, &out);
			status = 0;
		}
	}
	fputs(str_text(&out), stdout);
	str_free(&out);
	wait_look_free(&look);
	wait_targets_free(&targets);
	options_free(&asked.common);
	return status;
}

PROGRAM(waitdiagnose);
