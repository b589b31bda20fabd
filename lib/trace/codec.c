/* SPDX-License-Identifier: GPL-2.0-only */
/* What does the answer of the child that traced say? It may be anybody's: it is in recordings too.
 */
#include "base/banned.h"
#include <errno.h>

#include "base/hex.h"
#include "trace/histogram.h"
#include "base/num.h"
#include "capture/capture.h"
#include "base/str.h"
#include "trace/codec.h"
#include "trace/result_data.h"
#include "sample/instances.h"

#define ROWS_MAX (TRACE_INSTANCES * TRACE_INSTANCE_CPUS)

void trace_blob_text(struct str *out, const char *text)
{
	str_add(out, " =");
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c > ' ' && c < 0x7f && c != '%')
			str_addc(out, *text);
		else
			str_addf(out, "%%%02x", c);
	}
}

/* The rest of a line. */
struct line {
	const char *at;
	const char *end;
};

/* The next word, up to a blank. Returns its length, 0 at the end of the line. */
static size_t codec_next_word(struct line *line, const char **word)
{
	while (line->at < line->end && *line->at == ' ')
		line->at++;
	*word = line->at;
	while (line->at < line->end && *line->at != ' ')
		line->at++;
	return (size_t)(line->at - *word);
}

static bool next_is(struct line *line, const char *expected)
{
	const char *word;
	struct line before = *line;
	size_t len = codec_next_word(line, &word);

	if (len == strlen(expected) && !memcmp(word, expected, len))
		return true;
	*line = before;
	return false;
}

static bool next_number(struct line *line, uint64_t *out)
{
	const char *word;
	size_t len = codec_next_word(line, &word);

	return len && !num_next(&word, line->at, out) && word == line->at;
}

static bool next_numbers(struct line *line, uint64_t *const *out, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (!next_number(line, out[i]))
			return false;
	return true;
}

/* A text behind '=', cut to size. A byte 0 ends it. */
static bool next_text(struct line *line, char *out, size_t size)
{
	const char *word;
	size_t len = codec_next_word(line, &word), i, n = 0;

	if (!len || *word != '=')
		return false;
	for (i = 1; i < len && n + 1 < size; i++) {
		char c = word[i];

		if (c == '%') {
			int byte = i + 2 < len ? hex_byte(word + i + 1, HEX_ANY) : -1;

			if (byte < 0)
				return false;
			c = (char)byte;
			i += 2;
		}
		if (!c)
			break;
		out[n++] = c;
	}
	out[n] = 0;
	return true;
}

/* What the lines so far were about. */
struct parsing {
	struct traces *traces;
	struct trace_result *result; /* NULL: none that was asked for */
	size_t *row_of_line;	     /* of the instance lines of this result */
	size_t n_lines, room_lines;
};

static void parse_trace(struct parsing *parsing, struct line *line)
{
	char check[128], name[128];
	size_t i;

	parsing->result = NULL;
	parsing->n_lines = 0;
	if (!next_text(line, check, sizeof(check)) || !next_text(line, name, sizeof(name)))
		return;
	for (i = 0; i < parsing->traces->n; i++) {
		struct trace_result *result = &parsing->traces->list[i];

		if (strcmp(result->check, check) != 0 || strcmp(result->name, name) != 0)
			continue;
		/* A second answer to the same question is not listened to. */
		if (result->seen)
			return;
		result->seen = true;
		parsing->result = result;
		return;
	}
	if (i == parsing->traces->n && strchr(name, '.'))
		parsing->result = traces_add_field(parsing->traces, check, name);
	if (parsing->result)
		parsing->result->seen = true;
}

static void parse_phrase(struct line *line, char **out)
{
	char text[512];

	if (!*out && next_text(line, text, sizeof(text)))
		*out = mem_strdup(text);
}

static void parse_unit(struct trace_result *result, struct line *line)
{
	if (next_is(line, "value"))
		result->unit = TRACE_VALUE;
	else if (next_is(line, "none"))
		result->unit = TRACE_NONE;
	else
		result->unit = TRACE_NS;
}

