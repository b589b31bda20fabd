/* SPDX-License-Identifier: GPL-2.0-only */
/* What is this number counted in, as far as its name says? */
#include "base/banned.h"
#include "expr/ast.h"
#include "base/str.h"
#include "expr/unit_guess.h"
#include "expr/eval.h"

/* Patterns of "source:key" in the order in which they are tried. */
static const struct {
	const char *pattern;
	const char *hint;
} table[] = {
	{"/*[[]age]", "s"},
	{"pressure/*:*total", "us"},
	{"pressure/*:*avg*", "%"},
	{"cgroup:*.pressure.*.total", "us"},
	{"cgroup:*memory.events.*", ""},
	{"cgroup:*memory.stat.pg*", ""},
	{"cgroup:*memory.stat.workingset_*", "pages"},
	{"cgroup:*memory.*", "bytes"},
	{"meminfo:HugePages_*", "pages"},
	{"meminfo:*", "bytes"},
	{"vmstat:nr_*", "pages"},
	{"vmstat:pgpgin vmstat:pgpgout", "KiB"},
	{"vmstat:pswp* vmstat:pgscan* vmstat:pgsteal* vmstat:workingset_*", "pages"},
	{"buddyinfo:*.order*", "blocks"},
	{"zoneinfo:*", "pages"},
	{"stat:btime", "s since 1970"},
	{"uptime:*", "s"},
	{"stat:user stat:nice stat:system stat:idle stat:iowait stat:irq stat:softirq stat:steal "
	 "stat:guest stat:guest_nice stat:cpu*",
		"s"},
	{"*_nr_* */nr_*", ""},
	{"*_ns *_nsec *_nsecs *_nanoseconds", "ns"},
	{"*_us *_usec *_usecs", "us"},
	{"*_ms *_msec *_msecs *_milliseconds", "ms"},
	{"*_secs *_sec *_seconds", "s"},
	{"*_centisecs", "1/100 s"},
	{"*_bytes *rbytes *wbytes", "bytes"},
	{"*_kb *_kbytes *_KiB", "KiB"},
	{"*_khz */scaling_*_freq */cpuinfo_*_freq", "kHz"},
	{"*_pages", "pages"},
	{"*_sectors", "sectors of 512 bytes"},
	{"*_ratio", "ratio"},
	{"*_percent *_percentage", "%"},
	{"/sys/class/thermal/*/temp /sys/class/hwmon/*_input", "1/1000 degree C"},
};

const char *unit_hint(const char *source, const char *key)
{
	char *name = *key == '/' ? mem_strdup(key) : mem_printf("%s:%s", source, key);
	const char *hint = "";
	size_t i;

	for (i = 0; i < ARRAY_SIZE(table); i++) {
		if (!str_matches(name, table[i].pattern))
			continue;
		hint = table[i].hint;
		break;
	}
	free(name);
	return hint;
}

/* A path is written as a source without a key. */
static const char *unit_hint_leaf(const struct expr_leaf *leaf)
{
	return *leaf->key ? unit_hint(leaf->source, leaf->key) : unit_hint("path", leaf->source);
}

static void hint_of(struct str *out, const struct expr *expr);

static void hint_of_call(struct str *out, const struct expr *expr)
{
	struct str inner = STR_INIT;
	bool per_second = expr->function == FUNCTION_RATE || expr->function == FUNCTION_SLOPE;

	hint_of(&inner, expr->left);
	if (per_second && !strcmp(str_text(&inner), "s"))
		str_add(out, "ratio");
	else
		str_addf(out, "%s%s", str_text(&inner), per_second ? "/s" : "");
	str_free(&inner);
}

/* A factor changes the unit in a way that only its writer knows, so it takes the hint away. */
static void hint_of_binary(struct str *out, const struct expr *expr)
{
	struct str left = STR_INIT, right = STR_INIT;
	bool same, constants;

	hint_of(&left, expr->left);
	hint_of(&right, expr->right);
	same = !strcmp(str_text(&left), str_text(&right));
	constants = expr_is_constant(expr->left) || expr_is_constant(expr->right);
	if (expr->op == '/' && same && !constants)
		str_add(out, "ratio");
	else if (expr->op == '/' && expr->right->kind == EXPR_WINDOW)
		str_addf(out, "%s/s", str_text(&left));
	else if (expr->op == '*' && expr->right->kind == EXPR_PAGE &&
		str_starts(str_text(&left), "pages"))
		str_addf(out, "bytes%s", left.text + strlen("pages"));
	else if ((expr->op == '+' || expr->op == '-') && (same || constants))
		str_add(out, left.len ? left.text : str_text(&right));
	str_free(&left);
	str_free(&right);
}

static void hint_of(struct str *out, const struct expr *expr)
{
	switch (expr->kind) {
	case EXPR_REFERENCE:
		str_add(out, unit_hint_leaf(expr->leaf));
		break;
	case EXPR_WINDOW:
		str_add(out, "s");
		break;
	case EXPR_CALL:
		hint_of_call(out, expr);
		break;
	case EXPR_BINARY:
		hint_of_binary(out, expr);
		break;
	case EXPR_NEGATE:
		hint_of(out, expr->left);
		break;
	default:
		break;
	}
}

void unit_hint_expr(struct str *out, const struct expr *expr)
{
	hint_of(out, expr);
}
