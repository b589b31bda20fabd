/* SPDX-License-Identifier: GPL-2.0-only */
/* What does a JSON text say, piece by piece, be it wrong, hostile or cut off? */
#include "base/banned.h"

#include <endian.h>
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/escape.h"
#include "base/json_read.h"
#include "base/str.h"

#define NUMBER_MAX 63 /* bytes of a number: 17 digits make a double, and one has an exponent */

void json_begin(struct json_scan *scan, const char *text, size_t len)
{
	*scan = (struct json_scan){.at = text, .end = text + len};
}

static bool json_refuse(struct json_scan *scan, int err, const char *wrong)
{
	if (!scan->err) {
		scan->err = err;
		scan->wrong = wrong;
	}
	return false;
}

static bool cut_off(struct json_scan *scan)
{
	return json_refuse(scan, -EAGAIN, "it breaks off");
}

/* The next byte that is no white space, or 0. */
static char json_peek(struct json_scan *scan)
{
	if (scan->err)
		return 0;
	while (scan->at < scan->end &&
		(*scan->at == ' ' || *scan->at == '\n' || *scan->at == '\r' || *scan->at == '\t'))
		scan->at++;
	if (scan->at == scan->end) {
		cut_off(scan);
		return 0;
	}
	if (!*scan->at)
		json_refuse(scan, -EINVAL, "a zero byte stands in it");
	return *scan->at;
}

char json_kind(struct json_scan *scan)
{
	char c = json_peek(scan);

	switch (c) {
	case '-':
	case '0' ... '9':
		return '0';
	case '{':
	case '[':
	case '"':
	case 't':
	case 'f':
	case 'n':
		return c;
	default:
		json_refuse(scan, -EINVAL, "no value stands where one is due");
		return 0;
	}
}

bool json_enter(struct json_scan *scan, char bracket)
{
	if (json_kind(scan) != bracket)
		return json_refuse(scan, -EINVAL,
			bracket == '{' ? "it is no object" : "no list stands where one is due");
	if (scan->depth == JSON_DEPTH_MAX)
		return json_refuse(scan, -E2BIG, "it is nested too deep");
	scan->at++;
	scan->depth++;
	scan->first = true;
	return true;
}

/* Passes the comma before the next value, or the end of the container. */
static bool next(struct json_scan *scan, char close)
{
	char c = json_peek(scan);

	if (!c)
		return false;
	if (c == close) {
		scan->at++;
		scan->depth--;
		scan->first = false;
		return false;
	}
	if (scan->first) {
		scan->first = false;
		return true;
	}
	if (c != ',')
		return json_refuse(scan, -EINVAL, "a comma is missing");
	scan->at++;
	return json_peek(scan) != 0;
}

/* Passes a string whose opening quote is at scan->at. A quote ends it unless an odd number of
 * backslashes stands before it. */
static bool pass_string(struct json_scan *scan, struct json_text *text)
{
	const char *start = scan->at + 1, *at = start, *quote;

	for (;;) {
		const char *back;

		quote = memchr(at, '"', (size_t)(scan->end - at));
		if (!quote)
			return cut_off(scan);
		for (back = quote; back > start && back[-1] == '\\'; back--)
			;
		if (!((quote - back) & 1))
			break;
		at = quote + 1;
	}
	scan->at = quote + 1;
	text->at = start;
	text->len = (size_t)(quote - start);
	return true;
}

/* A string that somebody wants, mostly a short one: control characters may not stand in it. Where
 * the text ends first, more may come. */
static bool take_string(struct json_scan *scan, struct json_text *text)
{
	const char *start = scan->at + 1, *at;
	bool escaped = false, control = false;

	for (at = start; at < scan->end && *at != '"'; at++) {
		control |= (unsigned char)*at < 0x20;
		if (*at != '\\')
			continue;
		escaped = true;
		if (++at == scan->end)
			break;
		control |= (unsigned char)*at < 0x20;
	}
	if (at >= scan->end)
		return cut_off(scan);
	scan->at = at + 1;
	if (control)
		return json_refuse(scan, -EINVAL, "a control character stands in a text");
	*text = (struct json_text){start, (size_t)(at - start), escaped};
	return true;
}

