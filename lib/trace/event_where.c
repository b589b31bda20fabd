/* SPDX-License-Identifier: GPL-2.0-only */
/* Which events of a tracepoint does a check file want? */
#include "base/banned.h"

#include <ctype.h>
#include <errno.h>

#include "base/num.h"
#include "base/str.h"
#include "base/suggest.h"
#include "trace/event_format.h"
#include "trace/event_where.h"

#define SIGN_BIT (1ull << 63)
#define SYMBOLS_MAX 256

/* How a field and a value may compare, as bits of what is accepted. */
enum where_order { WHERE_LESS = 1, WHERE_EQUAL = 2, WHERE_GREATER = 4 };

static const struct where_op {
	const char *text;
	unsigned int accept;
	bool bits;	  /* of a number: of these bits; of text: of a part */
	bool for_numbers; /* and not for text */
} where_ops[] = {
	/* The longer ones first. */
	{"==", WHERE_EQUAL, false, false},
	{"!=", WHERE_LESS | WHERE_GREATER, false, false},
	{"<=", WHERE_LESS | WHERE_EQUAL, false, true},
	{">=", WHERE_GREATER | WHERE_EQUAL, false, true},
	{"<", WHERE_LESS, false, true},
	{">", WHERE_GREATER, false, true},
	{"has", WHERE_EQUAL, true, false},
	{"lacks", WHERE_LESS | WHERE_GREATER, true, false},
};

/* One condition as it is written. */
struct where_part {
	char field[64];
	const struct where_op *op;
	char value[64];
	bool quoted;
};

static bool where_is_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static const char *where_skip_blanks(const char *at)
{
	return at + strspn(at, " \t");
}

/* The length of a word at the place, where it ends there. */
static size_t where_word(const char *at, const char *word)
{
	size_t len = strlen(word);

	return !strncmp(at, word, len) && !where_is_name(at[len]) ? len : 0;
}

static const struct where_op *where_op_at(const char **at)
{
	size_t i, len;

	for (i = 0; i < ARRAY_SIZE(where_ops); i++) {
		const char *text = where_ops[i].text;

		len = isalpha((unsigned char)*text) ? where_word(*at, text)
						    : (size_t)str_starts(*at, text) * strlen(text);
		if (!len)
			continue;
		*at += len;
		return &where_ops[i];
	}
	return NULL;
}

/* Copies n characters. Returns whether there is room for them. */
static bool where_copy(char *to, size_t size, const char *from, size_t n)
{
	if (n >= size)
		return false;
	memcpy(to, from, n);
	to[n] = 0;
	return true;
}

static bool where_take_value(const char **at, struct where_part *part)
{
	size_t len;

	part->quoted = **at == '"';
	if (part->quoted) {
		len = strcspn(*at + 1, "\"");
		if ((*at)[1 + len] != '"' ||
			!where_copy(part->value, sizeof(part->value), *at + 1, len))
			return false;
		*at += len + 2;
		return true;
	}
	len = strcspn(*at, " \t\"=<>!");
	if (!len || where_word(*at, "and") ||
		!where_copy(part->value, sizeof(part->value), *at, len))
		return false;
	*at += len;
	return true;
}

/* Reads one condition and moves behind it. Returns 0 or -EINVAL. */
static int where_take(const char **at, struct where_part *part, struct str *error)
{
	const char *start = where_skip_blanks(*at);
	size_t len = 0;

	while (where_is_name(start[len]))
		len++;
	*at = where_skip_blanks(start + len);
	part->op = NULL;
	if (len && where_copy(part->field, sizeof(part->field), start, len))
		part->op = where_op_at(at);
	if (!part->op) {
		str_addf(error,
			"'%s' does not begin with FIELD and one of == != < <= > >= has lacks",
			start);
		return -EINVAL;
	}
	*at = where_skip_blanks(*at);
	if (!where_take_value(at, part)) {
		str_addf(error,
			"behind '%s %s' there is no value of at most 63 characters: a number, a "
			"word, "
			"or text in double quotes",
			part->field, part->op->text);
		return -EINVAL;
	}
	*at = where_skip_blanks(*at);
	return 0;
}

/* Moves behind "and". Returns 1 if another condition follows, 0 at the end, or -EINVAL. */
static int where_next(const char **at, struct str *error)
{
	size_t len = where_word(*at, "and");

	if (!**at)
		return 0;
	if (len) {
		*at += len;
		return 1;
	}
	if (where_word(*at, "or"))
		str_add(error, "conditions are joined by 'and' only: write another [trace]");
	else
		str_addf(error, "'%s' is not joined to what is before it by 'and'", *at);
	return -EINVAL;
}

int where_check(const char *text, struct str *error)
{
	struct where_part part;
	unsigned int n = 0;
	int more;

	do {
		if (++n > TRACE_CONDITIONS) {
			str_addf(error, "there are more than %d conditions", TRACE_CONDITIONS);
			return -EINVAL;
		}
		if (where_take(&text, &part, error))
			return -EINVAL;
		more = where_next(&text, error);
	} while (more > 0);
	return more;
}

struct where_compiling {
	const struct where_part *part;
	const struct where_field *found;
	struct str *why;
};

