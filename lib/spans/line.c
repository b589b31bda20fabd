/* SPDX-License-Identifier: GPL-2.0-only */
/* Which span does a line of JSON tell of? */
#include "base/banned.h"

#include <errno.h>
#include <string.h>
#include <time.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/str.h"
#include "spans/line.h"
#include "spans/spans.h"

#define NS_PER_S INT64_C(1000000000)
#define YEAR_LEAST 1680 /* what nanoseconds since 1970 can say ends in 1677 and 2262 */
#define YEAR_MOST 2260

/* By their lengths, the most usual first. */
static const struct {
	const char *key;
	enum span_key means;
	int64_t unit_ns;
} span_keys[] = {
	{"trace_id", SPAN_KEY_TRACE, 0},
	{"span_id", SPAN_KEY_ID, 0},
	{"parent_id", SPAN_KEY_PARENT, 0},
	{"name", SPAN_KEY_NAME, 0},
	{"start", SPAN_KEY_START, 0},
	{"duration", SPAN_KEY_DURATION, 0},
	{"end", SPAN_KEY_END, 0},
	{"traceId", SPAN_KEY_TRACE, 0},
	{"traceID", SPAN_KEY_TRACE, 0},
	{"spanId", SPAN_KEY_ID, 0},
	{"spanID", SPAN_KEY_ID, 0},
	{"parentId", SPAN_KEY_PARENT, 0},
	{"parentSpanId", SPAN_KEY_PARENT, 0},
	{"parent_span_id", SPAN_KEY_PARENT, 0},
	{"operationName", SPAN_KEY_NAME, 0},
	{"start_ns", SPAN_KEY_START, 1},
	{"end_ns", SPAN_KEY_END, 1},
	{"duration_ns", SPAN_KEY_DURATION, 1},
	{"startTimeUnixNano", SPAN_KEY_START, 1},
	{"endTimeUnixNano", SPAN_KEY_END, 1},
	{"start_time", SPAN_KEY_START, 0},
	{"end_time", SPAN_KEY_END, 0},
	{"duration_us", SPAN_KEY_DURATION, 1000},
	{"duration_ms", SPAN_KEY_DURATION, 1000000},
};

enum span_key span_key_of(const char *key, size_t len, int64_t *unit_ns)
{
	size_t i;

	*unit_ns = 0;
	for (i = 0; i < ARRAY_SIZE(span_keys); i++) {
		if (strlen(span_keys[i].key) != len || memcmp(span_keys[i].key, key, len) != 0)
			continue;
		*unit_ns = span_keys[i].unit_ns;
		return span_keys[i].means;
	}
	return SPAN_KEY_OTHER;
}

/* n digits, or -1. */
static int span_digits(const char *text, size_t n)
{
	int value = 0;

	while (n--) {
		if (*text < '0' || *text > '9')
			return -1;
		value = value * 10 + (*text++ - '0');
	}
	return value;
}

/* Days since 1970 of a day of the Gregorian calendar, counted from March on in years of 400. */
static int64_t span_days(int year, int month, int day)
{
	const int64_t y = year - (month <= 2), era = y / 400, of_era = y % 400;
	const int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;

	return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

/* "2026-11-23T20:04:05" as seconds since 1970, or INT64_MIN. */
static int64_t span_time_seconds(const char *text)
{
	const int year = span_digits(text, 4), month = span_digits(text + 5, 2),
		  day = span_digits(text + 8, 2), hour = span_digits(text + 11, 2),
		  minute = span_digits(text + 14, 2), second = span_digits(text + 17, 2);

	if (year < YEAR_LEAST || year > YEAR_MOST || month < 1 || month > 12 || day < 1 ||
		day > 31 || hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 ||
		second > 60)
		return INT64_MIN;
	if (text[4] != '-' || text[7] != '-' || (text[10] != 'T' && text[10] != ' ') ||
		text[13] != ':' || text[16] != ':')
		return INT64_MIN;
	return span_days(year, month, day) * 86400 + hour * 3600 + minute * 60 + second;
}

/* "Z" or "+01:00" as seconds east of Greenwich; INT_MIN for what is none. */
static int span_zone(const char *text, size_t len)
{
	int hours, minutes;

	if (len == 1 && (*text == 'Z' || *text == 'z'))
		return 0;
	if (len != 6 || (*text != '+' && *text != '-') || text[3] != ':')
		return INT32_MIN;
	hours = span_digits(text + 1, 2);
	minutes = span_digits(text + 4, 2);
	if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59)
		return INT32_MIN;
	return (*text == '-' ? -1 : 1) * (hours * 3600 + minutes * 60);
}

