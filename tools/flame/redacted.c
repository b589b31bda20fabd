/* SPDX-License-Identifier: GPL-2.0-only */
/* How is a profile shown to strangers? */
#include "base/banned.h"

#include <errno.h>
#include <sys/random.h>

#include "base/str.h"
#include "flame/kind.h"
#include "flame/tree.h"
#include "redact/vocabulary.h"
#include "redact/words.h"
#include "run/known_words.h"
#include "tools/flame/profile.h"
#include "tools/flame/redacted.h"

/* What a name is called from now on: its words are replaced, what is between them and says its kind
 * stays. */
static uint32_t redacted_name(
	struct flame_tree *tree, const struct words *words, uint32_t name, struct str *text)
{
	size_t len;
	char *old = mem_strdup(flame_name_text(tree, name));
	const enum flame_kind kind = flame_kind_of(old, &len);
	uint32_t made = name;

	if (kind != FLAME_KERNEL && kind != FLAME_BORDER && kind != FLAME_REST &&
		kind != FLAME_GPU_REASON && kind != FLAME_GPU_INSTRUCTION) {
		str_clear(text);
		redact_words(words, old, len, NUMBERS_STAY, text);
		str_add(text, old + len);
		made = flame_name(tree, str_text(text), text->len);
	}
	free(old);
	return made;
}

int flame_profile_redact(struct flame_profile *profile)
{
	struct flame_tree *tree = profile->tree;
	const size_t n = flame_names_count(tree);
	struct words words = {0};
	struct vocabulary *vocabulary;
	struct str text = STR_INIT;
	uint32_t *made;

	if (getrandom(words.key, sizeof(words.key), 0) != sizeof(words.key))
		return -EAGAIN;
	vocabulary = vocabulary_new(&known_words);
	words.vocabulary = vocabulary;
	made = mem_zalloc(n * sizeof(*made));
	for (size_t i = 0; i < n; i++)
		made[i] = redacted_name(tree, &words, (uint32_t)i, &text);
	for (size_t i = 1; i < tree->n; i++)
		tree->nodes[i].name = made[tree->nodes[i].name];
	free(made);
	str_free(&text);
	vocabulary_free(vocabulary);
	return 0;
}
