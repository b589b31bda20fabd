/* SPDX-License-Identifier: GPL-2.0-only */
/* What does the text of an expression say? The tree that it becomes is evaluated in eval.c. */
#include "base/banned.h"

#include <math.h>

#include "expr/parse.h"
#include "expr/ast.h"
#include "base/arena.h"
#include "base/num.h"
#include "base/str.h"
#include "base/suggest.h"

#define DEPTH_MAX 64

struct parser {
	const char *text;
	const char *at;
	const struct expr_scope *scope;
	struct str *error; /* the first error wins */
	bool failed;
	int depth;
};

static struct expr *parse_truth(struct parser *p);

__attribute__((format(printf, 2, 3))) static void expr_fail(
	struct parser *p, const char *format, ...)
{
	va_list args;

	if (p->failed)
		return;
	p->failed = true;
	va_start(args, format);
	str_addv(p->error, format, args);
	va_end(args);
}

static void expr_skip_blanks(struct parser *p)
{
	while (*p->at == ' ' || (*p->at >= '\t' && *p->at <= '\r'))
		p->at++;
}

static bool expr_take_char(struct parser *p, char c)
{
	expr_skip_blanks(p);
	if (*p->at != c)
		return false;
	p->at++;
	return true;
}

/* The tests of ctype.h, without a call and for every locale. */
static bool expr_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool expr_is_small_letter(char c)
{
	return c >= 'a' && c <= 'z';
}

static bool expr_is_letter(char c)
{
	return expr_is_small_letter(c) || (c >= 'A' && c <= 'Z');
}

static bool expr_is_word_char(char c)
{
	return expr_is_letter(c) || expr_is_digit(c) || c == '_';
}

static size_t expr_word_length(const char *at)
{
	size_t len = 0;

	while (expr_is_word_char(at[len]))
		len++;
	return len;
}

static struct expr *node(const struct parser *p, enum expr_kind kind)
{
	struct expr *expr = arena_alloc(p->scope->arena, sizeof(*expr));

	expr->kind = kind;
	return expr;
}

static struct expr *parse_number_literal(struct parser *p)
{
	struct expr *expr;
	double number;
	int n = num_with_unit(p->at, &number);

	if (n < 0) {
		size_t len = strspn(p->at, "0123456789.eE+-");

		len += strcspn(p->at + len, " \t)*/+-<>=!");
		expr_fail(p,
			"'%.*s' is not a number with a valid unit; units: ns us ms s min h d %% k "
			"M G T",
			(int)(len < 32 ? len : 32), p->at);
		return NULL;
	}
	p->at += n;
	expr = node(p, EXPR_NUMBER);
	expr->number = number;
	return expr;
}

/* Both strings are in the arena. */
static struct expr *make_reference(struct parser *p, const char *source, const char *key)
{
	struct expr *expr;

	if (p->failed)
		return NULL;
	if (p->scope->has_source && !p->scope->has_source(source, p->error)) {
		p->failed = true;
		return NULL;
	}
	expr = node(p, EXPR_REFERENCE);
	expr->leaf = arena_alloc(p->scope->arena, sizeof(*expr->leaf));
	*expr->leaf = (struct expr_leaf){.reference = -1, .source = source, .key = key};
	return expr;
}

/* The name is in the arena. */
static struct expr *make_trace(struct parser *p, const char *name)
{
	struct expr *expr;

	if (!p->scope->has_trace) {
		expr_fail(p, "there is no [trace %s] in this check", name);
		return NULL;
	}
	if (p->failed || !p->scope->has_trace(p->scope->arg, name, p->error)) {
		p->failed = true;
		return NULL;
	}
	expr = node(p, EXPR_TRACE);
	expr->trace = name;
	return expr;
}

/* The bytes of a name from at on. A '*' belongs to it only as a whole component. */
static size_t reference_name_length(const char *at, char last)
{
	size_t len;

	for (len = 0; expr_is_word_char(at[len]) || at[len] == '.' || at[len] == '@' ||
		at[len] == '-' || (at[len] == '*' && last == '.');
		last = at[len++])
		;
	return len;
}

