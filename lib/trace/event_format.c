/* SPDX-License-Identifier: GPL-2.0-only */
/* Where are a tracepoint's fields, and what are its numbers called? */
#include "base/banned.h"

#include <ctype.h>
#include <errno.h>

#include "trace/event_format.h"
#include "base/num.h"
#include "base/str.h"

#define RECORD_MAX 8192
#define FIELDS_MAX 256
#define SYMBOL_NAME_MAX 64

/* The number behind a label like "offset:" in a line. Returns 0 or -errno. */
static int labelled(const char *line, const char *end, const char *label, uint64_t *out)
{
	const char *at = memmem(line, (size_t)(end - line), label, strlen(label));

	if (!at)
		return -EINVAL;
	at += strlen(label);
	return num_next(&at, end, out);
}

static bool event_format_is_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Cuts a C declaration into type and name. Returns whether it has both. */
static bool split_declaration(struct event_field *field, const char *text, const char *end)
{
	const char *name_end, *name;

	while (end > text && isspace((unsigned char)end[-1]))
		end--;
	if (end > text && end[-1] == ']') {
		field->is_array = true;
		while (end > text && *--end != '[')
			;
	}
	name_end = end;
	while (end > text && event_format_is_name(end[-1]))
		end--;
	name = end;
	while (end > text && isspace((unsigned char)end[-1]))
		end--;
	if (name == name_end || end == text)
		return false;
	field->name = mem_strndup(name, (size_t)(name_end - name));
	field->type = mem_strndup(text, (size_t)(end - text));
	return true;
}

static void event_format_add_field(struct event_format *format, const char *line, const char *end)
{
	struct event_field field = {0};
	const char *stop = memchr(line, ';', (size_t)(end - line));
	uint64_t offset, size, is_signed = 0;

	if (!stop || format->n >= FIELDS_MAX)
		return;
	if (labelled(stop, end, "offset:", &offset) || labelled(stop, end, "size:", &size))
		return;
	if (offset > RECORD_MAX || size > RECORD_MAX)
		return;
	labelled(stop, end, "signed:", &is_signed);
	if (!split_declaration(&field, line, stop))
		return;
	field.offset = (unsigned int)offset;
	field.size = (unsigned int)size;
	field.is_signed = is_signed == 1;
	ARRAY_GROW(format->fields, format->n, format->room);
	format->fields[format->n++] = field;
}

/* The rest of a line behind its label, or NULL. */
static const char *behind(const char *line, const char *end, const char *label)
{
	while (line < end && isspace((unsigned char)*line))
		line++;
	if ((size_t)(end - line) < strlen(label) || memcmp(line, label, strlen(label)) != 0)
		return NULL;
	return line + strlen(label);
}

int event_format_parse(struct event_format *format, const char *text, size_t len)
{
	const char *at = text, *end = text + len, *line_end, *rest;
	bool has_id = false;

	*format = (struct event_format){0};
	for (; at < end; at = line_end + 1) {
		line_end = memchr(at, '\n', (size_t)(end - at));
		if (!line_end)
			line_end = end;
		rest = behind(at, line_end, "print fmt:");
		if (rest) {
			/* The last thing in the file, and may hold newlines. */
			format->print = mem_strndup(rest, (size_t)(end - rest));
			break;
		}
		rest = behind(at, line_end, "field:");
		if (rest)
			event_format_add_field(format, rest, line_end);
		rest = behind(at, line_end, "ID:");
		if (rest && !num_next(&rest, line_end, &format->id))
			has_id = true;
	}
	if (!format->print)
		format->print = mem_strdup("");
	return has_id ? 0 : -EINVAL;
}

void event_format_free(struct event_format *format)
{
	size_t i;

	for (i = 0; i < format->n; i++) {
		free(format->fields[i].name);
		free(format->fields[i].type);
	}
	free(format->fields);
	free(format->print);
	*format = (struct event_format){0};
}

const struct event_field *event_format_field(const struct event_format *format, const char *name)
{
	size_t i;

	for (i = 0; i < format->n; i++)
		if (!strcmp(format->fields[i].name, name))
			return &format->fields[i];
	return NULL;
}

static const char *event_format_skip_blanks(const char *at)
{
	while (isspace((unsigned char)*at))
		at++;
	return at;
}

/* Reads a decimal or hexadecimal number with an optional sign. Enumerators, which some kernels
 * leave as names, and expressions are no numbers. */
static bool event_format_read_number(const char **at, uint64_t *out)
{
	bool negative = **at == '-', hex;
	const char *start = *at + negative, *end;
	int err;

	hex = start[0] == '0' && (start[1] == 'x' || start[1] == 'X');
	start += hex ? 2 : 0;
	end = start + strlen(start);
	err = hex ? num_next_hex(&start, end, out) : num_next(&start, end, out);
	if (err)
		return false;
	while (*start == 'U' || *start == 'L')
		start++;
	start = event_format_skip_blanks(start);
	if (*start != ',')
		return false;
	if (negative)
		*out = -*out;
	*at = start + 1;
	return true;
}

/* Reads a string in quotes to name. Returns where it ends, or NULL. */
static const char *read_string(const char *at, char *name, size_t size)
{
	size_t n = 0;

	at = event_format_skip_blanks(at);
	if (*at != '"')
		return NULL;
	for (at++; *at && *at != '"'; at++) {
		if (*at == '\\' && at[1])
			at++;
		if (n + 1 < size)
			name[n++] = *at;
	}
	name[n] = 0;
	return *at ? at + 1 : NULL;
}

/* Calls each for the pairs "{ 3, "NET_RX" }, …" up to the closing parenthesis, until it is content.
 */
static bool event_format_walk_symbols(const char *at, event_symbol_each *each, void *arg)
{
	char name[SYMBOL_NAME_MAX];

	for (at = event_format_skip_blanks(at); *at == '{'; at = event_format_skip_blanks(at)) {
		uint64_t value = 0;
		const char *text;
		bool known;

		at = event_format_skip_blanks(at + 1);
		known = event_format_read_number(&at, &value);
		if (!known)
			at += strcspn(at, "\"}");
		text = read_string(at, name, sizeof(name));
		if (text && known && each(arg, value, name))
			return true;
		at = text ? text : at;
		at += strcspn(at, "}");
		if (!*at)
			return false;
		at = event_format_skip_blanks(at + 1);
		if (*at == ',')
			at = event_format_skip_blanks(at + 1);
	}
	return false;
}

bool event_format_each_symbol(
	const struct event_format *format, const char *field, event_symbol_each *each, void *arg)
{
	static const char call[] = "__print_symbolic(REC->";
	const char *at = format->print;

	while ((at = strstr(at, call))) {
		at += strlen(call);
		if (strncmp(at, field, strlen(field)) != 0)
			continue;
		at = event_format_skip_blanks(at + strlen(field));
		if (*at == ',' && event_format_walk_symbols(at + 1, each, arg))
			return true;
	}
	return false;
}

struct event_symbol_wanted {
	uint64_t number;
	char *name;
	size_t size;
};

static bool event_symbol_is(void *arg, uint64_t number, const char *name)
{
	const struct event_symbol_wanted *wanted = arg;

	if (number != wanted->number)
		return false;
	snprintf(wanted->name, wanted->size, "%s", name);
	return true;
}

bool event_format_symbol(const struct event_format *format, const char *field, uint64_t number,
	char *name, size_t size)
{
	struct event_symbol_wanted wanted = {number, name, size};

	return event_format_each_symbol(format, field, event_symbol_is, &wanted);
}
