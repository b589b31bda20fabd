/* SPDX-License-Identifier: GPL-2.0-only */
/* A look, then what is said of it: the sentence first, then the picture. */
#include "base/banned.h"

#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "base/progress.h"
#include "base/str.h"
#include "flame/folded.h"
#include "flame/svg.h"
#include "sys/atomic_file.h"
#include "sys/write_only.h"
#include "tools/cpu/diagnose.h"
#include "tools/cpu/json.h"
#include "tools/cpu/look.h"
#include "tools/cpu/text.h"
#include "tools/cpu/waits_text.h"
#include "tools/cpu/words.h"

static int diagnose_write(const struct cpu_look *look, const char *path, const struct str *text)
{
	struct str why = STR_INIT;
	int err;

	if (!path) {
		fwrite(str_text(text), 1, text->len, stdout);
		return 0;
	}
	err = write_file_atomically(path, FILE_BY_UMASK, str_text(text), text->len, &why);
	if (err) {
		char *shown = escape_path(path);

		fprintf(stderr, "%s: %s: %s\n", look->asked->program, shown, str_text(&why));
		free(shown);
	}
	str_free(&why);
	return err;
}

/* What the widths of a picture are, and what it lacks. */
static char *diagnose_note(const struct cpu_look *look)
{
	struct str out = STR_INIT;

	if (look->asked->waits)
		str_add(&out,
			"A frame is as wide as the time that was waited in it; above a border "
			"stands who ended the wait.");
	else
		str_addf(&out,
			"A frame is as wide as the CPU time that was used in it and in what it "
			"called: %g samples a second of each CPU, for %.1f s.",
			look->asked->hertz, look->seen.seconds);
	if (look->seen.lost.samples) {
		str_addc(&out, ' ');
		cpu_words_lost(&out, look);
		str_addc(&out, '.');
	}
	return str_take(&out);
}

static int diagnose_draw(const struct cpu_look *look, const struct str *words)
{
	const bool waits = look->asked->waits;
	char *title = mem_strndup(str_text(words), strcspn(str_text(words), "\n"));
	char *note = diagnose_note(look);
	const struct flame_look picture = {
		.title = title,
		.note = note,
		.unit = waits ? "ns" : "samples",
		.seconds_each = waits ? 1e-9 : 1 / look->asked->hertz,
		.seconds_of = waits ? "of waiting" : NULL,
		.least_pixels = FLAME_LEAST_PIXELS,
	};
	struct str svg = STR_INIT;
	int err;

	flame_svg(&svg, look->tree, NULL, &picture);
	err = diagnose_write(look, look->asked->svg, &svg);
	str_free(&svg);
	free(note);
	free(title);
	return err;
}

static int diagnose_answer(const struct cpu_look *look)
{
	struct str words = STR_INIT, other = STR_INIT;
	int err;

	if (look->asked->waits)
		cpu_waits_text(&words, look);
	else
		cpu_text(&words, look);
	if (look->asked->format == CPU_AS_JSON)
		cpu_json(&other, look);
	else if (look->asked->format == CPU_AS_FOLDED)
		flame_tree_write_folded(&other, look->tree);
	err = diagnose_write(look, look->asked->to, look->asked->format ? &other : &words);
	if (!err && look->asked->svg)
		err = diagnose_draw(look, &words);
	str_free(&words);
	str_free(&other);
	return err;
}

int cpu_diagnose(bool waits, int argc, char **argv)
{
	struct cpu_options asked;
	struct cpu_look look;
	int err = cpu_options_read(&asked, waits, argc, argv);
	int status = err > 0 ? 0 : EXIT_MISUSE;

	if (!err) {
		const char *const written[] = {asked.to, asked.svg};

		progress_catch_signals();
		err = cpu_look_run(&look, &asked);
		/* Not before: who may not write may not look into other processes. */
		write_only(written, ARRAY_SIZE(written));
		status = err || diagnose_answer(&look) ? 3 : 0;
		cpu_look_free(&look);
	}
	cpu_options_free(&asked);
	return status;
}