/* What stands behind "source:", or NULL: a name, "an instance", or "an instance".field. */
static char *take_reference_key(struct parser *p)
{
	const char *quoted = p->at + (*p->at == '"');
	size_t n_quoted = quoted > p->at ? strcspn(quoted, "\"") : 0, len;
	char *key;

	if (quoted > p->at && !quoted[n_quoted]) {
		expr_fail(p, "the quote is not closed");
		return NULL;
	}
	if (quoted > p->at)
		p->at = quoted + n_quoted + 1;
	len = reference_name_length(p->at, n_quoted ? quoted[n_quoted - 1] : '.');
	key = arena_alloc(p->scope->arena, n_quoted + len + 1);
	memcpy(key, quoted, n_quoted);
	memcpy(key + n_quoted, p->at, len);
	p->at += len;
	return key;
}

static struct expr *parse_path(struct parser *p)
{
	size_t len = strcspn(p->at, " \t\n),");
	const char *path = arena_copy(p->scope->arena, p->at, len);

	p->at += len;
	return make_reference(p, path, "");
}

static struct expr *parse_reference(struct parser *p, size_t source_len)
{
	const char *source = arena_copy(p->scope->arena, p->at, source_len), *key;

	p->at += source_len + 1;
	key = take_reference_key(p);
	if (key && !*key)
		expr_fail(p, "'%s:' names no field", source);
	if (p->failed)
		return NULL;
	return str_same(source, "trace") ? make_trace(p, key) : make_reference(p, source, key);
}

static const struct {
	const char *name;
	enum expr_function function;
} functions[] = {
	{"delta", FUNCTION_DELTA},
	{"rate", FUNCTION_RATE},
	{"slope", FUNCTION_SLOPE},
	{"since_boot", FUNCTION_SINCE_BOOT},
	{"max", FUNCTION_MAX},
	{"min", FUNCTION_MIN},
	{"sum", FUNCTION_SUM},
	{"or0", FUNCTION_OR0},
	{"p50", FUNCTION_P50},
	{"p90", FUNCTION_P90},
	{"p99", FUNCTION_P99},
	{"count", FUNCTION_COUNT},
	{"total", FUNCTION_TOTAL},
};

static bool function_takes_trace(enum expr_function function)
{
	return function == FUNCTION_MAX || function >= FUNCTION_P50;
}

/* delta(a * b) would not be the difference of anything that the kernel counted. */
static bool is_sum_of_references(const struct expr *expr)
{
	if (expr->kind == EXPR_REFERENCE)
		return true;
	return expr->kind == EXPR_BINARY && (expr->op == '+' || expr->op == '-') &&
		is_sum_of_references(expr->left) && is_sum_of_references(expr->right);
}

bool expr_is_truth(const struct expr *expr)
{
	return expr->kind >= EXPR_COMPARE;
}

/* Whether the next word is "and", "or" or "not"; it is taken then. */
static bool take_joining_word(struct parser *p, const char *word)
{
	size_t len;

	expr_skip_blanks(p);
	if (*p->at != *word)
		return false;
	len = strlen(word);
	if (strncmp(p->at, word, len) != 0 || expr_is_word_char(p->at[len]))
		return false;
	p->at += len;
	return true;
}

static size_t expr_count_references(const struct expr *expr)
{
	if (!expr)
		return 0;
	return (expr->kind == EXPR_REFERENCE) + expr_count_references(expr->left) +
		expr_count_references(expr->right);
}

/* Notes the group at every reference of the argument. Returns whether any has instances. */
static bool note_group(struct parser *p, const struct expr *expr, const char *group)
{
	bool many = false;

	if (!expr || p->failed)
		return false;
	if (expr->group) {
		expr_fail(p, "what is in groups by %s cannot be grouped by %s once more",
			expr->group, group);
		return false;
	}
	if (expr->leaf) {
		expr->leaf->group = group;
		many = str_starts(expr->leaf->key, "*.") ||
			(!*expr->leaf->key && strchr(expr->leaf->source, '*'));
		p->failed = many && p->scope->has_group &&
			!p->scope->has_group(expr->leaf->source, group, p->error);
	}
	many |= note_group(p, expr->left, group);
	many |= note_group(p, expr->right, group);
	return many;
}

