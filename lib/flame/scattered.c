/* SPDX-License-Identifier: GPL-2.0-only */
/* Which package is everywhere in a flame graph, and seen nowhere? */
#include "base/banned.h"

#include "base/diag.h"
#include "base/escape.h"
#include "base/ini.h"
#include "base/num.h"
#include "base/shellquote.h"
#include "base/str.h"
#include "flame/kind.h"
#include "flame/names.h"
#include "flame/parts.h"
#include "flame/pattern.h"
#include "flame/scattered.h"
#include "flame/tree.h"

enum {
	WORDS = 2,	       /* of bits, for the groups that are followed at once */
	ROUND = 64 * WORDS,    /* such groups */
	ROUNDS_MAX = 2,	       /* the heaviest first; a pass over all nodes each */
	NAME_BYTES_MAX = 1024, /* of a name whose parts are looked at */
	ALTERNATIVES_MAX = 8   /* of a pattern */
};

extern const char flame_limits_ini[], flame_limits_ini_end[];

void flame_scattered_limits_default(struct flame_scattered_limits *limits)
{
	struct complaints none = {0};
	struct inifile *ini = inifile_parse("limits.ini", flame_limits_ini,
		(size_t)(flame_limits_ini_end - flame_limits_ini), &none);
	const struct {
		const char *key;
		double *to;
	} keys[] = {
		{"least", &limits->least},
		{"most", &limits->most},
		{"widest", &limits->widest},
		{"towers", &limits->towers},
		{"same", &limits->same},
		{"part", &limits->part},
	};

	*limits = (struct flame_scattered_limits){0};
	for (size_t i = 0; ini && i < inifile_count(ini); i++)
		for (size_t k = 0; k < ARRAY_SIZE(keys); k++)
			if (!strcmp(inifile_entry(ini, i)->key, keys[k].key))
				num_with_unit(inifile_entry(ini, i)->value, keys[k].to);
	inifile_free(ini);
}

/* The names of which nothing is said, as patterns; the caller frees. */
static char *scattered_ways(void)
{
	struct complaints none = {0};
	struct inifile *ini = inifile_parse("limits.ini", flame_limits_ini,
		(size_t)(flame_limits_ini_end - flame_limits_ini), &none);
	char *ways = NULL;

	for (size_t i = 0; ini && i < inifile_count(ini) && !ways; i++)
		if (!strcmp(inifile_entry(ini, i)->key, "ways"))
			ways = mem_strdup(inifile_entry(ini, i)->value);
	inifile_free(ini);
	return ways ? ways : mem_strdup("");
}

struct scattered_group {
	uint32_t id;
	uint64_t bound;	  /* its weight is at most that */
	uint64_t highest; /* of one node of it */
	uint64_t weight, widest, towers;
	double depth; /* of its towers, times their weights */
};

struct scattering {
	const struct flame_tree *tree;
	const uint64_t *totals;
	const struct flame_scattered_limits *limits;
	char *ways;
	struct flame_names *parts;		  /* of names: what groups are called */
	uint32_t (*of_name)[FLAME_PARTS_MAX + 1]; /* their number first */
	struct scattered_group *groups;		  /* by id; then the heaviest first */
	size_t n;
};

/* Nothing is said of a name that is none, but of the library it is in; why an instruction waits is
 * in no package, and neither is its address. */
static bool scattered_has_parts(enum flame_kind kind, const char *name, size_t len)
{
	if (kind == FLAME_UNKNOWN)
		return str_starts(name, "[unknown] ") && len <= NAME_BYTES_MAX;
	return kind != FLAME_BORDER && kind != FLAME_REST && kind != FLAME_BROKEN &&
		kind != FLAME_GPU_REASON && kind != FLAME_GPU_INSTRUCTION && len <= NAME_BYTES_MAX;
}

/* The parts of a name; none where it has none that count. */
static size_t scattered_parts(const char *name, struct flame_part parts[FLAME_PARTS_MAX])
{
	size_t len;
	const enum flame_kind kind = flame_kind_of(name, &len);

	return scattered_has_parts(kind, name, len) ? flame_parts_find(name, len, parts) : 0;
}

