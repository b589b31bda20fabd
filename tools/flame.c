/* SPDX-License-Identifier: GPL-2.0-only */
/* Which code does a profile's weight lie in, and how does that look? */
#include "base/banned.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/command.h"
#include "base/escape.h"
#include "base/progress.h"
#include "base/str.h"
#include "flame/folded.h"
#include "flame/script.h"
#include "flame/tree.h"
#include "run/options.h"
#include "sys/atomic_file.h"
#include "sys/opener.h"
#include "sys/write_only.h"
#include "tools/flame/options.h"
#include "tools/flame/profile.h"
#include "tools/flame/redacted.h"

static int cmd_flame(int argc, char **argv);
COMMAND(flame_command) = {
	.name = "flame",
	.args = "[FILE]",
	.what = "a flame graph of folded stacks, and what is scattered in it",
	.run = cmd_flame,
};

static int flame_complain(const struct flame_options *asked, const char *path, int err)
{
	char *shown = escape_path(path);

	fprintf(stderr, "%s: %s: %s\n", asked->program, shown,
		err == -EINTR		  ? "interrupted"
			: err == -ENOTSUP ? "a picture of a difference does not have both profiles"
			: err == -EINVAL && asked->from == FLAME_FROM_SVG
			? "no picture of tuesday flame, or of a tool that draws as it does"
			: strerror(-err));
	free(shown);
	return err;
}

static int flame_read_from(const struct flame_options *asked, struct flame_profile *profile, int fd)
{
	struct flame_script *script;
	int err;

	if (asked->from == FLAME_FROM_FOLDED)
		return flame_tree_read(profile->tree, fd);
	if (asked->from == FLAME_FROM_SVG)
		return flame_picture_read(&profile->picture, profile->tree, fd);
	script = mem_zalloc(sizeof(*script));
	script->tree = profile->tree;
	script->by_thread = asked->by_thread;
	script->from = asked->since;
	script->until = asked->until;
	err = flame_script_read(script, fd);
	free(script);
	return err;
}

/* "-" is standard input. Returns 0 or -errno after a message. */
static int flame_read(
	const struct flame_options *asked, struct flame_profile *profile, const char *path)
{
	const bool is_stdin = !strcmp(path, "-");
	int fd = is_stdin ? STDIN_FILENO : opener_open(AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
	int err = fd < 0 ? fd : flame_read_from(asked, profile, fd);

	if (fd >= 0 && !is_stdin)
		close(fd);
	progress_end();
	return err ? flame_complain(asked, path, err) : 0;
}

/* Of two profiles the earlier one comes first, and its weights are put aside. */
static int flame_read_all(struct flame_options *asked, struct flame_profile *profile)
{
	size_t n = 0;
	int err;

	if (asked->diff) {
		err = flame_read(asked, profile, asked->diff);
		if (err)
			return err;
		n = profile->tree->n;
		profile->before = flame_tree_take_selves(profile->tree, &profile->before_total);
		profile->before_stacks = profile->tree->stacks;
	}
	err = flame_read(asked, profile, asked->input);
	if (asked->diff)
		profile->before = flame_tree_fit_selves(profile->tree, profile->before, n);
	/* A picture knows what its weights are, unless somebody knows better. */
	if (!asked->unit && !(asked->hertz > 0) && asked->from == FLAME_FROM_SVG) {
		asked->unit = profile->picture.unit;
		asked->seconds_each = profile->picture.seconds_each;
	}
	return err;
}

static int flame_write(const struct flame_options *asked, const char *path, const struct str *text)
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

		fprintf(stderr, "%s: %s: %s\n", asked->program, shown, str_text(&why));
		free(shown);
	}
	str_free(&why);
	return err;
}

/* Words go where the picture does not. */
static int flame_write_picture(
	const struct flame_options *asked, struct flame_profile *profile, const char *words)
{
	struct str picture = STR_INIT;
	int err;

	flame_profile_picture(&picture, asked, profile, words);
	err = flame_write(asked, strcmp(asked->svg, "-") ? asked->svg : NULL, &picture);
	str_free(&picture);
	return err;
}

/* The sentence first, then the picture. */
static int flame_answer(struct flame_options *asked, struct flame_profile *profile)
{
	const bool to_stdout =
		asked->svg && (!strcmp(asked->svg, "-") || !strcmp(asked->svg, "/dev/stdout"));
	struct str words = STR_INIT, folded = STR_INIT;
	int err = 0;

	flame_tree_settle(profile->tree);
	if (asked->format == FLAME_FORMAT_FOLDED)
		flame_profile_folded(&folded, asked, profile);
	if (asked->format != FLAME_FORMAT_FOLDED || asked->svg)
		flame_profile_words(&words, asked, profile);
	if (asked->format == FLAME_FORMAT_FOLDED)
		err = flame_write(asked, asked->to, &folded);
	else if (to_stdout && !asked->to)
		fputs(str_text(&words), stderr);
	else
		err = flame_write(asked, asked->to, &words);
	if (!err && asked->svg)
		err = flame_write_picture(asked, profile, str_text(&words));
	str_free(&folded);
	str_free(&words);
	return err;
}

static int flame_run(struct flame_options *asked)
{
	struct flame_profile profile = {.tree = flame_tree_new()};
	const char *const written[] = {asked->to, asked->svg};
	int err;

	write_only(written, ARRAY_SIZE(written));
	progress_catch_signals();
	err = flame_read_all(asked, &profile);
	if (!err && !profile.tree->total) {
		char *shown = escape_path(asked->input);

		fprintf(stderr, "%s: %s: no stack in it: %s\n", asked->program, shown,
			asked->from == FLAME_FROM_PERF
				? "what perf script prints is wanted, with -g"
				: "lines like \"main;read;vfs_read 23\" are wanted; what perf "
				  "script prints is read with --from perf, a picture with "
				  "--from svg");
		free(shown);
		err = -ENODATA;
	}
	if (!err && asked->redact)
		err = flame_profile_redact(&profile);
	if (!err)
		err = flame_answer(asked, &profile);
	flame_tree_free(profile.tree);
	flame_picture_free(&profile.picture);
	free(profile.before);
	return err ? 3 : 0;
}

static int cmd_flame(int argc, char **argv)
{
	struct flame_options asked;
	int err = flame_options_read(&asked, argc, argv);
	int status = err > 0 ? 0 : EXIT_MISUSE;

	if (!err)
		status = flame_run(&asked);
	flame_options_free(&asked);
	return status;
}
