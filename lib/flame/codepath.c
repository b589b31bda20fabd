/* SPDX-License-Identifier: GPL-2.0-only */
/* Which function takes more of the CPU than it did, beyond what chance does? */
#include "base/banned.h"

#include <math.h>

#include "base/diag.h"
#include "base/hash.h"
#include "base/ini.h"
#include "base/num.h"
#include "base/quoteword.h"
#include "base/str.h"
#include "flame/codepath.h"
#include "flame/names.h"
#include "flame/tree.h"
#include "stats/discoveries.h"
#include "stats/proportion.h"

enum { EXACT_MAX = 2000 }; /* samples: of more the normal distribution is right */

extern const char flame_limits_ini[], flame_limits_ini_end[];

/* Samples by thread and slice. */
struct codepath_cells {
	uint32_t of[CODEPATH_THREADS][CODEPATH_SLICES];
};

struct codepath_function {
	uint64_t hits;
	uint64_t depth;		      /* summed over the samples: of its outermost frame */
	uint64_t seen;		      /* the number of the sample that it was met in last */
	double widened;		      /* as it was kept; 0: the cells know */
	struct codepath_cells *cells; /* NULL where neither threads nor times are known */
};

struct codepath_look {
	double seconds, hertz;
	uint64_t key[2];
	struct flame_names *names;
	struct codepath_function *functions; /* by name */
	size_t n, room;
	uint64_t samples, stacks;
	struct codepath_cells cells;
};

struct codepath_look *codepath_look_new(double seconds, double hertz)
{
	struct codepath_look *look = mem_zalloc(sizeof(*look));

	look->seconds = seconds;
	look->hertz = hertz;
	look->key[0] = hash_keyed("code", 4);
	look->key[1] = hash_keyed("path", 4);
	look->names = flame_names_new();
	return look;
}

void codepath_look_free(struct codepath_look *look)
{
	if (!look)
		return;
	for (size_t i = 0; i < look->n; i++)
		free(look->functions[i].cells);
	flame_names_free(look->names);
	free(look->functions);
	free(look);
}

uint64_t codepath_look_samples(const struct codepath_look *look)
{
	return look->samples;
}

/* The function of that name, made where there is none and room; or NULL. */
static struct codepath_function *codepath_function_of(struct codepath_look *look, const char *name)
{
	const size_t len = strlen(name);
	uint32_t number;

	if (look->n >= CODEPATH_FUNCTIONS &&
		flame_names_find(look->names, name, len, flame_hash(look->key, name, len)) < 0)
		return NULL;
	number = flame_names_add(look->names, name, len, flame_hash(look->key, name, len));
	if (number == look->n) {
		ARRAY_GROW(look->functions, look->n, look->room);
		memset(&look->functions[look->n++], 0, sizeof(*look->functions));
	}
	return &look->functions[number];
}

void codepath_look_add(struct codepath_look *look, const char *const *frames, size_t n,
	uint64_t thread, unsigned int slice, uint64_t samples)
{
	const size_t row = hash_keyed(&thread, sizeof(thread)) % CODEPATH_THREADS;

	slice %= CODEPATH_SLICES;
	look->stacks++;
	for (size_t i = 0; i < n; i++) {
		struct codepath_function *function = codepath_function_of(look, frames[i]);

		if (!function || function->seen == look->stacks)
			continue;
		function->seen = look->stacks;
		function->hits += samples;
		function->depth += samples * i;
		if ((thread || slice) && !function->cells)
			function->cells = mem_zalloc(sizeof(*function->cells));
		if (function->cells)
			function->cells->of[row][slice] += (uint32_t)samples;
	}
	look->samples += samples;
	look->cells.of[row][slice] += (uint32_t)samples;
}

void codepath_look_add_tree(struct codepath_look *look, const struct flame_tree *tree)
{
	const char **frames = mem_realloc_array(NULL, FLAME_DEPTH_MAX, sizeof(*frames));

	for (size_t i = 1; i < tree->n; i++) {
		size_t n = FLAME_DEPTH_MAX;

		if (!tree->nodes[i].self)
			continue;
		for (size_t at = i; at && n; at = tree->nodes[at].parent)
			frames[--n] = flame_name_text(tree, tree->nodes[at].name);
		codepath_look_add(look, frames + n, FLAME_DEPTH_MAX - n, 0, 0, tree->nodes[i].self);
	}
	free(frames);
}