/* "by node" behind the argument of a call. */
static void take_group(struct parser *p, const char *name, struct expr *call)
{
	size_t len;

	if (!take_joining_word(p, "by"))
		return;
	expr_skip_blanks(p);
	len = strspn(p->at, "abcdefghijklmnopqrstuvwxyz_");
	call->group = arena_copy(p->scope->arena, p->at, len);
	if (!len)
		expr_fail(p, "the kind of group is missing behind 'by', as in %s(x by node)", name);
	else if (call->function != FUNCTION_MAX && call->function != FUNCTION_MIN &&
		call->function != FUNCTION_SUM && call->function != FUNCTION_COUNT)
		expr_fail(p, "%s() has no groups; max, min, sum and count do", name);
	else if (!note_group(p, call->left, call->group))
		/* Unless it has said what is wrong: the first error wins. */
		expr_fail(p, "'by %s' needs instances, as in sum(source:*.field by %s)",
			call->group, call->group);
	p->at += len;
}

static bool check_argument(struct parser *p, const char *name, const struct expr *call)
{
	const struct expr *arg = call->left;
	enum expr_function function = call->function;

	if (arg->kind == EXPR_TRACE) {
		if (!function_takes_trace(function))
			expr_fail(p, "%s() does not take a trace; p50 p90 p99 max count total do",
				name);
	} else if (function == FUNCTION_COUNT && !expr_is_truth(arg)) {
		expr_fail(p,
			"count() takes a trace, count(trace:NAME), or a comparison, count(a:*.b > "
			"1)");
	} else if (function >= FUNCTION_P50 && function != FUNCTION_COUNT) {
		expr_fail(p, "%s() takes a trace, as in %s(trace:NAME)", name, name);
	} else if (function == FUNCTION_OR0 && expr_count_references(arg) != 1) {
		expr_fail(p, "or0() takes one reference, as in or0(rate(a:b)) + or0(rate(a:c))");
	} else if (function <= FUNCTION_SINCE_BOOT && !is_sum_of_references(arg)) {
		expr_fail(p, "%s() takes references, joined by + and - only", name);
	}
	return !p->failed;
}

static void expr_unknown_function(struct parser *p, const char *name)
{
	const char *words[ARRAY_SIZE(functions)], *near;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(functions); i++)
		words[i] = functions[i].name;
	near = suggest(name, words, ARRAY_SIZE(functions));
	expr_fail(p, "unknown function '%s'%s%s%s", name, near ? "; did you mean '" : "",
		near ? near : "", near ? "'?" : "");
}

static struct expr *parse_call(struct parser *p, size_t name_len)
{
	const char *name = arena_copy(p->scope->arena, p->at, name_len);
	struct expr *call;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(functions); i++)
		if (str_same(functions[i].name, name))
			break;
	if (i == ARRAY_SIZE(functions)) {
		expr_unknown_function(p, name);
		return NULL;
	}
	p->at += name_len;
	expr_take_char(p, '(');
	call = node(p, EXPR_CALL);
	call->function = functions[i].function;
	call->left = parse_truth(p);
	if (call->left)
		take_group(p, name, call);
	if (!p->failed && !expr_take_char(p, ')'))
		expr_fail(p, "')' is missing after the argument of %s()", name);
	return !p->failed && check_argument(p, name, call) ? call : NULL;
}

static struct expr *parse_name(struct parser *p, size_t len)
{
	static const char *const words[] = {"window", "cpus", "page"};
	static const enum expr_kind kinds[] = {EXPR_WINDOW, EXPR_CPUS, EXPR_PAGE};
	const char *name = arena_copy(p->scope->arena, p->at, len), *near;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(words); i++) {
		if (!strcmp(name, words[i])) {
			p->at += len;
			return node(p, kinds[i]);
		}
	}
	near = suggest(name, words, ARRAY_SIZE(words));
	if (near)
		expr_fail(p, "unknown name '%s'; did you mean '%s'?", name, near);
	else
		expr_fail(p, "unknown name '%s'; a reference is written source:field", name);
	return NULL;
}