static void parse_cost(struct trace_result *result, struct line *line)
{
	uint64_t known = 0, run_ns = 0, run_count = 0, start_ns = 0;
	uint64_t *const all[] = {&known, &run_ns, &run_count, &start_ns};

	if (next_numbers(line, all, ARRAY_SIZE(all)))
		result->cost = (struct trace_cost){
			.known = known == 1,
			.run_ns = run_ns,
			.run_count = run_count,
			.start_ns = start_ns,
		};
}

/* Whether text is MAJOR:MINOR: it becomes part of a path. */
static bool is_device_number(const char *text)
{
	size_t major = strspn(text, "0123456789"), minor;

	if (!major || text[major] != ':')
		return false;
	minor = strspn(text + major + 1, "0123456789");
	return minor && !text[major + 1 + minor];
}

/* Replaces a device's number by its name, as /proc/diskstats has it. */
static void name_device(struct capture *fs, char *text, size_t size)
{
	char target[512], *path, *base;

	if (!fs || !is_device_number(text))
		return;
	path = mem_printf("/sys/dev/block/%s", text);
	if (!capture_readlink(fs, path, target, sizeof(target))) {
		base = strrchr(target, '/');
		base = base ? base + 1 : target;
		if (*base)
			snprintf(text, size, "%.*s", (int)size - 1, base);
		for (; *text; text++)
			if (*text == '!')
				*text = '/';
	}
	free(path);
}

/* The number of the row of an instance, made if need be; negative where there is no more room. */
static long codec_row_of(struct trace_result *result, bool is_one, const char *name)
{
	size_t row = 0;

	/* Either there is one row or there are instances. */
	if (is_one ? result->instances != NULL : !result->instances && result->n_rows)
		return -1;
	if (!is_one) {
		long known;

		if (!result->instances)
			result->instances = instances_new();
		known = instances_find(result->instances, name);
		if (known < 0 && result->n_rows >= ROWS_MAX)
			return -1;
		row = instances_intern(result->instances, name);
	}
	if (row < result->n_rows)
		return (long)row;
	ARRAY_GROW(result->rows, result->n_rows, result->room_rows);
	memset(&result->rows[result->n_rows++], 0, sizeof(*result->rows));
	return (long)row;
}

/* Adds the slots in the rest of a line. Returns the events in them. */
static uint64_t parse_slots(struct line *line, struct hist *hist)
{
	const char *word;
	uint64_t slot, count, all = 0;

	while (codec_next_word(line, &word)) {
		if (num_next(&word, line->at, &slot) || word == line->at || *word++ != ':' ||
			num_next(&word, line->at, &count) || slot >= HIST_SLOTS)
			break;
		hist->slots[slot] += count;
		all += count;
	}
	return all;
}

static void parse_instance(struct parsing *parsing, struct line *line)
{
	struct trace_result *result = parsing->result;
	bool is_one = next_is(line, "one"), is_device = next_is(line, "device");
	struct hist *hist;
	uint64_t count = 0, total = 0, max = 0;
	uint64_t *const all[] = {&count, &total, &max};
	char name[128];
	long row;

	if (!is_one && !is_device && !next_is(line, "text"))
		return;
	if (!next_text(line, name, sizeof(name)) || !next_numbers(line, all, ARRAY_SIZE(all)))
		return;
	if (is_device)
		name_device(parsing->traces->fs, name, sizeof(name));
	row = codec_row_of(result, is_one, *name ? name : "?");
	if (row < 0 || parsing->n_lines >= ROWS_MAX)
		return;
	ARRAY_GROW(parsing->row_of_line, parsing->n_lines, parsing->room_lines);
	parsing->row_of_line[parsing->n_lines++] = (size_t)row;
	hist = &result->rows[row].hist;
	hist->count += count;
	hist->total += total;
	if (max > hist->max)
		hist->max = max;
	parse_slots(line, hist);
}

/* Takes somebody who does not count away from his row. The rest of the line is his histogram; a
 * tracer of its own, or one by instances, has none of each. */