/* What is more of a function in some cells than its share of all would be. */
static double codepath_excess(const struct codepath_look *look,
	const struct codepath_function *function, double share, size_t row, size_t from, size_t n)
{
	double excess = 0;

	for (size_t slice = from; slice < from + n; slice++)
		excess += function->cells->of[row][slice] - share * look->cells.of[row][slice];
	return excess;
}

/* The variance of the sum between slices of time. */
static double codepath_between_slices(
	const struct codepath_look *look, const struct codepath_function *function, double share)
{
	double sum = 0;

	for (size_t slice = 0; slice < CODEPATH_SLICES; slice++) {
		double excess = 0;

		for (size_t row = 0; row < CODEPATH_THREADS; row++)
			excess += codepath_excess(look, function, share, row, slice, 1);
		sum += excess * excess;
	}
	return sum * CODEPATH_SLICES / (CODEPATH_SLICES - 1);
}

/* The same from what changes between successive pieces of each thread (von Neumann, 1941): half the
 * mean of the squares, for each piece. */
static double codepath_within_threads(const struct codepath_look *look,
	const struct codepath_function *function, double share, size_t slices)
{
	const size_t pieces = CODEPATH_SLICES / slices;
	double sum = 0;

	for (size_t row = 0; row < CODEPATH_THREADS; row++) {
		double before = codepath_excess(look, function, share, row, 0, slices);

		for (size_t piece = 1; piece < pieces; piece++) {
			const double excess =
				codepath_excess(look, function, share, row, piece * slices, slices);

			sum += (excess - before) * (excess - before) / 2;
			before = excess;
		}
	}
	return sum * (double)pieces / (double)(pieces - 1);
}

/* By how much the variance of a share is more than that of independent samples. */
static double codepath_widening(
	const struct codepath_look *look, const struct codepath_function *function)
{
	const double n = (double)look->samples, share = (double)function->hits / n;
	const double independent = n * share * (1 - share);
	double largest;

	if (function->widened > 0)
		return function->widened;
	if (!(independent > 0) || !function->cells)
		return 1;
	largest = fmax(independent, codepath_between_slices(look, function, share));
	largest = fmax(largest, codepath_within_threads(look, function, share, 2));
	largest = fmax(largest, codepath_within_threads(look, function, share, 8));
	return largest / independent;
}

void codepath_look_write(struct str *out, struct codepath_look *look, double least)
{
	str_addf(out, "codepath/1 %llu %.6g %.6g\n", (unsigned long long)look->samples,
		look->seconds, look->hertz);
	for (uint32_t name = 0; name < look->n; name++) {
		const struct codepath_function *function = &look->functions[name];

		if (!function->hits || (double)function->hits < least * (double)look->samples)
			continue;
		str_addf(out, "%llu %.4f %llu", (unsigned long long)function->hits,
			codepath_widening(look, function), (unsigned long long)function->depth);
		quoteword_add(out, flame_names_text(look->names, name));
		str_addc(out, '\n');
	}
}

/* A number of a kept look; false for what is none, or no measure. */
static bool codepath_read_number(const char *word, double most, double *number)
{
	char *end;

	if (*word < '0' || *word > '9')
		return false;
	*number = strtod(word, &end);
	return !*end && *number <= most;
}

static bool codepath_read_function(struct codepath_look *look, char *line)
{
	struct codepath_function *function;
	double hits, widened, depth;
	char *words[4 + 1]; /* one more says that there are more */

	if (quoteword_split(line, words, 4) != 4 || !quoteword_undo(words[3]) ||
		!codepath_read_number(words[0], (double)look->samples, &hits) ||
		!codepath_read_number(words[1], 1e9, &widened) ||
		!codepath_read_number(words[2], 1e15, &depth) || hits < 1 || widened < 1)
		return false;
	function = codepath_function_of(look, words[3]);
	if (!function || function->hits)
		return false;
	function->hits = (uint64_t)hits;
	function->widened = widened;
	function->depth = (uint64_t)depth;
	return true;
}

static struct codepath_look *codepath_read_head(char *line)
{
	double samples, seconds, hertz;
	struct codepath_look *look;
	char *words[4 + 1]; /* one more says that there are more */

	if (quoteword_split(line, words, 4) != 4 || strcmp(words[0], "codepath/1") != 0 ||
		!codepath_read_number(words[1], 1e15, &samples) ||
		!codepath_read_number(words[2], 1e9, &seconds) ||
		!codepath_read_number(words[3], 1e9, &hertz))
		return NULL;
	look = codepath_look_new(seconds, hertz);
	look->samples = (uint64_t)samples;
	return look;
}

