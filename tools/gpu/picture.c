/* SPDX-License-Identifier: GPL-2.0-only */
/* How does it look, who let the GPU wait? */
#include "base/banned.h"

#include "base/escape.h"
#include "base/str.h"
#include "flame/folded.h"
#include "flame/svg.h"
#include "flame/tree.h"
#include "sys/atomic_file.h"
#include "tools/gpu/folded.h"
#include "tools/gpu/options.h"
#include "tools/gpu/picture.h"

static void picture_draw(struct str *out, struct gpu_profile *profile, const char *sentence)
{
	char *title = mem_strndup(sentence, strcspn(sentence, "\n"));
	const struct flame_look look = {
		.title = title,
		.note = "A sample is an execution unit that was looked at; at the top stands why "
			"it "
			"waited, below it the instruction, its kernel, and who launched that.",
	};
	struct flame_tree *tree = flame_tree_new();
	struct str folded = STR_INIT;

	gpu_conclusion_write_folded(&folded, profile);
	flame_tree_add_text(tree, str_text(&folded), folded.len);
	flame_svg(out, tree, NULL, &look);
	str_free(&folded);
	flame_tree_free(tree);
	free(title);
}

int gpu_picture_write(const struct gpu_options *asked, const char *program,
	struct gpu_profile *profile, const char *sentence)
{
	struct str picture = STR_INIT, why = STR_INIT;
	int err;

	picture_draw(&picture, profile, sentence);
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