int span_time(const char *text, size_t len, int64_t *ns)
{
	int64_t seconds, fraction = 0, unit = NS_PER_S / 10;
	size_t at = 19;
	int zone;

	if (len < 20)
		return -EINVAL;
	seconds = span_time_seconds(text);
	if (seconds == INT64_MIN)
		return -EINVAL;
	if (text[at] == '.') {
		if (span_digits(text + at + 1, 1) < 0)
			return -EINVAL;
		for (at++; at < len && span_digits(text + at, 1) >= 0; at++, unit /= 10)
			fraction += unit * (text[at] - '0');
	}
	zone = span_zone(text + at, len - at);
	if (zone == INT32_MIN)
		return -EINVAL;
	*ns = (seconds - zone) * NS_PER_S + fraction;
	return 0;
}

/* The digits behind a point, as parts of a unit. Returns where they end. */
static const char *span_fraction(const char *at, const char *end, int64_t unit_ns, int64_t *ns)
{
	int64_t part = unit_ns;

	for (; at < end && *at >= '0' && *at <= '9'; at++) {
		/* A unit is a power of ten. */
		part /= 10;
		*ns += part * (*at - '0');
	}
	return at;
}

/* "1.6e15", as some writers have it. */
static int span_exponent(const char *text, size_t len, double unit_ns, int64_t *ns)
{
	struct json_scan scan;
	char copy[64] = "";
	double number;

	if (len > sizeof(copy) - 2)
		return -EINVAL;
	memcpy(copy, text, len);
	copy[len] = ' ';
	json_begin(&scan, copy, len + 1);
	if (!json_number(&scan, &number) || scan.at != copy + len)
		return -EINVAL;
	number *= unit_ns;
	if (!(number > -9.2e18 && number < 9.2e18))
		return -ERANGE;
	*ns = (int64_t)number;
	return 0;
}

int span_decimal(const char *text, size_t len, int64_t unit_ns, int64_t *ns)
{
	const char *at = text, *end = text + len;
	const bool negative = at < end && *at == '-', has_point = memchr(text, '.', len);
	int64_t unit = unit_ns ? unit_ns : has_point ? NS_PER_S : 1, whole = 0, value;

	if (memchr(text, 'e', len) || memchr(text, 'E', len))
		return span_exponent(text, len, (double)unit, ns);
	at += negative;
	if (at == end || *at < '0' || *at > '9' || (*at == '0' && end - at > 1 && at[1] != '.'))
		return -EINVAL;
	for (; at < end && *at >= '0' && *at <= '9'; at++)
		if (__builtin_mul_overflow(whole, 10, &whole) ||
			__builtin_add_overflow(whole, *at - '0', &whole))
			return -ERANGE;
	if (__builtin_mul_overflow(whole, unit, &value))
		return -ERANGE;
	if (at < end && *at == '.') {
		int64_t fraction = 0;
		const char *from = ++at;

		at = span_fraction(at, end, unit, &fraction);
		if (at == from || __builtin_add_overflow(value, fraction, &value))
			return -EINVAL;
	}
	*ns = negative ? -value : value;
	return at == end ? 0 : -EINVAL;
}

/* What of a line is a time, until all of it is known. */
struct span_times {
	int64_t start, end, duration;
	bool has_start, has_end, has_duration;
};