struct codepath_look *codepath_look_read(const char *text, size_t len)
{
	char *copy = mem_strndup(text, len), *at = copy, *line = strsep(&at, "\n");
	struct codepath_look *look = codepath_read_head(line);

	while (look && at && *at) {
		line = strsep(&at, "\n");
		if (!codepath_read_function(look, line)) {
			codepath_look_free(look);
			look = NULL;
		}
	}
	free(copy);
	return look;
}

static const struct codepath_function *codepath_find(
	const struct codepath_look *look, const char *name, size_t len)
{
	const int64_t number =
		flame_names_find(look->names, name, len, flame_hash(look->key, name, len));

	return number < 0 ? NULL : &look->functions[number];
}

/* A function in all earlier looks together. */
struct codepath_before {
	double hits, samples, widened;
};

static struct codepath_before codepath_pool(
	struct codepath_look *const *earlier, size_t n, const char *name, size_t len)
{
	struct codepath_before before = {.widened = 1};
	double widened = 0, share, sum = 0;

	for (size_t i = 0; i < n; i++) {
		const struct codepath_function *function = codepath_find(earlier[i], name, len);

		before.samples += (double)earlier[i]->samples;
		before.hits += function ? (double)function->hits : 0;
		widened += (double)earlier[i]->samples *
			(function ? codepath_widening(earlier[i], function) : 1);
	}
	if (!(before.samples > 0))
		return before;
	before.widened = widened / before.samples;
	share = before.hits / before.samples;
	for (size_t i = 0; i < n; i++) {
		const struct codepath_function *function = codepath_find(earlier[i], name, len);
		const double excess = (function ? (double)function->hits : 0) -
			share * (double)earlier[i]->samples;

		sum += excess * excess;
	}
	/* Of one look and of two nothing is known of how looks differ. */
	if (n > 2 && share > 0 && share < 1)
		before.widened = fmax(before.widened,
			sum * (double)n / (double)(n - 1) / (before.samples * share * (1 - share)));
	return before;
}

struct codepath_comparison {
	const struct codepath_look *now;
	size_t n;
	uint32_t name[CODEPATH_FUNCTIONS];
	double growth[CODEPATH_FUNCTIONS], before[CODEPATH_FUNCTIONS], p[CODEPATH_FUNCTIONS];
	bool found[CODEPATH_FUNCTIONS];
	double known, all; /* summed shares, of functions that are compared */
	double typical;	   /* the widening of all functions of the look, by their shares */
};

static double codepath_share(const struct codepath_look *look, uint32_t name)
{
	return (double)look->functions[name].hits / (double)look->samples;
}

/* A function that was met in one or two stretches does not know how it is widened; all together do.
 */
static double codepath_typical_widening(const struct codepath_look *look)
{
	double sum = 0, weights = 0;

	for (uint32_t name = 0; name < look->n; name++) {
		const double share = codepath_share(look, name), weight = share * (1 - share);

		sum += weight * codepath_widening(look, &look->functions[name]);
		weights += weight;
	}
	return weights > 0 ? sum / weights : 1;
}

/* Of few stretches of work the normal distribution says too much: Fisher's exact test of as many
 * samples as these are worth says how much at most. */
static double codepath_p(double share, double n, double then, double n_then, double widened)
{
	const double p = stats_two_shares_p(share, n, then, n_then, widened, widened);
	const size_t worth = (size_t)(n / widened), worth_then = (size_t)(n_then / widened);
	double exact = 1;

	if (worth > EXACT_MAX || worth_then > EXACT_MAX)
		return p;
	if (stats_fisher((size_t)(share * (double)worth), worth,
		    (size_t)ceil(then * (double)worth_then), worth_then, &exact))
		return 1;
	return fmax(p, exact);
}

static void codepath_compare_all(struct codepath_comparison *comparison,
	struct codepath_look *const *earlier, size_t n, const struct codepath_limits *limits)
{
	const struct codepath_look *now = comparison->now;