static bool scattered_has(const struct scattering *s, uint32_t name, uint32_t group)
{
	for (uint32_t k = 1; k <= s->of_name[name][0]; k++)
		if (s->of_name[name][k] == group)
			return true;
	return false;
}

static bool scattered_is_way(const struct scattering *s, const char *name)
{
	size_t len;
	char *bare;
	bool is;

	flame_kind_of(name, &len);
	bare = mem_strndup(name, len);
	is = str_matches(bare, s->ways);
	free(bare);
	return is;
}

static void scattered_take_name(struct scattering *s, uint32_t name, struct str *text)
{
	struct flame_part parts[FLAME_PARTS_MAX];
	const char *whole = flame_name_text(s->tree, name);
	const size_t n = scattered_is_way(s, whole) ? 0 : scattered_parts(whole, parts);
	uint32_t *of = s->of_name[name], group;

	for (size_t i = 0; i < n; i++) {
		str_clear(text);
		flame_part_add_text(text, whole, &parts[i]);
		group = flame_names_add(s->parts, str_text(text), text->len,
			flame_hash(s->tree->key, str_text(text), text->len));
		if (!scattered_has(s, name, group))
			of[++*of] = group;
	}
}

static void scattered_take_names(struct scattering *s)
{
	const size_t n = flame_names_count(s->tree);
	struct str text = STR_INIT;

	s->parts = flame_names_new();
	s->of_name = mem_zalloc(n * sizeof(*s->of_name));
	for (size_t name = 0; name < n; name++)
		scattered_take_name(s, (uint32_t)name, &text);
	str_free(&text);
	s->n = flame_names_n(s->parts);
	s->groups = mem_zalloc((s->n + 1) * sizeof(*s->groups));
	for (size_t i = 0; i < s->n; i++)
		s->groups[i].id = (uint32_t)i;
}

/* What a group can have at most: the sum over its frames, which counts some stacks several times.
 */
static void scattered_bound(struct scattering *s)
{
	const size_t n = flame_names_count(s->tree);
	uint64_t *sum = mem_zalloc(n * sizeof(*sum)), *highest = mem_zalloc(n * sizeof(*highest));

	for (size_t i = 1; i < s->tree->n; i++) {
		const uint32_t name = s->tree->nodes[i].name;

		if (__builtin_add_overflow(sum[name], s->totals[i], &sum[name]))
			sum[name] = UINT64_MAX;
		if (s->totals[i] > highest[name])
			highest[name] = s->totals[i];
	}
	for (size_t name = 0; name < n; name++)
		for (uint32_t k = 1; k <= s->of_name[name][0]; k++) {
			struct scattered_group *group = &s->groups[s->of_name[name][k]];

			if (__builtin_add_overflow(group->bound, sum[name], &group->bound) ||
				group->bound > s->tree->total)
				group->bound = s->tree->total;
			if (highest[name] > group->highest)
				group->highest = highest[name];
		}
	free(sum);
	free(highest);
}