static struct expr *parse_word(struct parser *p)
{
	size_t len = expr_word_length(p->at), source = 0, blanks;

	while (expr_is_small_letter(p->at[source]) || expr_is_digit(p->at[source]) ||
		p->at[source] == '_' || p->at[source] == '/')
		source++;
	if (p->at[source] == ':')
		return parse_reference(p, source);
	blanks = strspn(p->at + len, " \t\n");
	if (p->at[len + blanks] == '(')
		return parse_call(p, len);
	return parse_name(p, len);
}

static struct expr *parse_factor(struct parser *p)
{
	struct expr *expr = NULL;

	if (++p->depth > DEPTH_MAX) {
		expr_fail(p, "nested too deeply");
		return NULL;
	}
	expr_skip_blanks(p);
	if (expr_is_digit(*p->at)) {
		expr = parse_number_literal(p);
	} else if (*p->at == '/') {
		expr = parse_path(p);
	} else if (expr_is_letter(*p->at)) {
		expr = parse_word(p);
	} else if (expr_take_char(p, '(')) {
		expr = parse_truth(p);
		if (expr && !expr_take_char(p, ')'))
			expr_fail(p, "')' is missing");
	} else if (expr_take_char(p, '-')) {
		struct expr *operand = parse_factor(p);

		if (operand) {
			expr = node(p, EXPR_NEGATE);
			expr->left = operand;
		}
	} else if (!*p->at) {
		expr_fail(p, "a value is missing at the end");
	} else {
		expr_fail(p, "a value is missing before '%.10s'", p->at);
	}
	p->depth--;
	return expr;
}

static struct expr *binary(struct parser *p, struct expr *left, char op, struct expr *right)
{
	struct expr *expr;

	if (!right)
		return NULL;
	expr = node(p, EXPR_BINARY);
	expr->op = op;
	expr->left = left;
	expr->right = right;
	return expr;
}

/* A chain of operators is a tree as deep as it is long: the depth limit bounds both. */
static struct expr *parse_chain(
	struct parser *p, struct expr *(*operand)(struct parser *p), char op1, char op2)
{
	struct expr *expr = operand(p);
	int links = 0;

	while (expr && !p->failed) {
		char op = expr_take_char(p, op1) ? op1 : expr_take_char(p, op2) ? op2 : 0;

		if (!op)
			return expr;
		if (++links > DEPTH_MAX) {
			expr_fail(p, "too many operators");
			break;
		}
		expr = binary(p, expr, op, operand(p));
	}
	return p->failed ? NULL : expr;
}

static struct expr *parse_product(struct parser *p)
{
	return parse_chain(p, parse_factor, '*', '/');
}

static struct expr *parse_sum(struct parser *p)
{
	return parse_chain(p, parse_product, '+', '-');
}

size_t op_parse(const char *text, enum op *op)
{
	const char *at = text;
	bool equal;

	while (*at == ' ' || *at == '\t' || *at == '\n')
		at++;
	equal = *at && at[1] == '=';
	if (*at == '<')
		*op = equal ? OP_LE : OP_LT;
	else if (*at == '>')
		*op = equal ? OP_GE : OP_GT;
	else if (equal && (*at == '=' || *at == '!'))
		*op = *at == '=' ? OP_EQ : OP_NE;
	else
		return 0;
	return (size_t)(at - text) + 1 + equal;
}

const char *op_text(enum op op)
{
	static const char *const texts[] = {"<", "<=", ">", ">=", "==", "!="};

	return texts[op];
}

bool op_holds(enum op op, double a, double b)
{
	if (isnan(a) || isnan(b))
		return false;
	switch (op) {
	case OP_LT:
		return a < b;
	case OP_LE:
		return a <= b;
	case OP_GT:
		return a > b;
	case OP_GE:
		return a >= b;
	case OP_EQ:
		return a == b;
	case OP_NE:
		return a != b;
	}
	return false;
}

/* Takes both operands, which may be NULL after an error; left is NULL for not. */
static struct expr *truth_node(struct parser *p, enum expr_kind kind, const char *word,
	struct expr *left, struct expr *right)
{
	struct expr *expr;