static void ignore_who(struct trace_row *row, const struct trace_who *who, struct line *line)
{
	struct hist *theirs = mem_zalloc(sizeof(*theirs));

	theirs->count = who->count;
	theirs->total = who->total;
	row->ignored_count += who->count;
	row->blurred |= who->count && !parse_slots(line, theirs);
	hist_subtract(&row->hist, theirs);
	free(theirs);
}

static void parse_who(struct parsing *parsing, struct line *line)
{
	struct trace_result *result = parsing->result;
	struct trace_who who = {0};
	uint64_t instance;
	uint64_t *const sums[] = {&who.count, &who.total};
	bool is_device;

	if (result->n_whos >= TRACE_CULPRITS || !next_number(line, &instance) ||
		instance >= parsing->n_lines)
		return;
	who.row = parsing->row_of_line[instance];
	who.victim = next_is(line, "victim");
	if (!who.victim && !next_is(line, "blamed"))
		return;
	if (!next_text(line, who.kind, sizeof(who.kind)))
		return;
	is_device = next_is(line, "device");
	if (!is_device && !next_is(line, "text"))
		return;
	if (!next_text(line, who.name, sizeof(who.name)) ||
		!next_text(line, who.id, sizeof(who.id)) ||
		!next_numbers(line, sums, ARRAY_SIZE(sums)))
		return;
	if (is_device)
		name_device(parsing->traces->fs, who.name, sizeof(who.name));
	who.ignored = str_matches(who.name, result->ignore);
	/* Victims are charged with the same events once more. */
	if (who.ignored && !who.victim)
		ignore_who(&result->rows[who.row], &who, line);
	ARRAY_GROW(result->whos, result->n_whos, result->room_whos);
	result->whos[result->n_whos++] = who;
}

static void parse_fact(struct trace_result *result, struct line *line)
{
	uint64_t *const lost[] = {&result->lost_starts, &result->lost_instances,
		&result->lost_culprits, &result->misses};
	uint64_t *const left_out[] = {&result->background, &result->throttled};
	uint64_t *const ran[] = {&result->ran_ns}, *const asked[] = {&result->asked_ns};
	uint64_t *const away[] = {&result->away_ns, &result->budget};

	if (next_is(line, "missing"))
		parse_phrase(line, &result->missing);
	else if (next_is(line, "method"))
		parse_phrase(line, &result->method);
	else if (next_is(line, "fallback"))
		result->fallback = true;
	else if (next_is(line, "apart") && !result->instances && !result->n_rows)
		result->instances = instances_new();
	else if (next_is(line, "unit"))
		parse_unit(result, line);
	else if (next_is(line, "ran"))
		next_numbers(line, ran, ARRAY_SIZE(ran));
	else if (next_is(line, "asked"))
		next_numbers(line, asked, ARRAY_SIZE(asked));
	else if (next_is(line, "away"))
		next_numbers(line, away, ARRAY_SIZE(away));
	else if (next_is(line, "lost"))
		next_numbers(line, lost, ARRAY_SIZE(lost));
	else if (next_is(line, "left-out"))
		next_numbers(line, left_out, ARRAY_SIZE(left_out));
	else if (next_is(line, "cost"))
		parse_cost(result, line);
}

static void codec_parse_line(struct parsing *parsing, struct line *line)
{
	if (next_is(line, "trace"))
		parse_trace(parsing, line);
	else if (!parsing->result)
		return;
	else if (next_is(line, "instance"))
		parse_instance(parsing, line);
	else if (next_is(line, "who"))
		parse_who(parsing, line);
	else
		parse_fact(parsing->result, line);
}

int trace_blob_parse(struct traces *traces, const char *data, size_t len)
{
	struct parsing parsing = {.traces = traces};
	const char *at = data, *end = data + len;

	if (len < strlen(TRACE_BLOB_FIRST_LINE) ||
		memcmp(data, TRACE_BLOB_FIRST_LINE, strlen(TRACE_BLOB_FIRST_LINE)) != 0)
		return -EINVAL;
	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		struct line line = {at, newline ? newline : end};

		at = newline ? newline + 1 : end;
		codec_parse_line(&parsing, &line);
	}
	free(parsing.row_of_line);
	return 0;
}