/* A number or a text at scan, as a time. Returns false where it is none. */
static bool span_line_time(struct json_scan *scan, bool of_calendar, int64_t unit_ns, int64_t *ns)
{
	struct json_text text;

	if (json_kind(scan) == '"') {
		if (!json_text(scan, &text))
			return false;
		if (of_calendar && !span_time(text.at, text.len, ns))
			return true;
	} else {
		text.at = scan->at;
		if (json_kind(scan) != '0')
			return false;
		json_skip(scan);
		text.len = (size_t)(scan->at - text.at);
	}
	return !scan->err && !span_decimal(text.at, text.len, unit_ns, ns);
}

/* A text; null is none. Returns false for another kind. */
static bool span_line_text(struct json_scan *scan, struct json_text *text)
{
	if (json_kind(scan) == '"')
		return json_text(scan, text);
	if (json_kind(scan) == '0') {
		/* A number as an id is its digits. */
		text->at = scan->at;
		json_skip(scan);
		text->len = (size_t)(scan->at - text->at);
		text->escaped = false;
		return !scan->err;
	}
	*text = (struct json_text){0};
	if (json_kind(scan) != 'n')
		return false;
	json_skip(scan);
	return !scan->err;
}

static bool span_line_value(struct json_scan *scan, enum span_key means, int64_t unit_ns,
	struct span_line *line, struct span_times *times)
{
	switch (means) {
	case SPAN_KEY_TRACE:
		return span_line_text(scan, &line->trace);
	case SPAN_KEY_ID:
		return span_line_text(scan, &line->id);
	case SPAN_KEY_PARENT:
		return span_line_text(scan, &line->parent);
	case SPAN_KEY_NAME:
		return span_line_text(scan, &line->name);
	case SPAN_KEY_START:
		times->has_start = span_line_time(scan, true, unit_ns, &times->start);
		return times->has_start;
	case SPAN_KEY_END:
		times->has_end = span_line_time(scan, true, unit_ns, &times->end);
		return times->has_end;
	case SPAN_KEY_DURATION:
		times->has_duration = span_line_time(scan, false, unit_ns, &times->duration);
		return times->has_duration;
	case SPAN_KEY_OTHER:
		json_skip(scan);
		return !scan->err;
	}
	return false;
}

/* Whether the pieces make a span. */
static bool span_line_settle(struct span_line *line, const struct span_times *times)
{
	int64_t end;

	if (!times->has_start || !(times->has_duration || times->has_end) || !line->name.at ||
		!line->name.len)
		return false;
	line->start_ns = times->start;
	end = times->end;
	if (times->has_duration &&
		(times->duration < 0 ||
			__builtin_add_overflow(times->start, times->duration, &end)))
		return false;
	line->duration_ns = (uint64_t)end - (uint64_t)times->start;
	return times->start >= -SPAN_TIME_MAX && end >= times->start && end <= SPAN_TIME_MAX;
}

