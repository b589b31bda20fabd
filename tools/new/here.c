/* SPDX-License-Identifier: GPL-2.0-only */
/* Does this machine have the numbers that an expression names? */
#include "base/banned.h"

#include <unistd.h>

#include "base/arena.h"
#include "base/str.h"
#include "base/suggest.h"
#include "capture/capture.h"
#include "capture/recording.h"
#include "expr/ast.h"
#include "expr/eval.h"
#include "sample/source.h"
#include "sample/sweep.h"
#include "tools/new/internal.h"

struct here {
	struct capture *fs;
	struct str *why;
	const char **fields; /* of the source that is asked */
	size_t n, room;
};

static void here_add_field(void *arg, const char *instance, const char *field, double value)
{
	struct here *here = arg;
	size_t i;

	(void)instance;
	(void)value;
	/* Those of one instance come together, and the first tells which there are. */
	for (i = here->n; i-- > 0 && i + 200 > here->n;)
		if (!strcmp(here->fields[i], field))
			return;
	ARRAY_GROW(here->fields, here->n, here->room);
	here->fields[here->n++] = mem_strdup(field);
}

static bool here_has(const struct here *here, const char *field)
{
	size_t i;

	for (i = 0; i < here->n; i++)
		if (!strcmp(here->fields[i], field))
			return true;
	return false;
}

/* A name of all instances, or of what has none: one of a single instance may come and go. */
static void here_ask_source(struct here *here, const struct expr_leaf *leaf)
{
	bool all = str_starts(leaf->key, "*.");
	const char *field = all ? leaf->key + 2 : leaf->key, *near;
	char *missing = NULL;
	size_t i;

	sweep_list(source_find(leaf->source), here->fs, here_add_field, here, &missing);
	if (here->n && !here_has(here, field) && (all || !strchr(field, '.'))) {
		near = suggest(field, here->fields, here->n);
		str_addf(here->why, "nothing here is called '%s:%s'", leaf->source, leaf->key);
		if (near)
			str_addf(here->why, "; did you mean '%s:%s%s'?", leaf->source,
				all ? "*." : "", near);
		str_addc(here->why, '\n');
	}
	for (i = 0; i < here->n; i++)
		free((char *)here->fields[i]);
	here->n = 0;
	free(missing);
}

static void here_ask(void *arg, struct expr_leaf *leaf)
{
	struct here *here = arg;
	const char *path = *leaf->source == '/' ? leaf->source : leaf->key;
	char *file;

	if (*path != '/') {
		if (source_find(leaf->source))
			here_ask_source(here, leaf);
		return;
	}
	file = mem_strndup(path, strcspn(path, "["));
	if (!strchr(file, '*') && access(file, F_OK))
		str_addf(here->why, "there is no file %s here\n", file);
	free(file);
}

bool draft_is_here(const char *expression, struct str *why)
{
	struct arena arena = {0};
	const struct expr_scope scope = {
		.arena = &arena, .has_source = source_is_known, .has_group = source_has_group};
	struct here here = {.why = why};
	struct str error = STR_INIT;
	size_t column, before = why->len;
	uint64_t now;
	struct expr *expr = expr_parse(expression, &scope, &error, &column);

	if (expr && !capture_open(&here.fs, "/", NULL)) {
		if (!capture_next_sample(here.fs, &now))
			expr_each_leaf(expr, here_ask, &here);
		capture_close(here.fs);
	}
	free(here.fields);
	arena_free(&arena);
	str_free(&error);
	return why->len == before;
}