bool json_member(struct json_scan *scan, struct json_text *key)
{
	if (!next(scan, '}'))
		return false;
	if (*scan->at != '"')
		return json_refuse(scan, -EINVAL, "no key stands where one is due");
	if (!take_string(scan, key))
		return false;
	if (json_peek(scan) != ':')
		return json_refuse(scan, -EINVAL, "a colon is missing");
	scan->at++;
	return json_kind(scan) != 0;
}

bool json_element(struct json_scan *scan)
{
	return next(scan, ']') && json_kind(scan);
}

static bool pass_word(struct json_scan *scan, const char *word)
{
	size_t len = strlen(word), left = (size_t)(scan->end - scan->at);

	if (memcmp(scan->at, word, left < len ? left : len) != 0)
		return json_refuse(scan, -EINVAL, "a word that JSON does not have");
	if (left < len)
		return cut_off(scan);
	scan->at += len;
	return true;
}

static bool is_of_number(char c)
{
	return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
}

/* Passes what can be of a number. Where the text ends with it, more may come. */
static bool pass_number(struct json_scan *scan)
{
	while (scan->at < scan->end && is_of_number(*scan->at))
		scan->at++;
	return scan->at < scan->end || cut_off(scan);
}

/* So many bytes are looked at together where brackets are passed. */
#define BLOCK 64

/* Bit i: whether byte i of a block, with the bits of fold set, is c. */
static uint64_t block_mask(const char *block, char fold, char c)
{
	uint64_t mask = 0;
	unsigned int i;
#ifdef __SSE2__
	const __m128i with = _mm_set1_epi8(fold), wanted = _mm_set1_epi8(c);

#pragma GCC unroll 4
	for (i = 0; i < BLOCK; i += 16) {
		__m128i bytes = _mm_loadu_si128((const __m128i *)(block + i));
		__m128i equal = _mm_cmpeq_epi8(_mm_or_si128(bytes, with), wanted);

		mask |= (uint64_t)(unsigned int)_mm_movemask_epi8(equal) << i;
	}
#else
	const uint64_t ones = UINT64_C(0x0101010101010101), low = 0x7f * ones;
	uint64_t word;

	for (i = 0; i < BLOCK / 8; i++) {
		memcpy(&word, block + 8 * i, sizeof(word));
		word = (le64toh(word) | (unsigned char)fold * ones) ^ (unsigned char)c * ones;
		/* The highest bit of each byte that is 0 now, and these bits side by side. */
		word = ~(((word & low) + low) | word | low) >> 7;
		mask |= (word * UINT64_C(0x0102040810204080) >> 56) << 8 * i;
	}
#endif
	return mask;
}

/* Bit i: whether an odd number of bits up to it is set. */
static uint64_t odd_so_far(uint64_t bits)
{
	unsigned int by;

#pragma GCC unroll 6
	for (by = 1; by < 64; by *= 2)
		bits ^= bits << by;
	return bits;
}

/* Where one is among brackets: which kind each closes is kept, one bit a level. */
struct passing {
	uint64_t objects;
	unsigned int depth;
	bool inside;  /* of a string */
	bool escaped; /* the next byte is, of a string */
};

/* Returns whether the last bracket is closed, or one is wrong. */
static bool pass_bracket(struct json_scan *scan, struct passing *passing, char c)
{
	if (c == '{' || c == '[') {
		if (scan->depth + passing->depth++ >= JSON_DEPTH_MAX)
			return !json_refuse(scan, -E2BIG, "it is nested too deep");
		passing->objects = passing->objects << 1 | (c == '{');
		return false;
	}
	if ((passing->objects & 1) != (c == '}'))
		return !json_refuse(scan, -EINVAL, "a bracket closes another kind");
	passing->objects >>= 1;
	return !--passing->depth;
}

