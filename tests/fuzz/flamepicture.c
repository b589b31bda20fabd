/* SPDX-License-Identifier: GPL-2.0-only */
/* Can the stacks within a picture break who reads them? What is read has been drawn by anybody. */
#include "base/banned.h"

#include <stdint.h>

#include "base/str.h"
#include "flame/picture.h"
#include "flame/tree.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct flame_tree *tree = flame_tree_new();
	struct flame_picture picture;
	struct str text = STR_INIT;
	uint64_t sum = 0;

	str_add(&text, "<script id=\"data\"><![CDATA[");
	str_addn(&text, (const char *)data, size);
	str_add(&text, "]]></script>");
	flame_picture_parse(&picture, tree, str_text(&text));
	for (size_t i = 0; i < tree->n; i++) {
		sum += tree->nodes[i].self;
		if (i && tree->nodes[i].parent >= i)
			abort();
	}
	if (sum != tree->total)
		abort();
	flame_picture_free(&picture);
	flame_tree_free(tree);
	str_free(&text);
	return 0;
}
