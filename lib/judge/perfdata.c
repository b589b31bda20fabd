/* SPDX-License-Identifier: GPL-2.0-only */
/* Which text, which numbers and which thresholds are in a monitoring plugin's output? */
#include "base/banned.h"

#include <math.h>

#include "judge/perfdata.h"
#include "base/str.h"
#include "base/unit.h"

#define TEXT_MAX 500
#define LABEL_MAX 120
#define NUMBER_MAX 64

/* The rest of the performance data. */
struct rest {
	const char *at;
	const char *end;
};

static bool perf_is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* A plain decimal number with sign, point and exponent: no hex, no "nan", no "inf". */
static bool perf_parse_number(const char *text, size_t len, double *out)
{
	char buf[NUMBER_MAX], *end;

	if (!len || len >= sizeof(buf))
		return false;
	memcpy(buf, text, len);
	buf[len] = 0;
	if (strspn(buf, "0123456789.+-eE") != len || !strpbrk(buf, "0123456789"))
		return false;
	*out = strtod(buf, &end);
	return !*end && isfinite(*out);
}

static bool parse_bound(const char *text, size_t len, double empty, double *out)
{
	if (!len) {
		*out = empty;
		return true;
	}
	if (len == 1 && *text == '~') {
		*out = -INFINITY;
		return true;
	}
	return perf_parse_number(text, len, out);
}

bool perf_range_parse(struct perf_range *range, const char *text, size_t len)
{
	const char *colon;
	size_t left;

	*range = (struct perf_range){0};
	if (!len)
		return false;
	range->inside = *text == '@';
	text += range->inside;
	len -= range->inside;
	colon = len ? memchr(text, ':', len) : NULL;
	if (!colon) {
		/* "10" is 0:10 */
		range->set = perf_parse_number(text, len, &range->high);
		return range->set;
	}
	left = (size_t)(colon - text);
	range->set = parse_bound(text, left, 0, &range->low) &&
		parse_bound(colon + 1, len - left - 1, INFINITY, &range->high) &&
		range->low <= range->high;
	return range->set;
}

bool perf_range_alerts(const struct perf_range *range, double value)
{
	bool within = value >= range->low && value <= range->high;

	return range->set && !isnan(value) && within == range->inside;
}

/* The unit of a value, and what 1 of it is in base units. */
static enum unit perf_unit_of(const char *text, size_t len, double *factor)
{
	static const struct {
		const char *name;
		enum unit unit;
		double factor;
	} table[] = {
		{"s", UNIT_SECONDS, 1},
		{"ms", UNIT_SECONDS, 1e-3},
		{"us", UNIT_SECONDS, 1e-6},
		{"ns", UNIT_SECONDS, 1e-9},
		{"%", UNIT_RATIO, 0.01},
		{"B", UNIT_BYTES, 1},
		{"KB", UNIT_BYTES, 1024},
		{"kB", UNIT_BYTES, 1024},
		{"MB", UNIT_BYTES, 1048576},
		{"GB", UNIT_BYTES, 1073741824},
		{"TB", UNIT_BYTES, 1099511627776},
		{"KiB", UNIT_BYTES, 1024},
		{"MiB", UNIT_BYTES, 1048576},
		{"GiB", UNIT_BYTES, 1073741824},
		{"TiB", UNIT_BYTES, 1099511627776},
	};
	size_t i;

	*factor = 1;
	for (i = 0; i < ARRAY_SIZE(table); i++) {
		if (strlen(table[i].name) != len || memcmp(table[i].name, text, len) != 0)
			continue;
		*factor = table[i].factor;
		return table[i].unit;
	}
	return UNIT_COUNT;
}

/* A label up to '='; in single quotes it may hold anything, '' being one quote. */
static bool take_label(struct rest *rest, struct str *label)
{
	bool quoted = *rest->at == '\'';

	for (rest->at += quoted; rest->at < rest->end; rest->at++) {
		if (quoted && *rest->at == '\'') {
			if (rest->at + 1 == rest->end || rest->at[1] != '\'')
				break;
			rest->at++;
		} else if (!quoted && (*rest->at == '=' || perf_is_blank(*rest->at))) {
			break;
		}
		if (label->len < LABEL_MAX && *rest->at)
			str_addc(label, *rest->at);
	}
	if (quoted && rest->at < rest->end)
		rest->at++;
	if (rest->at == rest->end || *rest->at != '=' || !label->len)
		return false;
	rest->at++;
	return true;
}