	for (uint32_t name = 0; name < now->n; name++) {
		const struct codepath_before before = codepath_pool(earlier, n,
			flame_names_text(now->names, name), flame_names_len(now->names, name));
		const double share = codepath_share(now, name), then = before.hits / before.samples;
		const size_t at = comparison->n;
		double widened;

		if (share < limits->least && then < limits->least)
			continue;
		/* A change has the larger of both: a new function has no widening of before. */
		widened = fmax(codepath_widening(now, &now->functions[name]), comparison->typical);
		comparison->all += share;
		comparison->known += before.hits > 0 ? share : 0;
		comparison->name[at] = name;
		comparison->growth[at] = share - then;
		comparison->before[at] = then;
		comparison->p[at] = codepath_p(share, (double)now->samples, then, before.samples,
			fmax(widened, before.widened));
		comparison->n++;
	}
}

/* Functions that were found, grew enough, and nearly as much as the one that grew most. Of these
 * the one that is nothing but growth; of several the outermost. Returns its place, or n. */
static size_t codepath_culprit(
	const struct codepath_comparison *comparison, const struct codepath_limits *limits)
{
	const struct codepath_look *now = comparison->now;
	double most = 0, purest = 0, shallowest = INFINITY;
	size_t culprit = comparison->n;

	for (size_t i = 0; i < comparison->n; i++)
		if (comparison->found[i] && comparison->growth[i] >= limits->points)
			most = fmax(most, comparison->growth[i]);
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < comparison->n; i++) {
			const struct codepath_function *function =
				&now->functions[comparison->name[i]];
			const double pure =
				comparison->growth[i] / codepath_share(now, comparison->name[i]);
			const double depth = (double)function->depth / (double)function->hits;

			if (!comparison->found[i] || comparison->growth[i] < limits->points ||
				comparison->growth[i] < limits->nearly * most)
				continue;
			if (!pass) {
				purest = fmax(purest, pure);
			} else if (pure >= limits->nearly * purest && depth < shallowest) {
				shallowest = depth;
				culprit = i;
			}
		}
	return culprit;
}

static double codepath_samples_of(struct codepath_look *const *earlier, size_t n)
{
	double samples = 0;

	for (size_t i = 0; i < n; i++)
		samples += (double)earlier[i]->samples;
	return samples;
}

void codepath_compare(struct codepath_result *result, const struct codepath_look *now,
	struct codepath_look *const *earlier, size_t n, const struct codepath_limits *limits)
{
	struct codepath_comparison *comparison;
	size_t culprit;

	*result = (struct codepath_result){.answer = CODEPATH_TOO_FEW};
	if ((double)now->samples < limits->samples ||
		codepath_samples_of(earlier, n) < limits->samples)
		return;
	comparison = mem_zalloc(sizeof(*comparison));
	comparison->now = now;
	comparison->typical = codepath_typical_widening(now);
	codepath_compare_all(comparison, earlier, n, limits);
	stats_discoveries(comparison->p, comparison->n, limits->false_rate, comparison->found);
	result->compared = comparison->n;
	result->known = comparison->all > 0 ? comparison->known / comparison->all : 0;
	culprit = codepath_culprit(comparison, limits);
	result->answer = result->known < limits->known ? CODEPATH_RENAMED
		: culprit < comparison->n	       ? CODEPATH_MORE
						       : CODEPATH_SAME;
	if (result->answer == CODEPATH_MORE) {
		const uint32_t name = comparison->name[culprit];

		result->function = mem_strdup(flame_names_text(now->names, name));
		result->share = codepath_share(now, name);
		result->before = comparison->before[culprit];
		result->p = comparison->p[culprit];
		result->cpu_hours_per_day = now->seconds > 0 && now->hertz > 0
			? comparison->growth[culprit] * (double)now->samples / now->hertz /
				now->seconds * 24
			: 0;
	}
	free(comparison);
}

void codepath_limits_default(struct codepath_limits *limits)
{
	struct complaints none = {0};
	struct inifile *ini = inifile_parse("limits.ini", flame_limits_ini,
		(size_t)(flame_limits_ini_end - flame_limits_ini), &none);
	const struct {
		const char *key;
		double *to;
	} keys[] = {
		{"points", &limits->points},
		{"false_rate", &limits->false_rate},
		{"smallest", &limits->least},
		{"known", &limits->known},
		{"samples", &limits->samples},
		{"nearly", &limits->nearly},
	};

	*limits = (struct codepath_limits){0};
	for (size_t i = 0; ini && i < inifile_count(ini); i++)
		for (size_t k = 0; k < ARRAY_SIZE(keys); k++)
			if (!strcmp(inifile_entry(ini, i)->key, keys[k].key))
				num_with_unit(inifile_entry(ini, i)->value, keys[k].to);
	inifile_free(ini);
}
