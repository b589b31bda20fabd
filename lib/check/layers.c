/* SPDX-License-Identifier: GPL-2.0-only */
/* Which check do the files of all layers make together? */
#include "base/banned.h"

#include "check/compile.h"
#include "check/defaults.h"
#include "check/layer_files.h"
#include "base/str.h"
#include "check/layers.h"
#include "check/packed.h"
#include "check/settings.h"
#include "check/read_file.h"
#include "check/trend_rule.h"

/* One file of one layer. */
struct layer {
	char *name;			       /* of the check */
	char *file;			       /* for messages */
	struct settings settings;	       /* of one that is linked in only once wanted */
	const struct embedded_check *embedded; /* or NULL */
};

/* Files in the order of their layers, the lowest first. */
struct stack {
	struct layer *list;
	size_t n, room;
};

static struct layer *add_layer(struct stack *stack, const char *name, const char *file)
{
	struct layer *layer;

	ARRAY_GROW(stack->list, stack->n, stack->room);
	layer = &stack->list[stack->n++];
	*layer = (struct layer){.name = mem_strdup(name), .file = mem_strdup(file)};
	return layer;
}

static void free_stack(struct stack *stack)
{
	size_t i;

	for (i = 0; i < stack->n; i++) {
		free(stack->list[i].name);
		free(stack->list[i].file);
		settings_free(&stack->list[i].settings);
	}
	free(stack->list);
}

/* The last file below that speaks about the check, or NULL. */
static const struct layer *layer_below(const struct stack *stack, size_t n, const char *name)
{
	while (n-- > 0)
		if (!strcmp(stack->list[n].name, name))
			return &stack->list[n];
	return NULL;
}

/* The last word on a refused file: what is in force instead. It is shown however many were made. */
static void say_refused(
	struct checks *checks, const char *file, const struct layer *below, size_t at)
{
	struct complaints complaints = {.out = checks->errors};

	if (below)
		complain(&complaints, file, 0, "refused; %s stays in force", below->file);
	else
		complain(&complaints, file, 0, "refused; this check does not run");
	checks_note_refused(checks, file, at);
}

/* What is being loaded. */
struct load {
	struct checks *checks;
	struct stack stack;
	struct check_defaults *defaults;
	const struct trend_rule *trend; /* what these say, once all layers are known */
	bool parts_later;
};

static void add_embedded(void *arg, const struct embedded_check *check)
{
	struct load *load = arg;

	add_layer(&load->stack, check->name, check->file)->embedded = check;
}

/* They are in force for all checks, whichever layer these are of. */
static void layers_add_defaults(struct load *load, const char *path, struct complaints *complaints)
{
	struct settings settings = {0};
	size_t at = load->checks->errors->len;

	if (!settings_obey(&settings, path, complaints) ||
		!check_defaults_lay(load->defaults, &settings, complaints)) {
		complain(complaints, path, 0, "refused; the defaults below it stay in force");
		checks_note_refused(load->checks, path, at);
	}
	settings_free(&settings);
}

static void layers_add_file(void *arg, const char *path, const char *name)
{
	struct load *load = arg;
	struct complaints complaints = {.out = load->checks->errors};
	struct settings settings = {0};
	size_t at = load->checks->errors->len;

	if (!strcmp(name, DEFAULTS_NAME)) {
		layers_add_defaults(load, path, &complaints);
		return;
	}
	if (settings_obey(&settings, path, &complaints))
		add_layer(&load->stack, name, path)->settings = settings;
	else
		say_refused(load->checks, path, layer_below(&load->stack, load->stack.n, name), at);
}

static bool layers_is_asked(const struct check_layers *layers, const char *name)
{
	size_t i;

	for (i = 0; i < layers->n_asked; i++)
		if (!strcmp(layers->asked[i], name))
			return true;
	return layers->n_only;
}

/*
 * The check that the layers make together, NULL where none is right. A layer with which the check
 * would be wrong is left out and said so: so each is compiled with those below, and the last one
 * that is right is in force.
 */
static struct check *build_layered(struct load *load, const char *name, bool asked)
{
	const struct stack *stack = &load->stack;
	struct checks *checks = load->checks;
	const struct layer *below = NULL;
	struct settings merged = {0};
	struct check *in_force = NULL;
	size_t i;

	for (i = 0; i < stack->n; i++) {
		struct layer *layer = &stack->list[i];
		struct complaints complaints = {.out = checks->errors};
		size_t at = checks->errors->len;
		struct settings next = {0}, compiled = {0};
		struct check *check;

		if (strcmp(layer->name, name) != 0)
			continue;
		if (layer->embedded)
			settings_from_packed(&layer->settings, layer->embedded->packed,
				layer->embedded->file, true);
		settings_merge(&next, &merged);
		settings_merge(&next, &layer->settings);
		settings_merge(&compiled, &next);
		check = check_compile(name, asked, &compiled, load->trend, &complaints);
		if (!check) {
			settings_free(&next);
			say_refused(checks, layer->file, below, at);
			continue;
		}
		settings_free(&merged);
		check_free(in_force);
		merged = next;
		below = layer;
		in_force = check;
	}
	settings_free(&merged);
	return in_force;
}

