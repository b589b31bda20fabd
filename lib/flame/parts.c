/* SPDX-License-Identifier: GPL-2.0-only */
/* Where does a package end in a frame's name? */
#include "base/banned.h"

#include "base/str.h"
#include "flame/parts.h"

#define MARKS "/.:`#"

struct parts {
	const char *name;
	size_t len; /* of the name that is left to look at */
	struct flame_part *list;
	size_t n;
};

static bool parts_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool parts_is_letter(char c)
{
	return (c | 32) >= 'a' ? (c | 32) <= 'z' : c == '_' || parts_is_digit(c);
}

static bool parts_is_mark(char c)
{
	return c && strchr(MARKS, c);
}

/* Whether the name has this text at a place. */
static bool parts_has(const struct parts *parts, size_t at, const char *text)
{
	const size_t len = strlen(text);

	return at <= parts->len && parts->len - at >= len && !memcmp(parts->name + at, text, len);
}

/* A number or a single letter is no package, and that of all nameless namespaces is none either.
 * The last place is the whole name's. */
static void parts_add(struct parts *parts, size_t begin, size_t end)
{
	static const char nameless[] = "(anonymous namespace)";
	size_t digits = begin;

	while (digits < end && parts_is_digit(parts->name[digits]))
		digits++;
	if (end < begin + 2 || digits == end || parts->n >= FLAME_PARTS_MAX - 1)
		return;
	if (end - begin == sizeof(nameless) - 1 && parts_has(parts, begin, nameless))
		return;
	parts->list[parts->n++] = (struct flame_part){begin, end, false};
}

/* Behind the bracket that closes the one at; at where there is none. */
static size_t parts_close(const char *name, size_t len, size_t at)
{
	size_t depth = 0;

	for (size_t i = at; i < len; i++) {
		if (strchr("(<{[", name[i]))
			depth++;
		else if (strchr(")>}]", name[i]) && !(name[i] == '>' && name[i - 1] == '-') &&
			!--depth)
			return i + 1;
	}
	return at;
}

/* "operator()", "operator bool": its own bracket is no list of arguments. */
static size_t parts_operator(const char *name, size_t len, size_t at)
{
	at += strlen("operator");
	if (len - at >= 2 && name[at] == '(' && name[at + 1] == ')')
		at += 2;
	while (at < len && name[at] != '(')
		at++;
	return at;
}

/* Whether the name goes on behind a list of arguments: "f(int) const::{lambda()#1}", "(*T).f". */
static bool parts_go_on(const struct parts *parts, size_t at)
{
	return parts_has(parts, at, "::") || parts_has(parts, at, ".") ||
		parts_has(parts, at, " const::");
}

/* Whether a blank stands behind a type that is returned: arguments follow, and a name before them.
 */
static bool parts_is_returned(const struct parts *parts, size_t at)
{
	const size_t last = parts->len - 1;
	const bool has_arguments = parts->name[last] == ')' ||
		(parts->len > 6 && parts_has(parts, parts->len - 6, " const"));

	if (!has_arguments || at + 1 >= parts->len)
		return false;
	if (parts_has(parts, at, " (anonymous namespace)"))
		return true;
	return !strchr("([", parts->name[at + 1]);
}

/* Behind a bracket that the name goes on after; at where it ends there. */
static size_t parts_skip(const struct parts *parts, size_t at)
{
	const size_t close = parts_close(parts->name, parts->len, at);

	if (close == at || (parts->name[at] == '(' && !parts_go_on(parts, close)))
		return at;
	return close + (parts_has(parts, close, " const::") ? strlen(" const") : 0);
}

static bool parts_is_operator(const struct parts *parts, size_t at)
{
	const size_t behind = at + strlen("operator");

	return parts_has(parts, at, "operator") && behind < parts->len &&
		!parts_is_letter(parts->name[behind]);
}

/* An inner class of Java: what has a package before it. */
static bool parts_is_inner(const struct parts *parts, size_t at)
{
	return parts->name[at] == '$' && at + 1 < parts->len &&
		parts_is_letter(parts->name[at + 1]);
}