static int where_wrong(const struct where_compiling *compiling, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static int where_wrong(const struct where_compiling *compiling, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	str_addf(compiling->why, "where: ");
	str_addv(compiling->why, format, args);
	va_end(args);
	return -ENOENT;
}

/* A decimal or hexadecimal number in 64 bits, and whether it is below zero. */
static bool where_number(const char *text, uint64_t *out, bool *negative)
{
	bool hex;
	const char *end;

	*negative = *text == '-';
	text += *negative;
	hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	text += hex ? 2 : 0;
	end = text + strlen(text);
	if (!(hex ? isxdigit((unsigned char)*text) : isdigit((unsigned char)*text)))
		return false;
	if (hex ? num_next_hex(&text, end, out) : num_next(&text, end, out))
		return false;
	if (text != end || (*negative && *out > SIGN_BIT))
		return false;
	*negative = *negative && *out;
	if (*negative)
		*out = -*out;
	return true;
}

struct where_symbols {
	const char *name;
	uint64_t number;
	bool found;
	const char *names[SYMBOLS_MAX];
	size_t n;
};

static bool where_symbol_is(void *arg, uint64_t number, const char *name)
{
	struct where_symbols *symbols = arg;

	if (!strcmp(name, symbols->name)) {
		symbols->number = number;
		symbols->found = true;
	} else if (symbols->n < SYMBOLS_MAX) {
		symbols->names[symbols->n++] = mem_strdup(name);
	}
	return symbols->found;
}

/* The number that the print format has for a name. */
static int where_symbol(const struct where_compiling *compiling, uint64_t *out)
{
	const struct where_part *part = compiling->part;
	struct where_symbols symbols = {.name = part->value};
	const char *near;
	int err = 0;

	event_format_each_symbol(compiling->found->format, part->field, where_symbol_is, &symbols);
	*out = symbols.number;
	if (!symbols.found) {
		near = suggest(part->value, symbols.names, symbols.n);
		err = near ? where_wrong(compiling, "field '%s' knows no '%s'; did you mean '%s'?",
				     part->field, part->value, near)
			   : where_wrong(compiling, "field '%s' is a number, and '%s' is none",
				     part->field, part->value);
	}
	while (symbols.n)
		free((char *)symbols.names[--symbols.n]);
	return err;
}

/* Whether a field can hold the number at all. */
static int where_fits(const struct where_compiling *compiling, uint64_t number, bool negative)
{
	const struct trace_field *place = &compiling->found->place;
	unsigned int bits = place->size * 8u - (place->is_signed ? 1 : 0);
	uint64_t above = negative ? ~number : number;

	if (negative && !place->is_signed)
		return where_wrong(compiling, "field '%s' has no sign: it is never %s",
			compiling->part->field, compiling->part->value);
	if (bits < 64 && above >> bits)
		return where_wrong(compiling, "field '%s' has %u bits: it is never %s",
			compiling->part->field, place->size * 8u, compiling->part->value);
	return 0;
}

static int where_compile_number(
	const struct where_compiling *compiling, struct trace_condition *out)
{
	const struct where_part *part = compiling->part;
	const struct where_op *op = part->op;
	uint64_t number = 0;
	bool negative = false;
	int err;

	if (part->quoted || !where_number(part->value, &number, &negative)) {
		err = where_symbol(compiling, &number);
		if (err)
			return err;
		negative = out->field.is_signed && (int64_t)number < 0;
	}
	err = op->bits ? 0 : where_fits(compiling, number, negative);
	if (err)
		return err;
	out->mask = op->bits ? number : UINT64_MAX;
	out->accept = op->bits ? WHERE_EQUAL : op->accept;
	/* None of the bits, or all of them. */
	out->value[0] = op->bits && op->accept != WHERE_EQUAL ? 0 : number;
	if (op->bits && !number)
		return where_wrong(compiling, "'%s 0' asks for no bit", op->text);
	/* The kernel's program compares without a sign: what is signed is moved up by half. */
	out->flip = !op->bits && out->field.is_signed ? SIGN_BIT : 0;
	out->value[0] ^= out->flip;
	return 0;
}

static int where_compile_text(const struct where_compiling *compiling, struct trace_condition *out)
{
	const struct where_part *part = compiling->part;
	size_t len = strlen(part->value), most = sizeof(out->value) - 1;

	if (part->op->for_numbers)
		return where_wrong(compiling, "field '%s' is text, and '%s' is for numbers",
			part->field, part->op->text);
	if (part->op->bits)
		most = sizeof(out->mask);
	if (len > most || (part->op->bits && !len))
		return where_wrong(compiling, "text behind '%s' has %s%zu characters",
			part->op->text, part->op->bits ? "1 to " : "at most ", most);
	out->accept = part->op->accept;
	memcpy(out->value, part->value, len);
	/* As many bytes of the field as the part has. */
	if (part->op->bits)
		memset(&out->mask, 0xff, len);
	if (out->field.kind == FIELD_CHARS && out->field.size > TRACE_TEXT)
		out->field.size = TRACE_TEXT;
	return 0;
}

static int where_compile_one(const struct where_compiling *compiling, struct trace_condition *out)
{
	if (!compiling->found->field)
		return -ENOENT;
	*out = (struct trace_condition){.field = compiling->found->place};
	switch (out->field.kind) {
	case FIELD_NUMBER:
		return where_compile_number(compiling, out);
	case FIELD_CHARS:
	case FIELD_STRING:
	case FIELD_REL_STRING:
		return where_compile_text(compiling, out);
	default:
		return where_wrong(compiling, "field '%s' is neither a number nor text",
			compiling->part->field);
	}
}

int where_compile(const char *text, struct where_field (*find)(void *arg, const char *name),
	void *arg, struct trace_condition out[TRACE_CONDITIONS], struct str *why)
{
	struct where_part part;
	unsigned int n;
	int err = 0, more = 1;

	for (n = 0; more > 0 && n < TRACE_CONDITIONS && !err; n++) {
		struct where_field found;
		struct where_compiling compiling = {&part, &found, why};

		err = where_take(&text, &part, why);
		if (err)
			return -ENOENT;
		found = find(arg, part.field);
		err = where_compile_one(&compiling, &out[n]);
		more = where_next(&text, why);
	}
	return err || more < 0 ? -ENOENT : 0;
}