static struct check *build_shipped(const struct load *load, const struct embedded_check *shipped,
	bool asked, struct complaints *complaints)
{
	struct check *check = check_compile_shipped(shipped, asked, load->trend, complaints);

	if (!check || load->parts_later || check_complete(check, true, complaints))
		return check;
	check_free(check);
	return NULL;
}

/* The only file of a check is not copied: that is the usual case. */
static struct check *build_alone(const struct load *load, struct layer *layer, bool asked)
{
	struct complaints complaints = {.out = load->checks->errors};
	size_t at = load->checks->errors->len;
	struct check *check = layer->embedded
		? build_shipped(load, layer->embedded, asked, &complaints)
		: check_compile(layer->name, asked, &layer->settings, load->trend, &complaints);

	if (!check)
		say_refused(load->checks, layer->file, NULL, at);
	return check;
}

/* The check of that name, or NULL where its files are wrong or only say that it is off. */
static struct check *build(struct load *load, const char *name, bool asked)
{
	struct stack *stack = &load->stack;
	struct check *check;
	size_t i, n = 0, last = 0;

	for (i = 0; i < stack->n; i++) {
		if (str_same(stack->list[i].name, name)) {
			last = i;
			n++;
		}
	}
	check = n == 1 ? build_alone(load, &stack->list[last], asked)
		       : build_layered(load, name, asked);
	if (check && !check->question) {
		check_free(check);
		return NULL;
	}
	return check;
}

static void layers_add_check(struct checks *checks, struct check *check)
{
	if (!check)
		return;
	ARRAY_GROW(checks->list, checks->n, checks->room);
	checks->list[checks->n++] = check;
}

static int layers_compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void build_all(struct load *load, const struct check_layers *layers)
{
	struct stack *stack = &load->stack;
	const char **names = mem_realloc_array(NULL, stack->n, sizeof(*names));
	size_t i;

	for (i = 0; i < stack->n; i++)
		names[i] = stack->list[i].name;
	qsort(names, stack->n, sizeof(*names), layers_compare_names);
	for (i = 0; i < stack->n; i++)
		if (!i || strcmp(names[i], names[i - 1]) != 0)
			layers_add_check(load->checks,
				build(load, names[i], layers_is_asked(layers, names[i])));
	free(names);
}

static size_t count_lines(const struct str *text)
{
	const char *at = str_text(text);
	size_t n = 0;

	for (; *at; at++)
		n += *at == '\n';
	return n;
}

struct checks *checks_load(const struct check_layers *layers)
{
	struct checks *checks = mem_zalloc(sizeof(*checks));
	struct load load = {.checks = checks, .parts_later = layers->parts_later};
	const struct layer_walk walk = {
		.checks = checks, .embedded = add_embedded, .file = layers_add_file, .arg = &load};

	checks->errors = mem_zalloc(sizeof(*checks->errors));
	load.defaults = check_defaults_new();
	layer_files_each(layers, &walk);
	load.trend = trend_rule_copy(&checks->arena, check_defaults_trend(load.defaults));
	check_defaults_free(load.defaults);
	build_all(&load, layers);
	checks->n_errors = count_lines(checks->errors);
	free_stack(&load.stack);
	return checks;
}

/* A whole check of its own, with the defaults that are linked in. */
static struct check *compile_by_itself(
	const char *name, struct settings *settings, struct complaints *complaints)
{
	struct check_defaults *defaults = check_defaults_new();
	struct check *check =
		check_compile(name, true, settings, check_defaults_trend(defaults), complaints);

	check_defaults_free(defaults);
	return check;
}

static struct check *layers_read_alone(const char *path, struct str *errors,
	bool (*read)(struct settings *settings, const char *path, struct complaints *complaints))
{
	struct complaints complaints = {.out = errors};
	const struct embedded_check *embedded;
	char *name = check_name_from(path, &complaints);
	struct settings merged = {0}, own = {0};
	struct check *check = NULL;

	if (!name)
		return NULL;
	embedded = embedded_check_find(name);
	if (embedded)
		settings_from_packed(&merged, embedded->packed, embedded->file, true);
	if (read(&own, path, &complaints)) {
		settings_merge(&merged, &own);
		check = compile_by_itself(name, &merged, &complaints);
	}
	if (check && !check->question) {
		complain(&complaints, path, 0, "switches the check off and says nothing else");
		check_free(check);
		check = NULL;
	}
	settings_free(&own);
	settings_free(&merged);
	free(name);
	return check;
}

struct check *check_read_file(const char *path, struct str *errors)
{
	return layers_read_alone(path, errors, settings_read);
}

struct check *check_obey_file(const char *path, struct str *errors)
{
	return layers_read_alone(path, errors, settings_obey);
}

struct check *check_parse(const char *name, const char *text, size_t len, struct str *errors)
{
	struct complaints complaints = {.out = errors};
	char *file = mem_printf("%s.ini", name);
	struct settings settings = {0};
	struct check *check = NULL;

	if (settings_parse(&settings, file, text, len, &complaints))
		check = compile_by_itself(name, &settings, &complaints);
	settings_free(&settings);
	free(file);
	return check;
}
