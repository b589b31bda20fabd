/* SPDX-License-Identifier: GPL-2.0-only */
/* Which machine is looked at? */
#include "base/banned.h"

#include <errno.h>

#include "base/escape.h"
#include "run/session.h"
#include "history/host_facts.h"
#include "run/options.h"
#include "capture/capture.h"
#include "redact/filter.h"
#include "sys/sandbox.h"
#include "base/str.h"
#include "capture/environment_describe.h"
#include "run/known_words.h"

int machine_open(const struct options *options, struct capture **out)
{
	struct str why = STR_INIT;
	int err = 0;

	/* What a recording says is anybody's. --cron tells the journal. */
	if (options->replay)
		err = sandbox_enter(SANDBOX_READS | (options->cron ? SANDBOX_TELLS : 0));
	if (!err && options->replay)
		err = capture_open_replay(out, options->replay);
	else if (!err)
		err = capture_open_to(out, options->root, options->record, &why);
	if (!err && options->redact) {
		struct redactor *redactor = redactor_new(&known_words);

		if (!redactor) {
			fprintf(stderr, "tuesday: no randomness to be had: nothing is recorded\n");
			capture_close(*out);
			*out = NULL;
			str_free(&why);
			return -EAGAIN;
		}
		redactor_attach(redactor, *out);
	}
	if (err) {
		const char *path = options->replay ? options->replay : options->record;
		char *shown = escape_path(path ? path : options->root);

		fprintf(stderr, "tuesday: %s: %s\n", shown,
			err == -ENOENT && options->replay ? "not a recording"
				: why.len		  ? str_text(&why)
							  : strerror(-err));
		free(shown);
	}
	str_free(&why);
	return err;
}

void machine_describe(struct capture *fs, time_t now)
{
	environment_describe(fs, now);
	host_facts_note(fs);
}
