/* SPDX-License-Identifier: GPL-2.0-only */
/* How is a value of a check file read, and what is said of one that is wrong? */
#include "base/banned.h"

#include <stdarg.h>
#include <string.h>

#include "base/num.h"
#include "base/str.h"
#include "base/suggest.h"
#include "check/compile_util.h"
#include "sample/source.h"
#include "check/settings.h"
#include "trace/registry.h"

bool compile_trusts(const struct compile *compile)
{
	return compile->settings->shipped;
}

void complain_at(struct compile *compile, const struct setting *place, const char *format, ...)
{
	struct str text = STR_INIT;
	va_list args;

	va_start(args, format);
	str_addv(&text, format, args);
	va_end(args);
	complain(compile->complaints, place->file, place->line, "%s", text.text);
	str_free(&text);
}

void add_suggestion(struct str *out, const char *text, const char *const *words, size_t n)
{
	const char *near = suggest(text, words, n);

	if (near)
		str_addf(out, "; did you mean '%s'?", near);
}

bool is_name(const char *text, const char *also)
{
	if (*text < 'a' || *text > 'z')
		return false;
	for (; *text; text++)
		if (!(*text >= 'a' && *text <= 'z') && !(*text >= '0' && *text <= '9') &&
			!strchr(also, *text))
			return false;
	return true;
}

void complain_unknown(struct compile *compile, const struct setting *setting, const char *what,
	const char *text, const char *const *words, size_t n)
{
	struct str message = STR_INIT;

	str_addf(&message, "unknown %s '%s'", what, text);
	add_suggestion(&message, text, words, n);
	complain_at(compile, setting, "%s", message.text);
	str_free(&message);
}

bool is_empty(struct compile *compile, const struct setting *setting)
{
	if (*setting->value)
		return false;
	complain_at(compile, setting, "'%s' is empty", setting->key);
	return true;
}

bool compile_yes(struct compile *compile, const struct setting *setting)
{
	if (!strcmp(setting->value, "yes"))
		return true;
	if (strcmp(setting->value, "no") != 0)
		complain_at(compile, setting, "'%s' is yes or no, not '%s'", setting->key,
			setting->value);
	return false;
}

double compile_number(
	struct compile *compile, const struct setting *setting, double above, double most)
{
	double number;
	int n = num_with_unit(setting->value, &number);

	if (n < 0 || setting->value[n])
		complain_at(compile, setting, "'%s' is not a number with a unit, like 5s or 10ms",
			setting->value);
	else if (number <= above || number > most)
		complain_at(compile, setting, "'%s' is out of range for '%s'", setting->value,
			setting->key);
	return n < 0 ? 0 : number;
}

/* The tracer that a section of a check names; "" for none, NULL where there is no such section. */
static const char *tracer_of(const struct settings *settings, const char *trace, size_t len)
{
	const char *tracer = NULL;
	size_t i;

	for (i = 0; i < settings->n; i++) {
		const struct setting *setting = &settings->list[i];

		if (!str_starts(setting->section, "trace ") ||
			strncmp(setting->section + strlen("trace "), trace, len) ||
			setting->section[strlen("trace ") + len])
			continue;
		if (!strcmp(setting->key, "tracer"))
			tracer = setting->value;
		else if (!tracer && !*setting->key)
			tracer = "";
	}
	return tracer;
}

/* field: what stands behind the dot, or NULL. */
static bool has_field(const char *tracer, const char *trace, const char *field, struct str *error)
{
	const struct tracer *found = tracer_find(tracer);
	const char *names[TRACE_FIELDS];
	struct tracer_info info = {0};
	size_t n, i;

	/* That a tracer is not known is said of its own section. */
	n = found ? tracer_fields(found, &info, names, TRACE_FIELDS) : 0;
	if (*tracer && !found)
		return true;
	if (field && info.cpus_apart && !strcmp(field, "cpu"))
		return true;
	for (i = 0; field && i < n; i++)
		if (!strcmp(field, names[i]))
			return true;
	if (!field && !n)
		return true;
	if (field && n) {
		str_addf(error, "[trace %s] measures no '%s'", trace, field);
		add_suggestion(error, field, names, n);
	} else if (field) {
		str_addf(error, "[trace %s] measures one thing: leave out .%s", trace, field);
	} else {
		str_addf(error, "[trace %s] measures several things, so name one: %s.%s", trace,
			trace, names[0]);
	}
	return false;
}

/* NAME, or NAME.FIELD of a tracer that measures several things. */
static bool has_trace(void *arg, const char *name, struct str *error)
{
	const struct compile *compile = arg;
	size_t len = strcspn(name, ".");
	const char *field = name[len] ? name + len + 1 : NULL;
	const char *tracer = tracer_of(compile->settings, name, len);
	char *trace = mem_strndup(name, len);
	bool has = tracer && has_field(tracer, trace, field, error);

	if (!tracer)
		str_addf(error, "there is no [trace %s] in this check", trace);
	free(trace);
	return has;
}

static bool trust_trace(void *arg, const char *name, struct str *error)
{
	(void)arg;
	(void)name;
	(void)error;
	return true;
}

static struct expr_scope scope_of(struct compile *compile)
{
	if (compile_trusts(compile))
		return (struct expr_scope){
			.arena = &compile->check->arena, .has_trace = trust_trace};
	return (struct expr_scope){.arena = &compile->check->arena,
		.has_source = source_is_known,
		.has_trace = has_trace,
		.arg = compile,
		.has_group = source_has_group};
}

struct expr *compile_expr(struct compile *compile, const struct setting *setting, const char *text)
{
	struct expr_scope scope = scope_of(compile);
	struct str error = STR_INIT;
	size_t column;
	struct expr *expr = expr_parse(text, &scope, &error, &column);

	if (!expr)
		complain_at(compile, setting, "%s", str_text(&error));
	str_free(&error);
	return expr;
}

struct condition *compile_condition(struct compile *compile, const struct setting *setting)
{
	struct expr_scope scope = scope_of(compile);
	struct str error = STR_INIT;
	size_t column;
	struct condition *condition = condition_parse(setting->value, &scope, &error, &column);

	if (!condition)
		complain_at(compile, setting, "%s", str_text(&error));
	str_free(&error);
	return condition;
}

void compile_placeholders(
	struct compile *compile, const struct setting *setting, const char *const *words, size_t n)
{
	const char *at = compile_trusts(compile) ? NULL : strchr(setting->value, '{');
	size_t i;

	for (; at; at = strchr(at + 1, '{')) {
		char *word = mem_strndup(at, strcspn(at, "} ") + (at[strcspn(at, "} ")] == '}'));

		for (i = 0; i < n; i++)
			if (!strcmp(words[i], word))
				break;
		if (i == n)
			complain_unknown(compile, setting, "placeholder", word, words, n);
		free(word);
	}
}
