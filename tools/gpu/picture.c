/* SPDX-License-Identifier: GPL-2.0-only */
/* How does it look, who let the GPU wait? */
#include "base/banned.h"

#include "base/escape.h"
#include "base/shellquote.h"
#include "base/str.h"
#include "flame/folded.h"
#include "flame/svg.h"
#include "flame/tree.h"
#include "sys/atomic_file.h"
#include "tools/gpu/folded.h"
#include "tools/gpu/options.h"
#include "tools/gpu/picture.h"

/* A look at a GPU cannot be had again; a recording can. */
static char *picture_command(const struct gpu_options *asked)
{
	struct str command = STR_INIT;

	str_add(&command, "gpudiagnose ");
	if (asked->replay) {
		str_add(&command, "--replay ");
		if (!shellquote_add(&command, asked->replay))
			str_add(&command, "FILE");
		str_addc(&command, ' ');
	}
	str_add(&command, "-o folded | tuesday flame");
	return str_take(&command);
}

static void picture_draw(struct str *out, const struct gpu_options *asked,
	struct gpu_profile *profile, const char *sentence)
{
	char *title = mem_strndup(sentence, strcspn(sentence, "\n"));
	char *command = picture_command(asked);
	const struct flame_look look = {
		.title = title,
		.note = "A sample is an execution unit that was looked at; at the top stands why "
			"it "
			"waited, below it the instruction, its kernel, and who launched that.",
		.command = command,
		.input = "-",
	};
	struct flame_tree *tree = flame_tree_new();
	struct str folded = STR_INIT;

	gpu_conclusion_write_folded(&folded, profile);
	flame_tree_add_text(tree, str_text(&folded), folded.len);
	flame_svg(out, tree, NULL, &look);
	str_free(&folded);
	flame_tree_free(tree);
	free(title);
	free(command);
}

int gpu_picture_write(const struct gpu_options *asked, const char *program,
	struct gpu_profile *profile, const char *sentence)
{
	struct str picture = STR_INIT, why = STR_INIT;
	int err;

	picture_draw(&picture, asked, profile, sentence);
	err = write_file_atomically(asked->svg, FILE_BY_UMASK, picture.text, picture.len, &why);
	if (err) {
		char *path = escape_path(asked->svg);

		fprintf(stderr, "%s: %s: %s\n", program, path, str_text(&why));
		free(path);
	}
	str_free(&picture);
	str_free(&why);
	return err;
}