/* A byte at a time: where backslashes are, and at the end. Returns what pass_bracket does. */
static bool pass_bytes(struct json_scan *scan, struct passing *passing, const char *to)
{
	while (scan->at < to) {
		char c = *scan->at++;

		if (passing->inside) {
			bool ends = c == '"' && !passing->escaped;

			passing->escaped = c == '\\' && !passing->escaped;
			passing->inside = !ends;
		} else if (c == '"') {
			passing->inside = true;
		} else if ((c == '{' || c == '[' || c == '}' || c == ']') &&
			pass_bracket(scan, passing, c)) {
			return true;
		}
	}
	return false;
}

/* The same for a block without a backslash: of what is in strings nothing is looked at. */
static bool pass_block(struct json_scan *scan, struct passing *passing)
{
	const char *block = scan->at;
	uint64_t inside =
		odd_so_far(block_mask(block, 0, '"')) ^ (passing->inside ? ~UINT64_C(0) : 0);
	uint64_t brackets = (block_mask(block, 0x20, '{') | block_mask(block, 0x20, '}')) & ~inside;

	for (; brackets; brackets &= brackets - 1) {
		const char *at = block + __builtin_ctzll(brackets);

		if (pass_bracket(scan, passing, *at)) {
			scan->at = at + 1;
			return true;
		}
	}
	scan->at = block + BLOCK;
	passing->inside = inside >> 63;
	return false;
}

/* Passes brackets and what is in them. */
static bool pass_container(struct json_scan *scan)
{
	struct passing passing = {0};
	bool over = false;

	while (!over && scan->end - scan->at >= BLOCK) {
		if (passing.escaped || block_mask(scan->at, 0, '\\'))
			over = pass_bytes(scan, &passing, scan->at + BLOCK);
		else
			over = pass_block(scan, &passing);
	}
	if (!over)
		over = pass_bytes(scan, &passing, scan->end);
	return over ? !scan->err : cut_off(scan);
}

void json_skip(struct json_scan *scan)
{
	struct json_text text;

	switch (json_kind(scan)) {
	case '{':
	case '[':
		pass_container(scan);
		break;
	case '"':
		pass_string(scan, &text);
		break;
	case '0':
		pass_number(scan);
		break;
	case 't':
		pass_word(scan, "true");
		break;
	case 'f':
		pass_word(scan, "false");
		break;
	case 'n':
		pass_word(scan, "null");
		break;
	}
}

bool json_text(struct json_scan *scan, struct json_text *text)
{
	if (json_kind(scan) == '"')
		return take_string(scan, text);
	json_skip(scan);
	return false;
}

static const char *json_digits(const char *at)
{
	return at + strspn(at, "0123456789");
}

/* The number's grammar; strtod takes more than that. */
static bool json_matches_number(const char *text)
{
	const char *at = text + (*text == '-'), *from = at;

	at = json_digits(at);
	if (at == from || (*from == '0' && at - from > 1))
		return false;
	if (*at == '.') {
		from = ++at;
		at = json_digits(at);
		if (at == from)
			return false;
	}
	if (*at == 'e' || *at == 'E') {
		at++;
		at += *at == '-' || *at == '+';
		from = at;
		at = json_digits(at);
		if (at == from)
			return false;
	}
	return !*at;
}

bool json_number(struct json_scan *scan, double *number)
{
	const char *start;
	char text[NUMBER_MAX + 1];
	double value;
	size_t len;

	if (json_kind(scan) != '0') {
		json_skip(scan);
		return false;
	}
	start = scan->at;
	if (!pass_number(scan))
		return false;
	len = (size_t)(scan->at - start);
	if (len > NUMBER_MAX)
		return json_refuse(scan, -EINVAL, "a number is too long");
	memcpy(text, start, len);
	text[len] = 0;
	if (!json_matches_number(text))
		return json_refuse(scan, -EINVAL, "a number is none");
	value = strtod(text, NULL);
	/* 1e999 has no value that could be compared with anything. */
	if (!isfinite(value))
		return false;
	*number = value;
	return true;
}

