/* SPDX-License-Identifier: GPL-2.0-only */
/* What does a frame's name say of its kind? */
#include "base/banned.h"

#include "base/str.h"
#include "flame/kind.h"
#include "flame/tree.h"

static const struct {
	const char *end, *class, *text;
} kinds[FLAME_KINDS] = {
	[FLAME_PROGRAM] = {"_[u]", "u", "a program"},
	[FLAME_KERNEL] = {"_[k]", "k", "the kernel"},
	[FLAME_INLINED] = {"_[i]", "i", "inlined"},
	[FLAME_COMPILED] = {"_[j]", "j", "compiled at run time"},
	[FLAME_PYTHON] = {"_[p]", "p", "Python"},
	[FLAME_WAKER] = {"_[w]", "w", "who woke it"},
	[FLAME_GPU] = {"_[g]", "g", "a kernel on the GPU"},
	[FLAME_GPU_LINE] = {"_[gl]", "l", "a source line of it"},
	[FLAME_GPU_INSTRUCTION] = {"_[gi]", "n", "a GPU instruction"},
	[FLAME_GPU_REASON] = {"_[gr]", "r", "why it waited"},
	[FLAME_UNKNOWN] = {NULL, "x", "no name known"},
	[FLAME_BROKEN] = {NULL, "b", "a stack that was lost here"},
	[FLAME_BORDER] = {NULL, "s", "-"},
	[FLAME_REST] = {NULL, "o", "all that the filters leave out"},
};

/* "0x7f12a0", "[unknown]", "": what a profiler writes for an address without a name. */
static bool kind_is_unknown(const char *name, size_t len)
{
	if (!len || (len >= 9 && !strncmp(name, "[unknown]", 9)))
		return true;
	return len > 2 && name[0] == '0' && name[1] == 'x' &&
		strspn(name + 2, "0123456789abcdefABCDEF") == len - 2;
}

enum flame_kind flame_kind_of(const char *name, size_t *shown_len)
{
	const size_t len = strlen(name);
	size_t kind;

	*shown_len = len;
	if (str_same(name, "-") || str_same(name, "--"))
		return FLAME_BORDER;
	if (str_same(name, FLAME_OTHER))
		return FLAME_REST;
	if (str_starts(name, "[broken") || str_starts(name, "[truncated"))
		return FLAME_BROKEN;
	for (kind = 0; kind < FLAME_KINDS; kind++) {
		if (!kinds[kind].end || !str_ends(name, kinds[kind].end))
			continue;
		*shown_len = len - strlen(kinds[kind].end);
		break;
	}
	if (kind > FLAME_WAKER && kind < FLAME_KINDS)
		return (enum flame_kind)kind;
	if (kind_is_unknown(name, *shown_len))
		return FLAME_UNKNOWN;
	return kind < FLAME_KINDS ? (enum flame_kind)kind : FLAME_PROGRAM;
}

uint64_t flame_kind_weight(const struct flame_tree *tree, enum flame_kind kind)
{
	bool *is = mem_zalloc(flame_names_count(tree) * sizeof(*is)), any = false;
	bool *has = mem_zalloc(tree->n * sizeof(*has));
	uint64_t weight = 0;
	size_t len;

	for (size_t i = 0; i < flame_names_count(tree); i++) {
		is[i] = flame_kind_of(flame_name_text(tree, (uint32_t)i), &len) == kind;
		any |= is[i];
	}
	for (size_t i = 1; any && i < tree->n; i++) {
		has[i] = has[tree->nodes[i].parent] || is[tree->nodes[i].name];
		weight += has[i] ? tree->nodes[i].self : 0;
	}
	free(is);
	free(has);
	return weight;
}

const char *flame_kind_class(enum flame_kind kind)
{
	return kinds[kind].class;
}

const char *flame_kind_text(enum flame_kind kind)
{
	return kinds[kind].text;
}
