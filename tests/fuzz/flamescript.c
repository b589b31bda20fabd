/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Can what perf script prints break who reads it? Each sample has a weight of one, whatever was
 * written, and what becomes of it is folded lines that are read again.
 */
#include "base/banned.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/str.h"
#include "flame/folded.h"
#include "flame/script.h"
#include "flame/tree.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct flame_script *script = mem_zalloc(sizeof(*script));
	struct flame_tree *again = flame_tree_new();
	struct str folded = STR_INIT;

	script->tree = flame_tree_new();
	script->by_thread = size & 1;
	script->until = size & 2 ? 1 : 0;
	flame_script_add(script, (const char *)data, size / 2);
	flame_script_add(script, (const char *)data + size / 2, size - size / 2);
	flame_script_end(script);
	if (script->tree->total != script->tree->stacks)
		abort();
	flame_tree_write_folded(&folded, script->tree);
	flame_tree_add_text(again, str_text(&folded), folded.len);
	if (again->total > script->tree->total)
		abort();
	str_free(&folded);
	flame_tree_free(again);
	flame_tree_free(script->tree);
	free(script);
	return 0;
}