static bool span_line_blank(const char *at, const char *end)
{
	while (at < end && (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n'))
		at++;
	return at == end;
}

/* The parent among what a span of Jaeger refers to: what it is a child of, or else follows. */
static bool span_line_references(struct json_scan *scan, struct span_line *line)
{
	json_enter(scan, '[');
	while (json_element(scan)) {
		struct json_text key, value, id = {0};
		bool is_child = false;

		json_enter(scan, '{');
		while (json_member(scan, &key)) {
			if (!json_text(scan, &value))
				continue;
			if (json_is(&key, "spanID"))
				id = value;
			else if (json_is(&key, "refType"))
				is_child = json_is(&value, "CHILD_OF");
		}
		if (id.at && (is_child || !line->parent.at))
			line->parent = id;
	}
	return !scan->err;
}

bool span_line_read_as(enum span_form form, const char *text, size_t len, struct span_line *line)
{
	struct span_times times = {0};
	struct json_scan scan;
	struct json_text key;

	*line = (struct span_line){0};
	json_begin(&scan, text, len);
	json_enter(&scan, '{');
	while (json_member(&scan, &key)) {
		int64_t unit_ns = 0;
		enum span_key means = span_key_of(key.at, key.len, &unit_ns);

		if (form == SPAN_FORM_JAEGER && json_is(&key, "references")) {
			if (!span_line_references(&scan, line))
				return false;
			continue;
		}
		if (form == SPAN_FORM_JAEGER && json_is(&key, "startTime"))
			means = SPAN_KEY_START;
		if (form == SPAN_FORM_JAEGER)
			unit_ns = 1000;
		if (!span_line_value(&scan, means, unit_ns, line, &times))
			return false;
	}
	return !scan.err && span_line_blank(scan.at, scan.end) && span_line_settle(line, &times);
}

bool span_line_read(const char *text, size_t len, struct span_line *line)
{
	return span_line_read_as(SPAN_FORM_LINES, text, len, line);
}

/* The closing quote of a string whose first byte is at; NULL where an escape or a control character
 * comes first, or the end. */
static inline const char *span_quote(const char *at, const char *end)
{
#ifdef __SSE2__
	const __m128i quote = _mm_set1_epi8('"'), back = _mm_set1_epi8('\\'),
		      control = _mm_set1_epi8(0x1f);

	for (; at < end; at += 16) {
		const __m128i bytes = _mm_loadu_si128((const __m128i *)at);
		const __m128i is_control = _mm_cmpeq_epi8(_mm_min_epu8(bytes, control), bytes);
		const __m128i stops = _mm_or_si128(
			_mm_or_si128(_mm_cmpeq_epi8(bytes, quote), _mm_cmpeq_epi8(bytes, back)),
			is_control);
		const unsigned int mask = (unsigned int)_mm_movemask_epi8(stops);

		if (mask) {
			at += __builtin_ctz(mask);
			return at < end && *at == '"' ? at : NULL;
		}
	}
	return NULL;
#else
	while (at < end && *at != '"' && *at != '\\' && (unsigned char)*at >= 0x20)
		at++;
	return at < end && *at == '"' ? at : NULL;
#endif
}

/* Whether the key at text is the one that is foretold. */
static inline bool span_key_foretold(const struct span_line_key *key, const char *text)
{
#ifdef __SSE2__
	const __m128i bytes = _mm_loadu_si128((const __m128i *)text),
		      wanted = _mm_loadu_si128((const __m128i *)key->text);
	const unsigned int equal = (unsigned int)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, wanted));

	if (key->len <= 16)
		return key->len && !(~equal & ((1u << key->len) - 1));
	return equal == 0xffff && !memcmp(text + 16, key->text + 16, key->len - 16u);
#else
	return key->len && !memcmp(text, key->text, key->len);
#endif
}

/* Learns the key at text, with its colon and one blank. False where it is not plain. */
static bool span_key_learn(struct span_line_key *key, const char *text, const char *end)
{
	const char *quote = *text == '"' ? span_quote(text + 1, end) : NULL;
	size_t len;

	if (!quote || quote + 2 >= end || quote[1] != ':')
		return false;
	len = (size_t)(quote - text) + 2 + (quote[2] == ' ');
	if (len > sizeof(key->text))
		return false;
	memcpy(key->text, text, len);
	key->len = (unsigned char)len;
	key->means = span_key_of(text + 1, (size_t)(quote - text) - 1, &key->unit_ns);
	return true;
}

static inline bool span_scan_text(const char **at, const char *end, struct json_text *text)
{
	const char *from = *at + 1, *quote = **at == '"' ? span_quote(from, end) : NULL;

	if (!quote)
		return false;
	*text = (struct json_text){from, (size_t)(quote - from), false};
	*at = quote + 1;
	return true;
}

/* "…T20:04:05.123456789Z" in an hour that is known. */
static inline bool span_scan_time(
	struct span_line_reader *reader, const struct json_text *text, int64_t *ns)
{
	const char *at = text->at + 14, *end = text->at + text->len - 1;
	int64_t fraction = 0, value;
	int left = 9, minute, second;