	if (!p->failed && ((left && !expr_is_truth(left)) || !expr_is_truth(right)))
		expr_fail(p, "'%s' is for comparisons, as in a > 1 %s b > 1", word,
			left ? word : "and not");
	if (p->failed)
		return NULL;
	expr = node(p, kind);
	expr->left = left;
	expr->right = right;
	return expr;
}

static struct expr *parse_comparison(struct parser *p)
{
	struct expr *left = parse_sum(p), *expr;
	enum op op = OP_LT;
	size_t n = left ? op_parse(p->at, &op) : 0;

	if (!n)
		return left;
	p->at += n;
	expr = node(p, EXPR_COMPARE);
	expr->comparison = op;
	expr->left = left;
	expr->right = parse_sum(p);
	if (!p->failed && op_parse(p->at, &op))
		expr_fail(p, "'%.10s': two comparisons in a row are joined by 'and'", p->at);
	return p->failed ? NULL : expr;
}

static struct expr *parse_not(struct parser *p)
{
	struct expr *expr;

	if (!take_joining_word(p, "not"))
		return parse_comparison(p);
	if (++p->depth > DEPTH_MAX)
		expr_fail(p, "nested too deeply");
	expr = p->failed ? NULL : truth_node(p, EXPR_NOT, "not", NULL, parse_not(p));
	p->depth--;
	return expr;
}

/* Operands with the same word between them. */
static struct expr *parse_joined(struct parser *p, struct expr *(*operand)(struct parser *p),
	enum expr_kind kind, const char *word)
{
	struct expr *expr = operand(p);
	int links = 0;

	while (expr && take_joining_word(p, word)) {
		struct expr *right = operand(p);

		if (++links > DEPTH_MAX)
			expr_fail(p, "too many operators");
		expr = truth_node(p, kind, word, expr, right);
	}
	return expr;
}

static struct expr *parse_and(struct parser *p)
{
	return parse_joined(p, parse_not, EXPR_AND, "and");
}

/* Everything that an expression can be: a number, or comparisons. */
static struct expr *parse_truth(struct parser *p)
{
	return parse_joined(p, parse_and, EXPR_OR, "or");
}

static bool has_bare_trace(const struct expr *expr)
{
	if (!expr)
		return false;
	if (expr->kind == EXPR_TRACE)
		return true;
	if (expr->kind == EXPR_CALL)
		return expr->left->kind != EXPR_TRACE && has_bare_trace(expr->left);
	return has_bare_trace(expr->left) || has_bare_trace(expr->right);
}

/* Parses one value and leaves p->at behind it. */
static struct expr *parse_expr_value(struct parser *p)
{
	struct expr *expr = parse_truth(p);

	if (expr && has_bare_trace(expr))
		expr_fail(p, "a trace needs p50, p90, p99, max, count or total around it");
	return p->failed ? NULL : expr;
}

static struct parser parser_for(const char *text, const struct expr_scope *scope, struct str *error)
{
	return (struct parser){.text = text, .at = text, .scope = scope, .error = error};
}

struct expr *expr_parse(
	const char *text, const struct expr_scope *scope, struct str *error, size_t *column)
{
	struct parser p = parser_for(text, scope, error);
	struct expr *expr = parse_expr_value(&p);

	expr_skip_blanks(&p);
	if (expr && *p.at) {
		expr_fail(&p, "'%.20s' is left over; an operator is missing, or a blank around one",
			p.at);
		expr = NULL;
	}
	*column = (size_t)(p.at - text);
	return expr;
}

struct condition *condition_parse(
	const char *text, const struct expr_scope *scope, struct str *error, size_t *column)
{
	struct parser p = parser_for(text, scope, error);
	struct condition *condition = arena_alloc(scope->arena, sizeof(*condition));

	condition->root = parse_expr_value(&p);
	expr_skip_blanks(&p);
	if (condition->root && !expr_is_truth(condition->root))
		expr_fail(&p, "a comparison is missing: < <= > >= == or !=");
	if (!p.failed && *p.at)
		expr_fail(&p, "'%.20s' is left over", p.at);
	*column = (size_t)(p.at - text);
	return p.failed ? NULL : condition;
}