bool json_bool(struct json_scan *scan, bool *value)
{
	char kind = json_kind(scan);

	json_skip(scan);
	if (scan->err || (kind != 't' && kind != 'f'))
		return false;
	*value = kind == 't';
	return true;
}

static uint32_t hex4(const char *at)
{
	uint32_t code = 0;
	int i;

	for (i = 0; i < 4; i++) {
		char c = at[i];
		uint32_t digit = c >= '0' && c <= '9' ? (uint32_t)(c - '0')
			: c >= 'a' && c <= 'f'	      ? (uint32_t)(c - 'a') + 10
			: c >= 'A' && c <= 'F'	      ? (uint32_t)(c - 'A') + 10
						      : 16;

		if (digit > 15)
			return UINT32_MAX;
		code = code << 4 | digit;
	}
	return code;
}

/* Appends a code point; U+0000 would end a C string, and half a pair is no character. */
static void add_code(struct str *out, uint32_t code)
{
	if (!code || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
		code = 0xfffd;
	if (code < 0x80) {
		str_addc(out, (char)code);
		return;
	}
	if (code >= 0x10000) {
		str_addc(out, (char)(0xf0 | code >> 18));
		str_addc(out, (char)(0x80 | (code >> 12 & 0x3f)));
	} else if (code >= 0x800) {
		str_addc(out, (char)(0xe0 | code >> 12));
	}
	if (code >= 0x800)
		str_addc(out, (char)(0x80 | (code >> 6 & 0x3f)));
	else
		str_addc(out, (char)(0xc0 | code >> 6));
	str_addc(out, (char)(0x80 | (code & 0x3f)));
}

/* One \uXXXX, or two that are a pair. Returns the bytes that it took of text. */
static size_t add_unicode(struct str *out, const char *at, size_t left)
{
	uint32_t high = left >= 6 ? hex4(at + 2) : UINT32_MAX, low;

	if (high >= 0xd800 && high < 0xdc00 && left >= 12 && at[6] == '\\' && at[7] == 'u') {
		low = hex4(at + 8);
		if (low >= 0xdc00 && low < 0xe000) {
			add_code(out, 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00));
			return 12;
		}
	}
	add_code(out, high);
	return left < 6 ? left : 6;
}

/* One escape. Returns the bytes that it took of text; an unknown one is its letter. */
static size_t add_escape(struct str *out, const char *at, size_t left)
{
	static const char letters[] = "bfnrt", meant[] = "\b\f\n\r\t";
	const char *found;

	if (left < 2)
		return left;
	if (at[1] == 'u')
		return add_unicode(out, at, left);
	found = at[1] ? strchr(letters, at[1]) : NULL;
	str_addc(out, found ? meant[found - letters] : at[1]);
	return 2;
}

void json_add_text(struct str *out, const struct json_text *text, size_t max)
{
	struct str raw = STR_INIT, valid = STR_INIT;
	size_t i = 0, cut;

	/* No escape is shorter than what it stands for: six bytes for at most three. */
	while (i < text->len && raw.len <= max) {
		const char *at = text->at + i;

		if (*at == '\\') {
			i += add_escape(&raw, at, text->len - i);
		} else {
			str_addc(&raw, *at);
			i++;
		}
	}
	escape_utf8(&valid, str_text(&raw));
	cut = valid.len;
	if (cut > max)
		for (cut = max; cut && ((unsigned char)valid.text[cut] & 0xc0) == 0x80; cut--)
			;
	str_addn(out, str_text(&valid), cut);
	str_free(&raw);
	str_free(&valid);
}