static int scattered_by_bound(const void *a, const void *b)
{
	const struct scattered_group *x = a, *y = b;

	if (x->bound != y->bound)
		return x->bound > y->bound ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

static int scattered_by_weight(const void *a, const void *b)
{
	const struct scattered_group *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

/* Leaves only the groups that may be scattered, the heaviest first. */
static void scattered_narrow(struct scattering *s)
{
	const double least = s->limits->least * (double)s->tree->total;
	size_t kept = 0;

	for (size_t i = 0; i < s->n; i++)
		if ((double)s->groups[i].bound >= least &&
			(double)s->groups[i].highest <=
				s->limits->widest * (double)s->groups[i].bound)
			s->groups[kept++] = s->groups[i];
	s->n = kept;
	qsort(s->groups, s->n, sizeof(*s->groups), scattered_by_bound);
	if (s->n > (size_t)ROUND * ROUNDS_MAX)
		s->n = (size_t)ROUND * ROUNDS_MAX;
}

/* Which of the groups of a round. */
struct scattered_bits {
	uint64_t words[WORDS];
};

/* For each name those that it is in; the caller frees. */
static struct scattered_bits *scattered_bits(
	const struct scattering *s, const struct scattered_group *groups, size_t n)
{
	const size_t n_names = flame_names_count(s->tree);
	unsigned char *bit = mem_zalloc(flame_names_n(s->parts) + 1); /* of a group, plus 1 */
	struct scattered_bits *bits = mem_zalloc(n_names * sizeof(*bits));

	for (size_t i = 0; i < n; i++)
		bit[groups[i].id] = (unsigned char)(i + 1);
	for (size_t name = 0; name < n_names; name++)
		for (uint32_t k = 1; k <= s->of_name[name][0]; k++) {
			const unsigned int which = bit[s->of_name[name][k]];

			if (which)
				bits[name].words[(which - 1) / 64] |= (uint64_t)1
					<< (which - 1) % 64;
		}
	free(bit);
	return bits;
}

/* How far from the root each node is; the caller frees. */
static uint16_t *scattered_depths(const struct flame_tree *tree)
{
	uint16_t *depth = mem_realloc_array(NULL, tree->n, sizeof(*depth));

	depth[0] = 0;
	for (size_t i = 1; i < tree->n; i++) {
		depth[i] = depth[tree->nodes[i].parent];
		depth[i] = (uint16_t)(depth[i] + (depth[i] < UINT16_MAX));
	}
	return depth;
}

/* Nodes come after their parents: which groups a stack has been in is known when a node is met. */
static void scattered_round(
	struct scattering *s, const uint16_t *depth, struct scattered_group *groups, size_t n)
{
	struct scattered_bits *bits = scattered_bits(s, groups, n);
	struct scattered_bits *below = mem_realloc_array(NULL, s->tree->n, sizeof(*below));

	below[0] = (struct scattered_bits){{0}};
	for (size_t i = 1; i < s->tree->n; i++) {
		const struct flame_node *node = &s->tree->nodes[i];
		const struct scattered_bits *before = &below[node->parent];
		const uint64_t weight = s->totals[i];

		if (i + FLAME_AHEAD < s->tree->n)
			__builtin_prefetch(&below[node[FLAME_AHEAD].parent]);
		for (unsigned int word = 0; word < WORDS; word++) {
			uint64_t entered = bits[node->name].words[word] & ~before->words[word];

			below[i].words[word] = before->words[word] | entered;
			for (; entered; entered &= entered - 1) {
				struct scattered_group *group =
					&groups[64 * word + (unsigned)__builtin_ctzll(entered)];

				group->weight += weight;
				group->towers += weight > 0;
				group->depth += (double)weight * depth[i];
				if (weight > group->widest)
					group->widest = weight;
			}
		}
	}
	free(below);
	free(bits);
}

static void scattered_rounds(struct scattering *s)
{
	uint16_t *depth = s->n ? scattered_depths(s->tree) : NULL;

	for (size_t i = 0; i < s->n; i += ROUND)
		scattered_round(s, depth, s->groups + i, s->n - i < ROUND ? s->n - i : ROUND);
	free(depth);
}

static bool scattered_is(const struct scattering *s, const struct scattered_group *group)
{
	const double share = (double)group->weight / (double)s->tree->total;

	return share >= s->limits->least && share <= s->limits->most &&
		(double)group->towers >= s->limits->towers &&
		(double)group->widest <= s->limits->widest * (double)group->weight;
}

/* How many names two groups have in common, by their places in the list: of the one itself how many
 * it has; the caller frees. */
static uint32_t *scattered_common(const struct scattering *s, size_t n)
{
	uint32_t *common = mem_zalloc(n * n * sizeof(*common));
	uint32_t *place = mem_zalloc(flame_names_n(s->parts) * sizeof(*place)); /* plus 1 */

	for (size_t i = 0; i < n; i++)
		place[s->groups[i].id] = (uint32_t)i + 1;
	for (size_t name = 0; name < flame_names_count(s->tree); name++) {
		const uint32_t *of = s->of_name[name];

		for (uint32_t a = 1; a <= of[0]; a++)
			for (uint32_t b = 1; place[of[a]] && b <= of[0]; b++)
				if (place[of[b]])
					common[(place[of[a]] - 1) * n + place[of[b]] - 1]++;
	}
	free(place);
	return common;
}

/* Whether a group is all within another one. Of two with the same names the longer text is the
 * part, and where none begins the other, what was found later in the name. */
static bool scattered_is_part(
	const struct scattering *s, const uint32_t *common, size_t n, size_t part, size_t of)
{
	const char *text = flame_names_text(s->parts, s->groups[part].id);
	const char *other = flame_names_text(s->parts, s->groups[of].id);

	if (part == of || common[part * n + of] != common[part * n + part])
		return false;
	if (common[part * n + of] != common[of * n + of])
		return true;
	if (str_starts(text, other) || str_starts(other, text))
		return strlen(text) > strlen(other);
	return s->groups[part].id < s->groups[of].id;
}

/* Whether its towers begin where those of another group do, within half a frame on average. */
static bool scattered_is_entered_with(
	const struct scattered_group *a, const struct scattered_group *b)
{
	const double apart = a->depth / (double)a->weight - b->depth / (double)b->weight;

	return apart < 0.5 && apart > -0.5;
}

/* Whether another group says it better: a part that has nearly all of it, or a package of which
 * this is a small part. */
static bool scattered_is_said(
	const struct scattering *s, const uint32_t *common, size_t n, size_t which)
{
	const struct scattered_group *group = &s->groups[which];

	for (size_t i = 0; i < n; i++) {
		const struct scattered_group *other = &s->groups[i];

		if (scattered_is_part(s, common, n, i, which) &&
			scattered_is_entered_with(other, group) &&
			(double)other->weight >= s->limits->same * (double)group->weight)
			return true;
		if (!scattered_is_part(s, common, n, which, i))
			continue;
		if ((double)group->weight < s->limits->part * (double)other->weight ||
			((double)group->weight >= s->limits->same * (double)other->weight &&
				!scattered_is_entered_with(group, other)))
			return true;
	}
	return false;
}

static void scattered_add_literal(struct str *out, char c)
{
	if (strchr("\\*|^$", c))
		str_addc(out, '\\');
	str_addc(out, c);
}

/* The part of a name as a pattern; what its text leaves out is anything. */
static void scattered_add_piece(
	struct str *out, const char *name, const struct flame_part *part, const char *text)
{
	const bool as_it_is = part->is_whole || str_starts(name, "_ZN");

	for (; *text; text++) {
		scattered_add_literal(out, *text);
		if (!as_it_is &&
			((text[0] == '<' && text[1] == '>') || (text[0] == '(' && text[1] == ')')))
			str_addc(out, '*');
	}
}

/* The same with what is before it in this name, and behind it. */
static void scattered_add_place(struct str *out, const char *name, const struct flame_part *part,
	const char *text, const bool with[2])
{
	if (with[0] && part->begin)
		scattered_add_literal(out, name[part->begin - 1]);
	else if (with[0])
		str_addc(out, '^');
	scattered_add_piece(out, name, part, text);
	if (with[1] && name[part->end])
		scattered_add_literal(out, name[part->end]);
	else if (with[1])
		str_addc(out, '$');
}

/* Where a name has the group; NULL where it does not. */
static const struct flame_part *scattered_part_of(
	const char *name, const char *text, struct flame_part parts[FLAME_PARTS_MAX])
{
	const size_t n = scattered_parts(name, parts);
	struct str one = STR_INIT;
	size_t i;

	for (i = 0; i < n; i++) {
		str_clear(&one);
		flame_part_add_text(&one, name, &parts[i]);
		if (!strcmp(str_text(&one), text))
			break;
	}
	str_free(&one);
	return i < n ? &parts[i] : NULL;
}

/* Whether "|piece|" is among "|a|b|". */
static bool scattered_has_alternative(const struct str *all, const struct str *piece)
{
	return strstr(str_text(all), str_text(piece)) != NULL;
}

/* A pattern of all places that the group has in names; false for too many. */
static bool scattered_alternatives(
	struct str *out, const struct scattering *s, uint32_t group, const bool with[2])
{
	const char *text = flame_names_text(s->parts, group);
	struct flame_part parts[FLAME_PARTS_MAX];
	struct str piece = STR_INIT;
	size_t n = 0;

	str_clear(out);
	str_addc(out, '|');
	for (size_t name = 0; n <= ALTERNATIVES_MAX && name < flame_names_count(s->tree); name++) {
		const char *whole = flame_name_text(s->tree, (uint32_t)name);
		const struct flame_part *part = scattered_has(s, (uint32_t)name, group)
			? scattered_part_of(whole, text, parts)
			: NULL;

		if (!part)
			continue;
		str_clear(&piece);
		str_addc(&piece, '|');
		scattered_add_place(&piece, whole, part, text, with);
		str_addc(&piece, '|');
		if (scattered_has_alternative(out, &piece))
			continue;
		str_add(out, str_text(&piece) + 1);
		n++;
	}
	str_free(&piece);
	return n <= ALTERNATIVES_MAX;
}

static bool scattered_selects(const struct scattering *s, uint32_t group, const char *pattern)
{
	for (size_t name = 0; name < flame_names_count(s->tree); name++)
		if (flame_pattern_matches(pattern, flame_name_text(s->tree, (uint32_t)name)) !=
			scattered_has(s, (uint32_t)name, group))
			return false;
	return true;
}

/* What selects the group and nothing else: its text, or with what is before and behind it; the last
 * that there is where no pattern says it exactly. */
static char *scattered_pattern(const struct scattering *s, uint32_t group)
{
	static const bool with[][2] = {{false, false}, {true, false}, {false, true}, {true, true}};
	struct str all = STR_INIT;
	char *pattern = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(with); i++) {
		if (!scattered_alternatives(&all, s, group, with[i]))
			continue;
		free(pattern);
		pattern = mem_strndup(str_text(&all) + 1, all.len - 2);
		if (scattered_selects(s, group, pattern))
			break;
	}
	str_free(&all);
	return pattern;
}

static char *scattered_readable(const char *text)
{
	struct str name = STR_INIT;

	flame_part_add_readable(&name, text);
	return str_take(&name);
}

static void scattered_keep(struct flame_scattered *found, const struct scattering *s,
	const struct scattered_group *group)
{
	found->groups[found->n++] = (struct flame_scattered_group){
		.name = scattered_readable(flame_names_text(s->parts, group->id)),
		.pattern = scattered_pattern(s, group->id),
		.weight = group->weight,
		.widest = group->widest,
		.towers = group->towers,
	};
}

void flame_scattered_find(struct flame_scattered *found, const struct flame_tree *tree,
	const uint64_t *totals, const struct flame_scattered_limits *limits)
{
	struct scattering s = {.tree = tree, .totals = totals, .limits = limits};
	uint32_t *common;
	size_t kept = 0;

	*found = (struct flame_scattered){0};
	if (!tree->total)
		return;
	s.ways = scattered_ways();
	scattered_take_names(&s);
	scattered_bound(&s);
	scattered_narrow(&s);
	scattered_rounds(&s);
	for (size_t i = 0; i < s.n; i++)
		if (scattered_is(&s, &s.groups[i]))
			s.groups[kept++] = s.groups[i];
	if (kept)
		qsort(s.groups, kept, sizeof(*s.groups), scattered_by_weight);
	common = scattered_common(&s, kept);
	for (size_t i = 0; i < kept && found->n < FLAME_SCATTERED_MAX; i++)
		if (!scattered_is_said(&s, common, kept, i))
			scattered_keep(found, &s, &s.groups[i]);
	free(common);
	free(s.groups);
	free(s.of_name);
	free(s.ways);
	flame_names_free(s.parts);
}

void flame_scattered_free(struct flame_scattered *found)
{
	for (size_t i = 0; i < found->n; i++) {
		free(found->groups[i].name);
		free(found->groups[i].pattern);
	}
	found->n = 0;
}

static void scattered_add_share(struct str *out, uint64_t weight, uint64_t total)
{
	const double share = 100.0 * (double)weight / (double)total;

	str_addf(out, share >= 9.95 ? "%.0f %%" : "%.1f %%", share);
}

void flame_scattered_add_sentence(struct str *out, const struct flame_scattered_group *group,
	uint64_t total, const char *unit)
{
	struct str quoted = STR_INIT;

	escape_terminal_cut(out, group->name, 60);
	str_add(out, ": ");
	scattered_add_share(out, group->weight, total);
	str_addf(
		out, " of %s in %llu towers, the widest ", unit, (unsigned long long)group->towers);
	scattered_add_share(out, group->widest, total);
	if (shellquote_add(&quoted, group->pattern))
		str_addf(out, ": --focus %s", quoted.text);
	str_free(&quoted);
}
