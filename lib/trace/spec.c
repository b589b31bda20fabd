/* SPDX-License-Identifier: GPL-2.0-only */
/* Does a [trace NAME] section say something that can be traced? */
#include "base/banned.h"

#include <ctype.h>
#include <errno.h>

#include "sample/source.h"
#include "base/str.h"
#include "base/suggest.h"
#include "base/culprit.h"
#include "trace/event_where.h"
#include "trace/registry.h"
#include "trace/spec.h"

#define TRACERS_MAX 64

void trace_spec_free(struct trace_spec *spec)
{
	if (!spec)
		return;
	free(spec->check);
	free(spec->name);
	free(spec->tracer);
	free(spec->begin);
	free(spec->end);
	free(spec->event);
	free(spec->key);
	free(spec->end_key);
	free(spec->who);
	free(spec->who_kind);
	free(spec->by);
	free(spec->value);
	free(spec->where);
	free(spec->since);
	free(spec->ignore);
	free(spec);
}

struct checking {
	const struct trace_spec *spec;
	struct str *error;
	const char **key;
};

static int trace_spec_wrong(const struct checking *checking, const char *key, const char *format,
	...) __attribute__((format(printf, 3, 4)));

static int trace_spec_wrong(
	const struct checking *checking, const char *key, const char *format, ...)
{
	va_list args;

	*checking->key = key;
	va_start(args, format);
	str_addv(checking->error, format, args);
	va_end(args);
	return -EINVAL;
}

/* How many characters of a C name stand at the start of text. */
static size_t name_length(const char *text)
{
	size_t n = 0;

	while (isalnum((unsigned char)text[n]) || text[n] == '_')
		n++;
	return n;
}

static int check_tracer(const struct checking *checking)
{
	const char *names[TRACERS_MAX], *near, *tracer = checking->spec->tracer;
	size_t n;

	if (!tracer)
		return 0;
	/* The program behind declared traces is not one that a file can name. */
	if (tracer_find(tracer) && strcmp(tracer, "pair") != 0)
		return 0;
	n = tracer_names(names, TRACERS_MAX);
	near = suggest(tracer, names, n);
	if (near && strcmp(near, "pair") != 0)
		return trace_spec_wrong(checking, "tracer",
			"unknown tracer '%s'; did you mean '%s'?", tracer, near);
	return trace_spec_wrong(checking, "tracer", "unknown tracer '%s'", tracer);
}

/* What is on all the time must be able to take itself away. */
static int check_budget(const struct checking *checking)
{
	const struct trace_spec *spec = checking->spec;
	const struct tracer *tracer = spec->tracer ? tracer_find(spec->tracer) : NULL;

	if (spec->always && !(spec->budget > 0))
		return trace_spec_wrong(
			checking, "when", "a trace that is always on needs a budget, like 10000/s");
	if (spec->budget > 0 && tracer && !tracer_keeps_budget(tracer))
		return trace_spec_wrong(
			checking, "budget", "tracer '%s' keeps no budget", spec->tracer);
	return 0;
}

static int check_event(const struct checking *checking, const char *key, const char *event)
{
	size_t n;

	if (!event)
		return 0;
	n = name_length(event);
	if (n && event[n] == ':' && event[n + 1]) {
		const char *rest = event + n + 1;

		if (!rest[name_length(rest)])
			return 0;
	}
	return trace_spec_wrong(
		checking, key, "'%s' is no tracepoint, like sched:sched_switch", event);
}

/* One name, or up to most of them separated by blanks. Returns how many, or 0 with a message. */
static size_t trace_spec_check_names(
	const struct checking *checking, const char *key, const char *text, size_t most)
{
	const char *at = text;
	size_t n = 0;

	while (*at) {
		size_t len = name_length(at);

		if (!len || ++n > most)
			break;
		at += len;
		at += strspn(at, " \t");
	}
	if (n && n <= most && !*at)
		return n;
	trace_spec_wrong(checking, key, "'%s' is %s", text,
		most > 1 ? "not one or two names of fields" : "not the name of a field");
	return 0;
}