/* Names and what is between them, from begin on, to before the arguments. */
static void parts_scan(struct parts *parts, size_t begin)
{
	const char *name = parts->name;
	const size_t before = parts->n;
	size_t start = begin, at = begin; /* start: of the innermost name */
	size_t told = begin; /* up to here a part is told already, without its template */

	while (at < parts->len) {
		if (at == start && parts_is_operator(parts, at)) {
			at = parts_operator(name, parts->len, at);
		} else if (parts_is_mark(name[at])) {
			if (at > told && !parts_is_mark(name[at - 1]))
				parts_add(parts, begin, at);
			start = ++at;
		} else if (name[at] == ' ' && parts_is_returned(parts, at)) {
			parts->n = before;
			begin = start = told = ++at;
		} else if (strchr("(<{", name[at])) {
			const size_t behind = parts_skip(parts, at);

			if (name[at] == '<' && at > start) {
				parts_add(parts, begin, at);
				told = behind;
			}
			if (behind == at)
				break;
			at = behind;
		} else {
			if (at > start && parts->n > before && parts_is_inner(parts, at))
				parts_add(parts, begin, at);
			at++;
		}
	}
	if (at > told)
		parts_add(parts, begin, at);
}

/* "/app/src/x.js:12:3", "node:events:12": its folders, and it without a line. */
static void parts_scan_file(struct parts *parts, size_t begin, size_t end)
{
	size_t at = end;

	for (int numbers = 0; numbers < 2; numbers++) {
		while (at > begin && parts_is_digit(parts->name[at - 1]))
			at--;
		if (at == end || at <= begin + 1 || parts->name[at - 1] != ':')
			break;
		end = --at;
	}
	if (end - begin > 7 && !memcmp(parts->name + begin, "file://", 7))
		begin += 7;
	for (at = begin + 1; at < end; at++)
		if (parts->name[at] == '/' && parts->name[at - 1] != '/')
			parts_add(parts, begin, at);
	parts_add(parts, begin, end);
}

/* Whether the last word is a file with a line, or an absolute path: where it begins, else len. */
static size_t parts_file_word(const struct parts *parts, size_t begin)
{
	size_t at = parts->len, end = parts->len;

	while (at > begin && parts->name[at - 1] != ' ')
		at--;
	if (at == begin && parts->name[at] != '/' && !parts_has(parts, at, "file://"))
		return parts->len;
	while (end > at && (parts_is_digit(parts->name[end - 1]) || parts->name[end - 1] == ':'))
		end--;
	if (parts->name[at] == '/' || parts_has(parts, at, "file://") ||
		(end < parts->len && end > at && memchr(parts->name + at, '.', end - at)) ||
		(end < parts->len && parts_has(parts, at, "node:")))
		return at;
	return parts->len;
}

/* Behind "LazyCompile:~" and the like, which say what compiled it; 0 for none. */
static size_t parts_node(const struct parts *parts)
{
	static const char *const tags[] = {"LazyCompile:", "Function:", "JS:", "Script:", "Eval:",
		"Callback:", "Builtin:", "BytecodeHandler:", "Handler:", "RegExp:", "Stub:"};

	for (size_t i = 0; i < ARRAY_SIZE(tags); i++) {
		size_t at = strlen(tags[i]);

		if (!parts_has(parts, 0, tags[i]))
			continue;
		while (at < parts->len && strchr("~*^+'- ", parts->name[at]))
			at++;
		return at;
	}
	return 0;
}

/* "f (libx.so)", "f (pkg/m.py:3)", "f [module]": a library or file; it is taken off. */
static void parts_take_last(struct parts *parts)
{
	const char close = parts->len ? parts->name[parts->len - 1] : 0;
	size_t open = parts->len;

	if (close != ')' && close != ']')
		return;
	while (open && parts->name[open] != (close == ')' ? '(' : '['))
		open--;
	if (open < 2 || parts->name[open - 1] != ' ' || parts->name[open + 1] == '.' ||
		parts_has(parts, open, "[clone") ||
		memchr(parts->name + open, ' ', parts->len - open))
		return;
	parts_scan_file(parts, open + 1, parts->len - 1);
	parts->len = open - 1;
}

/* "<A as B>::f", "<impl B for A>::f": what is done is A's. */
static void parts_scan_self(struct parts *parts)
{
	const size_t end = parts_close(parts->name, parts->len, 0), len = parts->len;
	size_t begin = 1, depth = 0;

	if (!end)
		return;
	parts->len = end - 1;
	for (size_t at = 1; at < end - 1; at++) {
		if (strchr("(<[", parts->name[at]))
			depth++;
		else if (strchr(")>]", parts->name[at]))
			depth -= depth > 0;
		else if (!depth && parts_has(parts, at, " as "))
			parts->len = at;
		else if (!depth && parts_has(parts, at, " for "))
			begin = at + 5;
	}
	while (begin < parts->len && strchr("&*", parts->name[begin]))
		begin++;
	for (int i = 0; i < 2; i++)
		if (parts_has(parts, begin, "mut ") || parts_has(parts, begin, "dyn "))
			begin += 4;
	parts_scan(parts, begin);
	parts->len = len;
}