	if (text->len < 20 || *end != 'Z')
		return false;
	if (memcmp(reader->hour, text->at, 14) != 0) {
		const int64_t whole = span_time_seconds(text->at);

		if (whole == INT64_MIN)
			return false;
		memcpy(reader->hour, text->at, 14);
		reader->hour_ns = (whole - whole % 3600) * NS_PER_S;
		if (whole < 0) {
			reader->hour[0] = 0;
			return false;
		}
	}
	minute = span_digits(at, 2);
	second = span_digits(at + 3, 2);
	if (minute < 0 || minute > 59 || second < 0 || second > 60 || at[2] != ':')
		return false;
	value = reader->hour_ns + (minute * 60 + second) * NS_PER_S;
	if (at[5] == '.') {
		for (at += 6; left && at < end && *at >= '0' && *at <= '9'; at++, left--)
			fraction = fraction * 10 + (*at - '0');
		if (left == 9)
			return false;
		while (left--)
			fraction *= 10;
	} else {
		at += 5;
	}
	*ns = value + fraction;
	return at == end;
}

/* A whole number of nanoseconds that has room. */
static inline bool span_scan_number(const char **at, int64_t unit_ns, int64_t *ns)
{
	const char *from = *at, *digit = from;
	int64_t value = 0;

	for (; *digit >= '0' && *digit <= '9'; digit++)
		if (digit - from < 18)
			value = value * 10 + (*digit - '0');
	if (digit == from || digit - from > 18 || (*from == '0' && digit - from > 1) ||
		unit_ns > 1 || (*digit != ',' && *digit != '}'))
		return false;
	*ns = value;
	*at = digit;
	return true;
}

static inline bool span_scan_when(struct span_line_reader *reader, const char **at, const char *end,
	const struct span_line_key *key, int64_t *ns)
{
	struct json_text text;

	if (**at != '"')
		return span_scan_number(at, key->unit_ns, ns);
	return key->means != SPAN_KEY_DURATION && span_scan_text(at, end, &text) &&
		span_scan_time(reader, &text, ns);
}

static inline bool span_scan_value(struct span_line_reader *reader, const char **at,
	const char *end, const struct span_line_key *key, struct span_line *line,
	struct span_times *times)
{
	struct json_scan scan;

	switch (key->means) {
	case SPAN_KEY_TRACE:
		return span_scan_text(at, end, &line->trace);
	case SPAN_KEY_ID:
		return span_scan_text(at, end, &line->id);
	case SPAN_KEY_PARENT:
		return span_scan_text(at, end, &line->parent);
	case SPAN_KEY_NAME:
		return span_scan_text(at, end, &line->name);
	case SPAN_KEY_START:
		times->has_start = true;
		return span_scan_when(reader, at, end, key, &times->start);
	case SPAN_KEY_END:
		times->has_end = true;
		return span_scan_when(reader, at, end, key, &times->end);
	case SPAN_KEY_DURATION:
		times->has_duration = true;
		return span_scan_when(reader, at, end, key, &times->duration);
	case SPAN_KEY_OTHER:
		break;
	}
	json_begin(&scan, *at, (size_t)(end - *at));
	scan.depth = 1;
	json_skip(&scan);
	*at = scan.at;
	return !scan.err;
}

/* False where it is not sure. */
static bool span_scan_plain(
	struct span_line_reader *reader, const char *text, const char *end, struct span_line *line)
{
	struct span_times times = {0};
	const char *at = text + 1;
	size_t i;

	*line = (struct span_line){0};
	if (end - text < 2 || *text != '{')
		return false;
	for (i = 0; i < SPAN_KEYS && at < end; i++) {
		struct span_line_key *key = &reader->keys[i];

		if (!span_key_foretold(key, at) && !span_key_learn(key, at, end))
			return false;
		at += key->len;
		if (at >= end || !span_scan_value(reader, &at, end, key, line, &times) || at >= end)
			return false;
		if (*at == '}')
			return at + 1 == end && span_line_settle(line, &times);
		if (*at != ',')
			return false;
		at += 1 + (at[1] == ' ');
	}
	return false;
}

bool span_line_scan(
	struct span_line_reader *reader, const char *text, size_t len, struct span_line *line)
{
	return span_scan_plain(reader, text, text + len, line) || span_line_read(text, len, line);
}
