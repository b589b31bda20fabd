/* SPDX-License-Identifier: GPL-2.0-only */
/* What does the critical path of a build look like? */
#include "base/banned.h"

#include <stdlib.h>

#include "base/escape.h"
#include "base/str.h"
#include "flame/svg.h"
#include "flame/tree.h"
#include "spans/analysis.h"
#include "sys/atomic_file.h"
#include "tools/span/json.h"
#include "tools/span/options.h"
#include "tools/span/picture.h"
#include "tools/span/text.h"

#define PICTURE_UNIT "ns" /* as tuesday flame knows it */

static void span_picture_draw(
	struct str *out, const struct span_analysis *analysis, const struct span_holder *holder)
{
	struct flame_tree *tree = flame_tree_new();
	struct str folded = STR_INIT, title = STR_INIT;
	struct flame_look look = {
		.note = "The critical path: what is as wide as the picture took as long as the "
			"build. "
			"What runs beside it is not drawn.",
		.unit = PICTURE_UNIT,
		.seconds_each = 1e-9,
		.seconds_of = "of the build",
	};

	span_write_answer(&title, analysis, holder);
	look.title = str_text(&title);
	span_write_folded(&folded, analysis);
	flame_tree_add_text(tree, str_text(&folded), folded.len);
	flame_svg(out, tree, NULL, &look);
	str_free(&folded);
	str_free(&title);
	flame_tree_free(tree);
}

int span_picture_write(const struct span_options *asked, const struct span_analysis *analysis,
	const struct span_holder *holder)
{
	struct str picture = STR_INIT, why = STR_INIT;
	int err;

	span_picture_draw(&picture, analysis, holder);
	err = write_file_atomically(asked->svg, FILE_BY_UMASK, picture.text, picture.len, &why);
	if (err) {
		char *path = escape_path(asked->svg);

		fprintf(stderr, "%s: %s: %s\n", asked->program, path, str_text(&why));
		free(path);
	}
	str_free(&picture);
	str_free(&why);
	return err;
}