/* "_ZN2ns5Class1fEv": the names that it begins with, each behind its length. */
static void parts_scan_mangled(struct parts *parts)
{
	size_t at = 3;

	while (at < parts->len && strchr("rVKRO", parts->name[at]))
		at++;
	if (parts_has(parts, at, "St"))
		at += 2;
	while (at < parts->len && parts_is_digit(parts->name[at])) {
		size_t size = 0;
		bool is_hash, is_nameless;

		for (; at < parts->len && parts_is_digit(parts->name[at]) && size < parts->len;
			at++)
			size = size * 10 + (size_t)(parts->name[at] - '0');
		if (size > parts->len - at)
			return;
		is_hash = size == 17 && parts->name[at] == 'h';
		is_nameless = at <= 5 && parts_has(parts, at, "_GLOBAL__N_1");
		at += size;
		if (!is_hash && !is_nameless)
			parts_add(parts, 0, at);
	}
}

static void parts_scan_python(struct parts *parts)
{
	const size_t len = parts->len, begin = strlen("py::");
	const char *colon = memchr(parts->name + begin, ':', len - begin);

	if (colon)
		parts->len = (size_t)(colon - parts->name);
	parts_scan(parts, begin);
	parts->len = len;
	if (colon)
		parts_scan_file(parts, (size_t)(colon + 1 - parts->name), len);
}

/* "Lcom/x/Legacy;::get", with ':' for the ';', is what an agent of the JVM writes. */
static size_t parts_java_sign(const struct parts *parts)
{
	const char *sign = parts->name[0] == 'L' ? strstr(parts->name, "::") : NULL;

	return sign && sign > parts->name && (sign[-1] == ';' || sign[2] == ':') ? 1 : 0;
}

static void parts_scan_word(struct parts *parts)
{
	const size_t node = parts_node(parts), len = parts->len;
	const size_t file = parts_file_word(parts, node);
	const size_t begin = node ? node : parts_java_sign(parts);

	if (file < len) {
		if (file > begin)
			parts_add(parts, begin, len);
		parts_scan_file(parts, file, len);
		if (node || file <= begin + 1)
			return;
		parts->len = file - 1;
	}
	if (parts->len > begin)
		parts_scan(parts, begin);
	parts->len = len;
}

size_t flame_parts_find(const char *name, size_t len, struct flame_part list[FLAME_PARTS_MAX])
{
	struct parts parts = {.name = name, .len = len, .list = list};

	if (len < 2)
		return 0;
	if (parts_has(&parts, 0, "[unknown] ")) {
		parts_scan_file(&parts, strlen("[unknown] "), len);
	} else if (parts_has(&parts, 0, "_ZN")) {
		parts_scan_mangled(&parts);
	} else {
		parts_take_last(&parts);
		if (parts_has(&parts, 0, "py::"))
			parts_scan_python(&parts);
		else if (name[0] == '<')
			parts_scan_self(&parts);
		else
			parts_scan_word(&parts);
	}
	list[parts.n++] = (struct flame_part){0, len, true};
	return parts.n;
}

void flame_part_add_text(struct str *out, const char *name, const struct flame_part *part)
{
	size_t at = part->begin;
	bool is_start = true;

	if (part->is_whole || str_starts(name, "_ZN")) {
		str_addn(out, name + at, part->end - at);
		return;
	}
	while (at < part->end) {
		const char c = name[at];
		const size_t close = c == '<' || c == '(' ? parts_close(name, part->end, at) : at;

		if (is_start || close == at || (close == at + 2 && c == '(')) {
			str_addc(out, c);
			is_start = parts_is_mark(c);
			at++;
			continue;
		}
		str_add(out, c == '<' ? "<>" : "()");
		at = close;
	}
}

void flame_part_add_readable(struct str *out, const char *text)
{
	const char *at = text + 3;
	bool first = true;

	if (!str_starts(text, "_ZN")) {
		str_add(out, text);
		return;
	}
	at += strspn(at, "rVKRO");
	if (str_starts(at, "St")) {
		str_add(out, "std");
		first = false;
		at += 2;
	}
	while (parts_is_digit(*at)) {
		size_t size = 0;

		for (; parts_is_digit(*at) && size < 4096; at++)
			size = size * 10 + (size_t)(*at - '0');
		if (!first)
			str_add(out, "::");
		first = false;
		size = strnlen(at, size);
		str_addn(out, at, size);
		at += size;
	}
}
