/* SPDX-License-Identifier: GPL-2.0-only */
/* Which lines, words and numbers are in this text? */
#include "base/banned.h"
#include "base/num.h"
#include "sources/common/parse_text.h"
#include "sample/sink.h"

#define NAME_SIZE 256

static bool text_is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static void skip(struct bytes *text, size_t n)
{
	text->data += n;
	text->len -= n;
}

static void text_skip_blanks(struct bytes *text)
{
	while (text->len && text_is_blank(*text->data))
		skip(text, 1);
}

bool text_until(struct bytes *rest, char c, struct bytes *before)
{
	const char *at = rest->len ? memchr(rest->data, c, rest->len) : NULL;

	if (!at)
		return false;
	*before = (struct bytes){rest->data, (size_t)(at - rest->data)};
	skip(rest, before->len + 1);
	return true;
}

bool text_line(struct bytes *rest, struct bytes *line)
{
	return text_until(rest, '\n', line);
}

bool text_any_line(struct bytes *rest, struct bytes *line)
{
	if (text_line(rest, line))
		return true;
	*line = *rest;
	skip(rest, rest->len);
	return line->len > 0;
}

bool text_word(struct bytes *rest, struct bytes *word)
{
	size_t n = 0;

	text_skip_blanks(rest);
	while (n < rest->len && !text_is_blank(rest->data[n]))
		n++;
	*word = (struct bytes){rest->data, n};
	if (n)
		skip(rest, n);
	return n > 0;
}

bool text_starts(struct bytes text, const char *prefix)
{
	size_t n = strlen(prefix);

	return text.len >= n && !memcmp(text.data, prefix, n);
}

bool text_is(struct bytes text, const char *what)
{
	return text.len == strlen(what) && text_starts(text, what);
}

bool text_cut_end(struct bytes *text, const char *end)
{
	size_t n = strlen(end);

	if (text->len < n || memcmp(text->data + text->len - n, end, n) != 0)
		return false;
	text->len -= n;
	return true;
}

/* The digits behind the point, if there are any. */
static bool fraction(struct bytes *word, double *value)
{
	double scale = 0.1;
	size_t digits = 0;

	skip(word, 1);
	for (; word->len && *word->data >= '0' && *word->data <= '9'; skip(word, 1)) {
		*value += scale * (*word->data - '0');
		scale /= 10;
		digits++;
	}
	return digits > 0;
}

bool text_number(struct bytes word, double *out)
{
	bool negative = word.len && *word.data == '-';
	const char *at = word.data + negative, *end = word.data + word.len;
	uint64_t whole;
	double value;

	if (!word.len || at == end || *at < '0' || *at > '9' || num_next(&at, end, &whole))
		return false;
	value = (double)whole;
	skip(&word, (size_t)(at - word.data));
	if (word.len && *word.data == '.' && !fraction(&word, &value))
		return false;
	if (word.len)
		return false;
	*out = negative && value > 0 ? -value : value;
	return true;
}

bool text_next_number(struct bytes *rest, double *out)
{
	struct bytes after = *rest, word;

	if (!text_word(&after, &word) || !text_number(word, out))
		return false;
	*rest = after;
	return true;
}

bool text_copy(struct bytes text, char *buf, size_t size)
{
	if (!text.len || text.len >= size || memchr(text.data, 0, text.len))
		return false;
	memcpy(buf, text.data, text.len);
	buf[text.len] = 0;
	return true;
}

void text_put(struct sink *sink, const char *instance, const char *prefix, struct bytes name,
	double value)
{
	char field[NAME_SIZE];
	size_t n = strlen(prefix);

	/* Nothing that the kernel counts by name is below 0: a negative number is a broken one. */
	if (value < 0)
		return;
	if (n >= sizeof(field) || !text_copy(name, field + n, sizeof(field) - n))
		return;
	memcpy(field, prefix, n);
	sink_put(sink, instance, field, value);
}

void text_put_columns(struct sink *sink, const char *instance, const char *const *names, size_t n,
	struct bytes words)
{
	double value;
	size_t i;

	for (i = 0; i < n && text_next_number(&words, &value); i++)
		sink_put(sink, instance, names[i], value);
}

void text_put_pairs(struct bytes text, struct sink *sink, const char *instance, const char *prefix)
{
	struct bytes line, name;
	double value;

	while (text_line(&text, &line))
		if (text_word(&line, &name) && text_next_number(&line, &value))
			text_put(sink, instance, prefix, name, value);
}

int text_source(struct capture *fs, const char *path,
	void (*parse)(struct bytes text, struct sink *sink), struct sink *sink)
{
	struct bytes text;
	int err = capture_read(fs, path, &text);

	if (err)
		sink_missing(sink, "%s: %s", path, strerror(-err));
	else
		parse(text, sink);
	return err;
}
