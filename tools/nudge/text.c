/* SPDX-License-Identifier: GPL-2.0-only */
/* How is a nudge asked for, and its answer told? */
#include "base/banned.h"

#include <math.h>

#include "base/escape.h"
#include "base/json_write.h"
#include "base/str.h"
#include "base/terminal.h"
#include "base/wrap.h"
#include "tools/nudge/options.h"
#include "tools/nudge/run.h"
#include "tools/nudge/text.h"

#define COLUMNS 100
#define PHASE_MORE 0.3 /* what a phase takes beside its look */

static void nudge_text_line(struct str *out, size_t indent, const struct str *line)
{
	const unsigned int columns = terminal_columns();

	wrap_blanks(out, indent);
	wrap_text(out, columns ? columns : COLUMNS, indent, indent, str_text(line));
}

/* "12.5 % of a CPU", "3.1 MB/s of reads from disk 8:0" */
static void nudge_text_used(struct str *out, const struct nudge_knob *knob)
{
	if (knob->kind == NUDGE_QUOTA)
		str_addf(out, "%.1f %% of a CPU", 100 * knob->used);
	else
		str_addf(out, "%.2f MB/s of %s disk %s", knob->used / 1e6,
			knob->reads ? "reads from" : "writes to", knob->device);
}

void nudging_describe(const struct nudging *nudging, struct str *out)
{
	const struct nudge_options *asked = nudging->asked;
	const struct nudge_knob *knob = &nudging->knob;
	char *to = nudge_knob_value(knob, asked->most);
	struct str line = STR_INIT;

	str_add(&line, "Nudge: ");
	escape_terminal(&line, nudge_options_target(asked));
	str_add(&line, " uses ");
	nudge_text_used(&line, knob);
	str_addf(&line,
		". Up to %.0f %% of that is taken from it, in %u rounds of %d phases, "
		"for about %.0f s in total; between them it has everything.",
		100 * asked->most, asked->rounds, NUDGE_STRENGTHS,
		asked->rounds * NUDGE_STRENGTHS * (asked->phase_seconds + PHASE_MORE));
	nudge_text_line(out, 0, &line);
	str_clear(&line);
	str_addf(&line, "%s: ", knob->path);
	escape_terminal(&line, *knob->old ? knob->old : "(no limit)");
	str_addf(&line, " becomes %s, and is restored.", to);
	nudge_text_line(out, 2, &line);
	str_clear(&line);
	str_add(&line, "Watched is ");
	escape_terminal(&line, asked->url ? asked->url : asked->command);
	str_add(&line,
		". Risk 2: a brief blip; the check 'guard' ends it where the machine suffers.");
	nudge_text_line(out, 2, &line);
	str_free(&line);
	free(to);
}

static void nudge_text_slope(struct str *line, const struct nudge_course *course)
{
	str_addf(line, "slope %+.2f, 95 %% interval %+.2f to %+.2f (%u rounds): ", course->slope,
		course->low, course->high, course->rounds);
}

void nudging_write_text(struct str *out, const struct nudging *nudging)
{
	const struct nudge_course *course = &nudging->course;
	struct str line = STR_INIT;
	size_t k;

	switch (course->answer) {
	case NUDGE_MATTERS:
		str_add(&line, "MATTERS: ");
		nudge_text_slope(&line, course);
		str_addf(&line, "with 1 %% less for it the number is %.2f %% %s.",
			fabs(course->slope), course->slope > 0 ? "higher" : "lower");
		break;
	case NUDGE_CLEARED:
		str_add(&line, "CLEARED: ");
		nudge_text_slope(&line, course);
		str_add(&line, "the number does not depend on what it is given.");
		break;
	case NUDGE_UNCLEAR:
		str_add(&line, "UNCLEAR: ");
		nudge_text_slope(&line, course);
		str_add(&line,
			"the interval contains both zero and slopes that would matter. More "
			"rounds, longer phases or a larger --by make it narrower.");
		break;
	case NUDGE_NO_NUMBER:
		str_addf(&line, "NOT KNOWN: %u of %u rounds had a number in each phase",
			course->rounds, course->rounds + course->empty);
		if (nudging->why.len || nudging->observer.why.len) {
			str_add(&line, ": ");
			escape_terminal(&line,
				nudging->why.len ? nudging->why.text : nudging->observer.why.text);
		}
		str_addc(&line, '.');
	}
	nudge_text_line(out, 0, &line);
	for (k = 0; k < NUDGE_STRENGTHS && isfinite(course->means[k]); k++)
		str_addf(out, "  %4.1f %% less: %.6g\n", 100 * course->strengths[k],
			course->means[k]);
	if (course->error && course->answer != NUDGE_NO_NUMBER) {
		str_clear(&line);
		str_add(&line, "however: it was ended early: ");
		escape_terminal(&line, str_text(&nudging->why));
		nudge_text_line(out, 2, &line);
	}
	if (course->answer != NUDGE_NO_NUMBER) {
		str_clear(&line);
		str_addf(&line,
			"however: at most %.0f %% was taken away; the effect of taking away all "
			"of it is not known.",
			100 * nudging->asked->most);
		nudge_text_line(out, 2, &line);
	}
	str_free(&line);
}

void nudging_write_json(struct str *out, const struct nudging *nudging)
{
	static const char *const answers[] = {[NUDGE_MATTERS] = "matters",
		[NUDGE_CLEARED] = "cleared",
		[NUDGE_UNCLEAR] = "unclear",
		[NUDGE_NO_NUMBER] = "unknown"};
	const struct nudge_course *course = &nudging->course;
	struct json_writer json;
	size_t k;

	json_start(&json, out);
	json_write_text(&json, "tool", "nudge");
	json_write_text(&json, "kind", nudging->knob.kind == NUDGE_QUOTA ? "quota" : "io");
	json_write_text(&json, "cgroup", nudge_options_target(nudging->asked));
	json_write_text(&json, "file", nudging->knob.path);
	json_write_text(&json, "answer", answers[course->answer]);
	json_write_number(&json, "slope", course->slope);
	json_write_number(&json, "slope_low", course->low);
	json_write_number(&json, "slope_high", course->high);
	json_write_number(&json, "margin", nudging->asked->margin);
	json_write_count(&json, "rounds", course->rounds);
	json_write_count(&json, "empty_rounds", course->empty);
	json_write_text(&json, "why", str_text(&nudging->why));
	json_write_if(&json, "ended_early", course->error != 0);
	json_write_if(&json, "not_put_back", nudging->left);
	json_open(&json, "strengths", '[');
	for (k = 0; k < NUDGE_STRENGTHS; k++) {
		json_open(&json, NULL, '{');
		json_write_number(&json, "taken_ratio", course->strengths[k]);
		json_write_number(&json, "mean", course->means[k]);
		json_close(&json);
	}
	json_close(&json);
	json_finish(&json);
}
