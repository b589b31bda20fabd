/* SPDX-License-Identifier: GPL-2.0-only */
/* What was tried on the machine, what does it prove, and is anything still changed? */
#include "base/banned.h"

#include "base/escape.h"
#include "base/wrap.h"
#include "output/screen.h"
#include "output/screen_experiments.h"

#define EXPERIMENT_AT 7 /* as what else is said of a check */

static void experiment_add_line(const struct screen *screen, const char *label, const char *text)
{
	struct str line = STR_INIT;

	if (!text || !*text)
		return;
	str_add(&line, label);
	escape_terminal_cut(&line, text, SCREEN_LINE_COLUMNS);
	wrap_blanks(screen->out, EXPERIMENT_AT);
	screen_flow(screen, EXPERIMENT_AT, EXPERIMENT_AT + 9, str_text(&line));
	str_free(&line);
}

/* An answer that accuses is what its check says already. */
static bool experiment_has_said(const struct experiment_result *experiment)
{
	return experiment->answer == ANSWER_TOLD
		? experiment->told == VERDICT_MAYBE || experiment->told == VERDICT_BAD
		: experiment->answer == ANSWER_CHANGED && experiment->better;
}

void screen_add_experiments(const struct screen *screen, const struct check_result *result)
{
	size_t i, k;

	for (i = 0; i < result->n_experiments; i++) {
		const struct experiment_result *experiment = &result->experiments[i];

		if (!experiment_has_said(experiment))
			experiment_add_line(screen, "experiment: ", experiment->summary);
		experiment_add_line(screen, "NOT PUT BACK: ", experiment->left);
		if (experiment_has_said(experiment))
			experiment_add_line(screen, "proves: ", experiment->proves);
		if (experiment->answer <= ANSWER_SAME || screen->options->verbose)
			experiment_add_line(screen, "however: ", experiment->however);
		for (k = 0; k < experiment->n_notes; k++)
			experiment_add_line(screen, "note: ", experiment->notes[k]);
	}
}