static int check_keys(const struct checking *checking)
{
	const struct trace_spec *spec = checking->spec;
	size_t n, n_end;

	if (!spec->key)
		return trace_spec_wrong(checking, "begin",
			"a pair needs a key: tid, cpu, or fields that its begin and end share");
	n = trace_spec_check_names(checking, "key", spec->key, 2);
	if (!n)
		return -EINVAL;
	if (!spec->end_key)
		return 0;
	n_end = trace_spec_check_names(checking, "end_key", spec->end_key, 2);
	if (!n_end)
		return -EINVAL;
	if (n != n_end)
		return trace_spec_wrong(
			checking, "end_key", "end_key has not as many names of fields as key has");
	return 0;
}

static int check_shape(const struct checking *checking)
{
	const struct trace_spec *spec = checking->spec;

	if (!spec->tracer && !spec->begin && !spec->end && !spec->event)
		return trace_spec_wrong(
			checking, "", "a trace needs a tracer, a begin and an end, or an event");
	if (spec->event && (spec->begin || spec->end))
		return trace_spec_wrong(
			checking, "event", "an event stands instead of begin and end");
	if (!spec->begin != !spec->end)
		return trace_spec_wrong(checking, spec->begin ? "begin" : "end",
			spec->begin ? "a begin without an end" : "an end without a begin");
	if (spec->value && !spec->event)
		return trace_spec_wrong(checking, "value", "only an event has a value");
	if ((spec->key || spec->end_key) && !spec->begin)
		return trace_spec_wrong(checking, spec->key ? "key" : "end_key",
			"only a begin and an end have a key");
	/* Only who was charged can be taken away again. */
	if (spec->ignore && spec->slow_seconds > 0)
		return trace_spec_wrong(checking, "ignore",
			"ignore would leave what is below slow in the count: choose one");
	if (spec->ignore && !spec->who && !spec->tracer)
		return trace_spec_wrong(checking, "ignore", "ignore needs a who");
	return 0;
}

static int check_where(const struct checking *checking)
{
	const struct trace_spec *spec = checking->spec;

	if (!spec->where)
		return 0;
	*checking->key = "where";
	if (!spec->begin && !spec->event)
		return trace_spec_wrong(checking, "where",
			"'where' is about fields of tracepoints: a begin and an end, or an event");
	return where_check(spec->where, checking->error);
}

/* "5.19", and nothing behind it. */
static int check_since(const struct checking *checking)
{
	const char *since = checking->spec->since;
	size_t major = since ? strspn(since, "0123456789") : 0, minor;

	if (!since)
		return 0;
	minor = since[major] == '.' ? strspn(since + major + 1, "0123456789") : 0;
	if (major && major < 4 && minor && minor < 4 && !since[major + 1 + minor])
		return 0;
	return trace_spec_wrong(checking, "since", "'%s' is no release of Linux, like 5.19", since);
}

int trace_spec_check(const struct trace_spec *spec, struct str *error, const char **key)
{
	const struct checking checking = {.spec = spec, .error = error, .key = key};

	if (check_shape(&checking) || check_tracer(&checking) || check_budget(&checking) ||
		check_event(&checking, "begin", spec->begin) ||
		check_event(&checking, "end", spec->end) ||
		check_event(&checking, "event", spec->event))
		return -EINVAL;
	if (spec->begin && check_keys(&checking))
		return -EINVAL;
	if (check_where(&checking) || check_since(&checking))
		return -EINVAL;
	if (spec->who && !trace_spec_check_names(&checking, "who", spec->who, 1))
		return -EINVAL;
	if (spec->by && !trace_spec_check_names(&checking, "by", spec->by, 1))
		return -EINVAL;
	if (spec->value && !trace_spec_check_names(&checking, "value", spec->value, 1))
		return -EINVAL;
	if (spec->who_kind && strlen(spec->who_kind) >= sizeof(((struct culprit *)0)->kind))
		return trace_spec_wrong(&checking, "who_kind", "'%s' is too long", spec->who_kind);
	return 0;
}