/* The next part of "value;warn;crit;min;max", up to a blank. */
static size_t take_part(struct rest *rest, const char **part)
{
	size_t len;

	*part = rest->at;
	while (rest->at < rest->end && *rest->at != ';' && !perf_is_blank(*rest->at))
		rest->at++;
	len = (size_t)(rest->at - *part);
	if (rest->at < rest->end && *rest->at == ';')
		rest->at++;
	return len;
}

static void scale(struct perf_range *range, double factor)
{
	range->low *= factor;
	range->high *= factor;
}

static bool has_digit(const char *text, size_t len)
{
	while (len--)
		if (text[len] >= '0' && text[len] <= '9')
			return true;
	return false;
}

static bool perf_take_value(struct rest *rest, struct perf *perf)
{
	const char *part;
	size_t len = take_part(rest, &part), digits = 0;
	double factor = 1;

	if (len == 1 && *part == 'U') {
		perf->value = NAN;
		perf->unit = UNIT_COUNT;
	} else {
		while (digits < len && strchr("0123456789.+-", part[digits]) && part[digits])
			digits++;
		/* "1e3" has an exponent, "1EB" an unknown unit. */
		if (digits + 1 < len && (part[digits] | 32) == 'e' &&
			strchr("0123456789+-", part[digits + 1]))
			for (digits += 2;
				digits < len && part[digits] >= '0' && part[digits] <= '9';)
				digits++;
		/* No unit has a digit: "0x10" and "1,5" are no numbers. */
		if (!perf_parse_number(part, digits, &perf->value) ||
			has_digit(part + digits, len - digits))
			return false;
		perf->unit = perf_unit_of(part + digits, len - digits, &factor);
		perf->value *= factor;
	}
	len = take_part(rest, &part);
	perf_range_parse(&perf->warn, part, len);
	len = take_part(rest, &part);
	perf_range_parse(&perf->crit, part, len);
	scale(&perf->warn, factor);
	scale(&perf->crit, factor);
	return true;
}

static void parse_perf(struct plugin_output *out, struct rest rest)
{
	while (out->n < PERFDATA_MAX) {
		struct str label = STR_INIT;
		struct perf perf = {0};

		while (rest.at < rest.end && perf_is_blank(*rest.at))
			rest.at++;
		if (rest.at == rest.end)
			return;
		if (take_label(&rest, &label) && perf_take_value(&rest, &perf)) {
			perf.label = str_take(&label);
			ARRAY_GROW(out->list, out->n, out->room);
			out->list[out->n++] = perf;
		}
		str_free(&label);
		while (rest.at < rest.end && !perf_is_blank(*rest.at))
			rest.at++;
	}
}

/* From start to end without the blanks around it, and cut. The caller frees. */
static char *trimmed(const char *start, const char *end)
{
	struct str text = STR_INIT;

	while (start < end && perf_is_blank(*start))
		start++;
	while (end > start && perf_is_blank(end[-1]))
		end--;
	for (; start < end && text.len < TEXT_MAX; start++)
		str_addc(&text, *start ? *start : '?');
	return str_take(&text);
}

static const char *perf_find_char(const char *start, const char *end, char c)
{
	const char *at = start < end ? memchr(start, c, (size_t)(end - start)) : NULL;

	return at ? at : end;
}

void plugin_output_parse(struct plugin_output *out, const char *data, size_t len)
{
	const char *end = data + len, *line_end, *bar;

	*out = (struct plugin_output){0};
	line_end = perf_find_char(data, end, '\n');
	bar = perf_find_char(data, line_end, '|');
	out->text = trimmed(data, bar);
	if (bar < line_end)
		parse_perf(out, (struct rest){bar + 1, line_end});
	/* Long output follows; the rest of the performance data is behind another bar. */
	bar = perf_find_char(line_end, end, '|');
	if (bar < end)
		parse_perf(out, (struct rest){bar + 1, end});
}

void plugin_output_free(struct plugin_output *output)
{
	size_t i;

	free(output->text);
	for (i = 0; i < output->n; i++)
		free(output->list[i].label);
	free(output->list);
	*output = (struct plugin_output){0};
}
