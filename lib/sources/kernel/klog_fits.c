/* SPDX-License-Identifier: GPL-2.0-only */
/* Does a line of the kernel's log fit a pattern? */
#include "base/banned.h"

#include <string.h>

#include "sources/kernel/klog_fits.h"

/* Tables, since this is asked of each byte of a log. */
static const bool klog_name_bytes[256] = {
	['0' ... '9'] = true,
	['A' ... 'Z'] = true,
	['a' ... 'z'] = true,
	['_'] = true,
	['.'] = true,
	[':'] = true,
	['/'] = true,
	['!'] = true,
	['+'] = true,
	['-'] = true,
	['%'] = true,
	['~'] = true,
};
static const bool klog_wildcards[256] = {
	['%'] = true,
	['~'] = true,
	['?'] = true,
	['@'] = true,
	['&'] = true,
	['*'] = true,
	['^'] = true,
};

/* As many bytes as may stand for a wildcard at the beginning of text. */
static size_t klog_wildcard_max(char wildcard, struct bytes text)
{
	size_t n = 0;

	switch (wildcard) {
	case '%':
	case '~':
		while (n < text.len && klog_name_bytes[(unsigned char)text.data[n]])
			n++;
		return n;
	case '?':
		while (n < text.len && text.data[n] >= '0' && text.data[n] <= '9')
			n++;
		return n;
	case '^':
		while (n < text.len && text.data[n] != ')')
			n++;
		return n;
	case '@':
		return text.len < KLOG_PROGRAM_MAX ? text.len : KLOG_PROGRAM_MAX;
	default:
		return text.len;
	}
}

/* The first place from n to most where this byte stands, or one behind most. */
static size_t klog_skip_to(struct bytes text, size_t n, size_t most, char byte)
{
	size_t end = most < text.len ? most + 1 : text.len;
	const char *at = n < end ? memchr(text.data + n, byte, end - n) : NULL;

	return at ? (size_t)(at - text.data) : most + 1;
}

/* The fewest bytes with which the rest fits; all, where the pattern ends with the wildcard. */
static bool klog_fits_wildcard(struct bytes line, const char *pattern, struct bytes *instance)
{
	char wildcard = *pattern++;
	size_t most = klog_wildcard_max(wildcard, line);
	size_t n = wildcard == '*' || wildcard == '&' || wildcard == '^' ? 0 : 1;
	bool is_letter = *pattern && *pattern != '$' && !klog_wildcards[(unsigned char)*pattern];

	if (!*pattern && most > n)
		n = most;
	for (; n <= most; n++) {
		if (is_letter)
			n = klog_skip_to(line, n, most, *pattern);
		if (n <= most &&
			klog_fits((struct bytes){line.data + n, line.len - n}, pattern, instance))
			break;
	}
	if (n > most)
		return false;
	if (wildcard == '%' || wildcard == '@' || wildcard == '&')
		*instance = (struct bytes){line.data, n};
	return true;
}

bool klog_fits(struct bytes line, const char *pattern, struct bytes *instance)
{
	for (; *pattern; pattern++) {
		if (*pattern == '$')
			return !line.len;
		if (klog_wildcards[(unsigned char)*pattern])
			return klog_fits_wildcard(line, pattern, instance);
		if (!line.len || *line.data != *pattern)
			return false;
		line.data++;
		line.len--;
	}
	return true;
}

static void klog_pairs_add(struct klog_pairs *pairs, char first, char second)
{
	unsigned int bit = ((unsigned int)(unsigned char)first * 7 + (unsigned char)second) & 255;

	pairs->bits[bit / 64] |= (uint64_t)1 << bit % 64;
}

struct klog_pairs klog_pairs_of_line(struct bytes line)
{
	struct klog_pairs pairs = {0};
	size_t i;

	for (i = 1; i < line.len; i++)
		klog_pairs_add(&pairs, line.data[i - 1], line.data[i]);
	return pairs;
}

struct klog_pairs klog_pairs_of_pattern(const char *pattern)
{
	struct klog_pairs pairs = {0};

	for (; *pattern && *pattern != '$'; pattern++)
		if (pattern[1] && pattern[1] != '$' && !klog_wildcards[(unsigned char)pattern[0]] &&
			!klog_wildcards[(unsigned char)pattern[1]])
			klog_pairs_add(&pairs, pattern[0], pattern[1]);
	return pairs;
}
