/* SPDX-License-Identifier: GPL-2.0-only */
/* Which names do the checks read that are about a word? */
#include "base/banned.h"

#include <fnmatch.h>
#include <stdio.h>
#include <strings.h>

#include "base/escape.h"
#include "base/str.h"
#include "check/check.h"
#include "check/keywords.h"
#include "check/layers.h"
#include "expr/ast.h"
#include "expr/eval.h"
#include "run/select.h"
#include "tools/sources/internal.h"

#define MEANT_MAX 60

bool sources_is_pattern(const char *pattern)
{
	return strpbrk(pattern, "*?[") != NULL;
}

/* A name with a star is meant by itself as well as by a pattern that matches it. */
bool sources_match(const char *name, const char *pattern)
{
	if (!pattern || !strcmp(name, pattern))
		return true;
	return sources_is_pattern(pattern) ? !fnmatch(pattern, name, 0)
					   : strcasestr(name, pattern) != NULL;
}

struct meaning {
	const char *word;
	const struct check *check;
	const struct metric *metric;
	char *names[MEANT_MAX];
	size_t n;
};

static void meaning_add(void *arg, struct expr_leaf *leaf)
{
	struct meaning *meaning = arg;
	char *name = *leaf->source == '/' ? mem_strdup(*leaf->key ? leaf->key : leaf->source)
					  : mem_printf("%s:%s", leaf->source, leaf->key);
	struct str line = STR_INIT;
	bool known = meaning->n == MEANT_MAX || sources_match(name, meaning->word) ||
		!strcmp(leaf->source, "trace");
	size_t i;

	for (i = 0; i < meaning->n; i++)
		known |= !strcmp(meaning->names[i], name);
	if (known) {
		free(name);
		return;
	}
	if (!meaning->n)
		printf("# By what checks say of '%s':\n", meaning->word);
	escape_terminal(&line, name);
	printf("%s  (%s: %s)\n", str_text(&line), meaning->check->name, meaning->metric->name);
	str_free(&line);
	meaning->names[meaning->n++] = name;
}

/* Of a check that is about it as a whole, all of its metrics that can accuse. */
static void meaning_ask_check(struct meaning *meaning, const struct check *check)
{
	const struct metric *where;
	size_t i;

	if (!check_tells_of(check, meaning->word, &where))
		return;
	meaning->check = check;
	for (i = 0; i < check->n_metrics; i++) {
		const struct metric *metric = check->metrics[i];
		bool told = metric_tells_of(metric, meaning->word);

		if (where ? !told : !told && metric->class == CLASS_CAUSE)
			continue;
		meaning->metric = metric;
		expr_each_leaf(metric->value, meaning_add, meaning);
	}
}

size_t sources_print_meaning(const struct options *options, const char *word)
{
	struct checks *checks = run_load(options, NULL, 0);
	struct meaning meaning = {.word = word};
	size_t i;

	for (i = 0; i < checks->n; i++)
		if (checks->list[i]->enabled)
			meaning_ask_check(&meaning, checks->list[i]);
	for (i = 0; i < meaning.n; i++)
		free(meaning.names[i]);
	checks_free(checks);
	return meaning.n;
}
