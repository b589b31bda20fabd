/* SPDX-License-Identifier: GPL-2.0-only */
/* Is this number a counter, or something in each second, as far as names and functions say? */
#include "base/banned.h"

#include <math.h>

#include "base/str.h"
#include "expr/ast.h"
#include "expr/eval.h"
#include "expr/growth_guess.h"

/* What a sum of powers can be where nobody knows. */
#define POWER_UNKNOWN 100

/* "source:key" in the order in which they are tried: the first that matches says it. */
static const struct {
	const char *patterns;
	bool counts;
} growing[] = {
	{"vmstat:nr_* vmstat:workingset_nodes", false},
	{"vmstat:*", true},
	{"stat:procs_* stat:btime", false},
	{"stat:*", true},
	{"net/snmp:*.CurrEstab net/snmp:*.Rto* net/snmp:*.MaxConn net/snmp:*.Ip.Forwarding "
	 "net/snmp:*.Ip.DefaultTTL",
		false},
	{"net/snmp:* net/netstat:* netstat:* interrupts:* softirqs:*", true},
	{"net/dev:*.rx_* net/dev:*.tx_*", true},
	{"diskstats:*.in_flight", false},
	{"diskstats:*.reads diskstats:*.writes diskstats:*.ios diskstats:*_ms diskstats:*_bytes",
		true},
	{"pressure/*:*.total cgroup:*.pressure.*.total", true},
	{"cgroup:*.cpu.stat.* cgroup:*.io.stat.* cgroup:*.memory.events.*", true},
};

static bool leaf_counts(const struct expr_leaf *leaf)
{
	char *name = mem_printf("%s:%s", leaf->source, leaf->key);
	bool counts = false;
	size_t i;

	for (i = 0; *leaf->key && i < ARRAY_SIZE(growing); i++) {
		if (!str_matches(name, growing[i].patterns))
			continue;
		counts = growing[i].counts;
		break;
	}
	free(name);
	return counts;
}

/* Whether a function says what is meant by a counter. */
static bool function_takes_counters(enum expr_function function)
{
	return function == FUNCTION_DELTA || function == FUNCTION_RATE ||
		function == FUNCTION_SLOPE || function == FUNCTION_SINCE_BOOT;
}

bool expr_has_raw_counter(const struct expr *expr, struct str *name)
{
	if (!expr)
		return false;
	if (expr->kind == EXPR_REFERENCE && leaf_counts(expr->leaf)) {
		str_addf(name, "%s:%s", expr->leaf->source, expr->leaf->key);
		return true;
	}
	if (expr->kind == EXPR_CALL && function_takes_counters(expr->function))
		return false;
	return expr_has_raw_counter(expr->left, name) || expr_has_raw_counter(expr->right, name);
}

/* The power of a second in a number. A factor below 1 may be a time ("1us"): nobody knows. */
static int power_of_number(const struct expr *expr)
{
	return expr->number > 0 && expr->number < 1 ? POWER_UNKNOWN : 0;
}

static int power_of(const struct expr *expr);

/* What is counted has no time in it, whatever it is called. */
static int power_of_call(const struct expr *expr)
{
	switch (expr->function) {
	case FUNCTION_RATE:
	case FUNCTION_SLOPE:
		return -1;
	case FUNCTION_DELTA:
	case FUNCTION_SINCE_BOOT:
	case FUNCTION_COUNT:
		return 0;
	case FUNCTION_MAX:
	case FUNCTION_MIN:
	case FUNCTION_SUM:
		return expr->left ? power_of(expr->left) : POWER_UNKNOWN;
	default:
		return POWER_UNKNOWN;
	}
}

static int power_of_binary(const struct expr *expr)
{
	int left = power_of(expr->left), right = power_of(expr->right);

	if (left == POWER_UNKNOWN || right == POWER_UNKNOWN)
		return POWER_UNKNOWN;
	if (expr->op == '*')
		return left + right;
	if (expr->op == '/')
		return left - right;
	return left == right ? left : POWER_UNKNOWN;
}

static int power_of(const struct expr *expr)
{
	switch (expr->kind) {
	case EXPR_NUMBER:
		return power_of_number(expr);
	case EXPR_WINDOW:
		return 1;
	case EXPR_CALL:
		return power_of_call(expr);
	case EXPR_BINARY:
		return power_of_binary(expr);
	case EXPR_NEGATE:
		return power_of(expr->left);
	case EXPR_CPUS:
	case EXPR_PAGE:
		return 0;
	default:
		/* A gauge may be a rate: that of a link. */
		return POWER_UNKNOWN;
	}
}

enum rate_guess expr_rate(const struct expr *expr)
{
	int power = power_of(expr);

	if (power == POWER_UNKNOWN)
		return RATE_UNKNOWN;
	return power == -1 ? RATE_IS : RATE_NOT;
}
