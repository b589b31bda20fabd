/* SPDX-License-Identifier: GPL-2.0-only */
/* Which trace does somebody mean, and what do its begin and its end have in common? */
#include "base/banned.h"

#include "base/escape.h"
#include "base/str.h"
#include "base/suggest.h"
#include "check/check.h"
#include "check/layer_files.h"
#include "check/layers.h"
#include "tools/trace/declare.h"
#include "tools/trace/options.h"
#include "trace/spec.h"

#define NAMES_MAX 256

static char *declare_copy(const char *text)
{
	return text ? mem_strdup(text) : NULL;
}

static struct trace_spec *declare_copy_of(const struct trace_spec *spec)
{
	struct trace_spec *copy = mem_zalloc(sizeof(*copy));

	*copy = *spec;
	copy->check = declare_copy(spec->check);
	copy->name = declare_copy(spec->name);
	copy->tracer = declare_copy(spec->tracer);
	copy->begin = declare_copy(spec->begin);
	copy->end = declare_copy(spec->end);
	copy->event = declare_copy(spec->event);
	copy->key = declare_copy(spec->key);
	copy->end_key = declare_copy(spec->end_key);
	copy->who = declare_copy(spec->who);
	copy->who_kind = declare_copy(spec->who_kind);
	copy->by = declare_copy(spec->by);
	copy->value = declare_copy(spec->value);
	copy->where = declare_copy(spec->where);
	copy->since = declare_copy(spec->since);
	copy->ignore = declare_copy(spec->ignore);
	return copy;
}

/* Replaces a text of a spec where the options have another one. */
static void declare_set(char **to, const char *text)
{
	if (!text)
		return;
	free(*to);
	*to = mem_strdup(text);
}

/* What the two tracepoints of a subsystem share, where it is not the thread. */
static const char *declare_key(const char *begin)
{
	static const struct {
		const char *prefix, *key;
	} keys[] = {
		{"block:", "dev sector"},
		{"irq:softirq", "cpu"},
		{"irq:irq_handler", "cpu irq"},
		{"workqueue:workqueue_execute", "work"},
		{"qdisc:", "skbaddr"},
		{"nvme:", "qid cid"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (str_starts(begin, keys[i].prefix))
			return keys[i].key;
	return "tid";
}

/* The option that a key of a check file is called here. */
static const char *declare_option(const char *key)
{
	static const char *const options[][2] = {{"where", "--only"}, {"key", "--key"},
		{"end_key", "--end-key"}, {"who", "--who"}, {"by", "--by"}, {"value", "--value"},
		{"begin", "--begin"}, {"end", "--end"}, {"event", "--event"}};

	for (size_t i = 0; i < ARRAY_SIZE(options); i++)
		if (!strcmp(key, options[i][0]))
			return options[i][1];
	return key;
}

static int declare_check(const struct trace_options *asked, const struct trace_spec *spec)
{
	struct str error = STR_INIT;
	const char *key = "";
	const int err = trace_spec_check(spec, &error, &key);
	char *shown = escape_path(str_text(&error));

	if (err)
		fprintf(stderr, "%s: %s%s%s\n", asked->program, declare_option(key),
			*key ? ": " : "", shown);
	free(shown);
	str_free(&error);
	return err;
}

/* What the options say beside a name, or instead of one. */
static void declare_apply(const struct trace_options *asked, struct trace_spec *spec)
{
	declare_set(&spec->where, asked->only);
	declare_set(&spec->key, asked->key);
	declare_set(&spec->end_key, asked->end_key);
	declare_set(&spec->who, asked->who);
	declare_set(&spec->by, asked->by);
	declare_set(&spec->value, asked->value);
	spec->slow_seconds = asked->slower_seconds;
	spec->run_seconds = asked->seconds;
	/* Somebody looks on, who can end it. */
	spec->always = false;
	spec->budget = 0;
	if (!spec->who && (spec->begin || spec->event))
		spec->who = mem_strdup("comm");
}

static struct trace_spec *declare_by_options(const struct trace_options *asked)
{
	struct trace_spec *spec = mem_zalloc(sizeof(*spec));

	spec->check = mem_strdup("trace");
	spec->name = mem_strdup("asked");
	spec->begin = declare_copy(asked->begin);
	spec->end = declare_copy(asked->end);
	spec->event = declare_copy(asked->event);
	if (asked->begin)
		spec->key = mem_strdup(declare_key(asked->begin));
	spec->value_unit = 1e-9;
	return spec;
}

static void declare_complain(
	const struct trace_options *asked, const struct checks *checks, const char *name)
{
	const char *names[NAMES_MAX], *near;
	char *full[NAMES_MAX], *shown = escape_word(name);
	size_t n = 0;

	for (size_t i = 0; i < checks->n; i++)
		for (size_t k = 0; k < checks->list[i]->n_traces && n < NAMES_MAX; k++) {
			full[n] = mem_printf(
				"%s/%s", checks->list[i]->name, checks->list[i]->traces[k]->name);
			names[n] = full[n];
			n++;
		}
	near = suggest(name, names, n);
	fprintf(stderr,
		near ? "%s: there is no file and no trace '%s'; did you mean '%s'?\n"
		     : "%s: there is no file and no trace '%s'; traces are named CHECK/TRACE, as "
		       "disk/block\n",
		asked->program, shown, near);
	while (n)
		free(full[--n]);
	free(shown);
}

/* "disk/block", or "irq" of a check with one trace. */
static const struct trace_spec *declare_find(
	const struct checks *checks, const char *name, const char **field)
{
	const char *slash = strchr(name, '/'), *dot = slash ? strchr(slash, '.') : NULL;
	char *trace = !slash ? NULL
		: dot	     ? mem_strndup(slash + 1, (size_t)(dot - slash - 1))
			     : mem_strdup(slash + 1);
	char *check_name = slash ? mem_strndup(name, (size_t)(slash - name)) : mem_strdup(name);
	const struct check *check = checks_find(checks, check_name);
	const struct trace_spec *found = NULL;

	free(check_name);
	for (size_t i = 0; check && i < check->n_traces; i++)
		if (trace ? !strcmp(check->traces[i]->name, trace) : check->n_traces == 1)
			found = check->traces[i];
	*field = dot ? dot + 1 : NULL;
	free(trace);
	return found;
}

static struct trace_spec *declare_by_name(
	const struct trace_options *asked, const char *name, const char **field)
{
	const struct check_layers layers = {.with_system = true};
	struct checks *checks = checks_load(&layers);
	const struct trace_spec *found = declare_find(checks, name, field);
	struct trace_spec *spec = found ? declare_copy_of(found) : NULL;

	if (!found)
		declare_complain(asked, checks, name);
	checks_free(checks);
	return spec;
}

struct trace_spec *trace_declare(const struct trace_options *asked, const char **field)
{
	struct trace_spec *spec = asked->begin || asked->event
		? declare_by_options(asked)
		: declare_by_name(asked, asked->common.names[0], field);

	if (!spec)
		return NULL;
	declare_apply(asked, spec);
	if (!declare_check(asked, spec))
		return spec;
	trace_spec_free(spec);
	return NULL;
}
