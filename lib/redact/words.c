/* SPDX-License-Identifier: GPL-2.0-only */
/* Is this word a name that somebody chose, an address, a number, or the kernel's own? */
#include "base/banned.h"

#include <arpa/inet.h>
#include <ctype.h>

#include "redact/words.h"
#include "base/str.h"
#include "redact/siphash.h"
#include "redact/vocabulary.h"

/* What replaces a word: "x" and letters for 50 bits. */
#define HASH_LETTERS 10
#define WORD_MAX 4096
#define DIGITS_MAX 5

static void redact_add_hash(
	const struct words *words, const char *text, size_t len, struct str *out)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz234567";
	uint64_t hash = siphash(words->key, text, len);
	int i;

	str_addc(out, 'x');
	for (i = 0; i < HASH_LETTERS; i++, hash >>= 5)
		str_addc(out, letters[hash & 31]);
}

/* Addresses. */

static bool is_special_ipv4(const uint8_t a[4])
{
	return a[0] == 127 || !(a[0] | a[1] | a[2] | a[3]) || (a[0] & a[1] & a[2] & a[3]) == 255;
}

/* Four rounds of Feistel: another address for each address, so that no two become one. */
static void permute(const struct words *words, uint8_t a[4])
{
	uint16_t left = (uint16_t)(a[0] << 8 | a[1]), right = (uint16_t)(a[2] << 8 | a[3]);
	int round;

	for (round = 0; round < 4; round++) {
		uint8_t input[] = {4, (uint8_t)round, (uint8_t)(right >> 8), (uint8_t)right};
		uint16_t next = (uint16_t)(left ^ siphash(words->key, input, sizeof(input)));

		left = right;
		right = next;
	}
	a[0] = (uint8_t)(left >> 8);
	a[1] = (uint8_t)left;
	a[2] = (uint8_t)(right >> 8);
	a[3] = (uint8_t)right;
}

void redact_ipv4(const struct words *words, uint8_t address[4])
{
	if (is_special_ipv4(address))
		return;
	do
		permute(words, address);
	while (is_special_ipv4(address));
}

void redact_ipv6(const struct words *words, uint8_t address[16])
{
	static const uint8_t mapped[12] = {[10] = 255, [11] = 255};
	static const uint8_t zero[15];
	uint8_t input[17] = {6};
	uint64_t hash;

	/* "any" and loopback */
	if (!memcmp(address, zero, 15) && address[15] <= 1)
		return;
	if (!memcmp(address, mapped, 12)) {
		redact_ipv4(words, address + 12);
		return;
	}
	memcpy(input + 1, address, 16);
	hash = siphash(words->key, input, sizeof(input));
	memcpy(address, &hash, 8);
	input[0] = 7;
	hash = siphash(words->key, input, sizeof(input));
	memcpy(address + 8, &hash, 8);
	address[0] = 0xfd;
}

/* "10.0.0.1", with a port or without. */
static bool add_ipv4(const struct words *words, const char *word, size_t len, struct str *out)
{
	const char *colon = memchr(word, ':', len);
	size_t n = colon ? (size_t)(colon - word) : len;
	char text[INET_ADDRSTRLEN];
	uint8_t address[4];

	if (n >= sizeof(text))
		return false;
	memcpy(text, word, n);
	text[n] = 0;
	if (inet_pton(AF_INET, text, address) != 1)
		return false;
	redact_ipv4(words, address);
	inet_ntop(AF_INET, address, text, sizeof(text));
	str_add(out, text);
	if (colon)
		str_addn(out, colon, len - n);
	return true;
}

static bool add_ipv6(const struct words *words, const char *word, size_t len, struct str *out)
{
	char text[INET6_ADDRSTRLEN];
	uint8_t address[16];

	if (len >= sizeof(text))
		return false;
	memcpy(text, word, len);
	text[len] = 0;
	if (inet_pton(AF_INET6, text, address) != 1)
		return false;
	redact_ipv6(words, address);
	inet_ntop(AF_INET6, address, text, sizeof(text));
	str_add(out, text);
	return true;
}

/* "52:54:00:12:34:56": a card of nobody, administered locally. */
static bool add_mac(const struct words *words, const char *word, size_t len, struct str *out)
{
	uint64_t hash;
	size_t i;

	if (len != 17)
		return false;
	for (i = 0; i < len; i++)
		if (i % 3 == 2 ? word[i] != ':' : !isxdigit((unsigned char)word[i]))
			return false;
	hash = siphash(words->key, word, len);
	str_addf(out, "02:%02x:%02x:%02x:%02x:%02x", (unsigned int)(hash & 255),
		(unsigned int)(hash >> 8 & 255), (unsigned int)(hash >> 16 & 255),
		(unsigned int)(hash >> 24 & 255), (unsigned int)(hash >> 32 & 255));
	return true;
}

/* Words. */

static bool redact_is_known(const struct words *words, const char *word, size_t len)
{
	return vocabulary_has(words->vocabulary, word, len) ||
		(words->more && vocabulary_has(words->more, word, len));
}

/* "sda", "vdb", "xvdaa": letters behind a kind of disk. */
static bool is_lettered_disk(const char *word, size_t len)
{
	size_t at = len && *word == 'x' ? 1 : 0;
	size_t letters;

	if (len < at + 3 || len > at + 5 || !strchr("svh", word[at]) || word[at + 1] != 'd')
		return false;
	for (letters = at + 2; letters < len; letters++)
		if (word[letters] < 'a' || word[letters] > 'z')
			return false;
	return true;
}

/* "nvme0n1p2", "mmcblk0p1", "0000" with letters between numbers, as in enp0s3. */
static bool is_numbered(const char *word, size_t len)
{
	static const char *const kinds[] = {"nvme", "mmcblk", "enp", "eno", "ens", "md", "nbd"};
	size_t i, k;

	for (k = 0; k < ARRAY_SIZE(kinds); k++) {
		size_t n = strlen(kinds[k]);

		if (len <= n || memcmp(word, kinds[k], n) != 0)
			continue;
		for (i = n; i < len; i++)
			if (!isdigit((unsigned char)word[i]) &&
				(!strchr("nspfcb", word[i]) || i + 1 == len ||
					!isdigit((unsigned char)word[i + 1])))
				return false;
		return true;
	}
	return false;
}

static bool all_digits(const char *word, size_t len)
{
	while (len && isdigit((unsigned char)word[len - 1]))
		len--;
	return !len;
}

/* "0x1f": a number, up to the eleven digits that no address of a network card has; and what a
 * counter of 64 bits says that counts nothing. */
static bool redact_is_hexadecimal(const char *word, size_t len)
{
	size_t i;

	if (len == 18 && !memcmp(word, "0xffffffffffffffff", 18))
		return true;
	for (i = 2; i < len && isxdigit((unsigned char)word[i]); i++)
		;
	return i == len && len <= 13;
}

/* "10ms", "4kB", "0x1f": numbers too. */
static bool redact_is_number(const char *word, size_t len)
{
	static const char *const units[] = {
		"ns", "us", "ms", "s", "k", "K", "M", "G", "T", "kB", "KB", "MB", "GB", "B", "%"};
	size_t digits = 0, i;

	if (len > 2 && word[0] == '0' && word[1] == 'x')
		return redact_is_hexadecimal(word, len);
	while (digits < len && word[digits] && strchr("0123456789.,:+-", word[digits]))
		digits++;
	if (digits == len)
		return true;
	if (!digits || !isdigit((unsigned char)word[digits - 1]))
		return false;
	for (i = 0; i < ARRAY_SIZE(units); i++)
		if (strlen(units[i]) == len - digits &&
			!memcmp(units[i], word + digits, len - digits))
			return true;
	return false;
}

/* A part of a word between punctuation. */
static bool part_stays(const struct words *words, const char *part, size_t len)
{
	size_t letters = len;

	if (len <= 1 || all_digits(part, len) || redact_is_known(words, part, len))
		return true;
	/* "function+0x1f4/0x3c0" */
	if (part[1] == 'x' && redact_is_number(part, len))
		return true;
	while (letters && isdigit((unsigned char)part[letters - 1]))
		letters--;
	if (is_numbered(part, len))
		return true;
	/* One letter and a number is a version, a CPU list, a field; many digits are an id. */
	return len - letters <= DIGITS_MAX &&
		(letters <= 1 || redact_is_known(words, part, letters) ||
			is_lettered_disk(part, letters));
}

static bool has_digits_only(const char *word, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (isalpha((unsigned char)word[i]) || (unsigned char)word[i] >= 0x80)
			return false;
	return true;
}

/* Whether every part of a word may stay. Bytes beyond ASCII are nobody's but its writer's. */
static bool word_stays(const struct words *words, const char *word, size_t len)
{
	size_t at = 0;

	while (at < len) {
		size_t n = 0;

		while (at + n < len && isalnum((unsigned char)word[at + n]))
			n++;
		if (!part_stays(words, word + at, n))
			return false;
		at += n;
		if (at < len && (unsigned char)word[at++] >= 0x80)
			return false;
	}
	return true;
}

/* "0000:00:1f.2" */
static bool is_pci_address(const char *word, size_t len)
{
	static const char shape[] = "hhhh:hh:hh.d";
	size_t i;

	if (len != strlen(shape))
		return false;
	for (i = 0; i < len; i++)
		if (shape[i] == 'h'		  ? !isxdigit((unsigned char)word[i])
				: shape[i] == 'd' ? !isdigit((unsigned char)word[i])
						  : word[i] != shape[i])
			return false;
	return true;
}

/* The kind of thing that a name says at its end or its beginning stays to be seen. */
static void add_replaced(const struct words *words, const char *word, size_t len, struct str *out)
{
	static const char *const ends[] = {".slice", ".service", ".scope", ".socket", ".mount",
		".swap", ".timer", ".target", ":", "."};
	static const char *const starts[] = {"veth", "br-", "docker-", "cri-containerd-", "crio-",
		"libpod-", "tap", "vnet", "cali", "lxc", "qdisc-", "ports-", "socket-owner-",
		"socket-runs-puma-"};
	size_t start = 0, end = len, i;

	for (i = 0; i < ARRAY_SIZE(starts); i++)
		if (len > strlen(starts[i]) && !memcmp(word, starts[i], strlen(starts[i])))
			start = strlen(starts[i]);
	for (i = 0; i < ARRAY_SIZE(ends); i++) {
		size_t n = strlen(ends[i]);

		if (end == len && len > start + n && !memcmp(word + len - n, ends[i], n))
			end = len - n;
	}
	str_addn(out, word, start);
	redact_add_hash(words, word + start, end - start, out);
	str_addn(out, word + end, len - end);
}

static void redact_add_word(const struct words *words, const char *word, size_t len,
	enum numbers numbers, struct str *out)
{
	if (add_ipv4(words, word, len, out) || add_ipv6(words, word, len, out) ||
		add_mac(words, word, len, out))
		return;
	if (redact_is_number(word, len) || has_digits_only(word, len)) {
		if (numbers == NUMBERS_STAY)
			str_addn(out, word, len);
		else
			redact_add_hash(words, word, len, out);
		return;
	}
	if (is_pci_address(word, len) || word_stays(words, word, len))
		str_addn(out, word, len);
	else
		add_replaced(words, word, len, out);
}

static bool is_hex(const char *text)
{
	return isxdigit((unsigned char)text[0]) && isxdigit((unsigned char)text[1]);
}

/* The length of what stands between words: one character, or one that is written as an escape
 * ("%20", "\040"). 0: a word begins here. */
static size_t separator(const char *at, const char *end)
{
	unsigned char c = (unsigned char)*at;

	if (isalnum(c) || c >= 0x80 || strchr("_-.:@+", c))
		return c ? 0 : 1;
	if (c == '%' && end - at >= 3 && is_hex(at + 1))
		return 3;
	if (c == '\\' && end - at >= 4 && isdigit((unsigned char)at[1]) &&
		isdigit((unsigned char)at[2]) && isdigit((unsigned char)at[3]))
		return 4;
	return 1;
}

void redact_words(const struct words *words, const char *text, size_t len, enum numbers numbers,
	struct str *out)
{
	const char *at = text, *end = text + len;
	bool in_path = false;

	while (at < end) {
		size_t n = separator(at, end), word = 0;

		if (n) {
			/* "/a/b" is a path, "12/34" is none. */
			in_path =
				*at == '/' && (in_path || at == text || separator(at - 1, at) > 0);
			str_addn(out, at, n);
			at += n;
			continue;
		}
		while (at + word < end && word < WORD_MAX && !separator(at + word, end))
			word++;
		/* A directory of digits alone is named by somebody. */
		redact_add_word(words, at, word, in_path ? NUMBERS_ARE_NAMES : numbers, out);
		at += word;
	}
}

void redact_name(const struct words *words, const char *name, size_t len, struct str *out)
{
	struct str replaced = STR_INIT;
	bool letters = !has_digits_only(name, len);

	/* "kworker/0:1" is the kernel's, "10455" may be anybody's. */
	redact_words(words, name, len, letters ? NUMBERS_STAY : NUMBERS_ARE_NAMES, &replaced);
	if (letters && (replaced.len != len || memcmp(replaced.text, name, len) != 0)) {
		str_clear(&replaced);
		redact_words(words, name, len, NUMBERS_ARE_NAMES, &replaced);
	}
	str_addn(out, str_text(&replaced), replaced.len);
	str_free(&replaced);
}

void redact_always(const struct words *words, const char *name, size_t len, struct str *out)
{
	redact_add_hash(words, name, len, out);
}

static unsigned int hex_value(char c)
{
	return isdigit((unsigned char)c) ? (unsigned int)(c - '0')
					 : (unsigned int)(tolower((unsigned char)c) - 'a' + 10);
}

/* "0100007F", "0100007F:1F90", and 32 digits for IPv6: words of 32 bits in the order of the CPU. */
static bool add_hex_address(
	const struct words *words, const char *word, size_t len, struct str *out)
{
	uint8_t bytes[16];
	size_t digits = 0, i;

	while (digits < len && isxdigit((unsigned char)word[digits]))
		digits++;
	if ((digits != 8 && digits != 32) || (digits < len && word[digits] != ':'))
		return false;
	for (i = 0; i < digits / 2; i++)
		bytes[i] = (uint8_t)(hex_value(word[2 * i]) << 4 | hex_value(word[2 * i + 1]));
	/* Printed as numbers: on a little-endian machine the first byte of four is the last one. */
	for (i = 0; i < digits / 2; i += 4) {
		uint32_t number = (uint32_t)bytes[i] << 24 | (uint32_t)bytes[i + 1] << 16 |
			(uint32_t)bytes[i + 2] << 8 | bytes[i + 3];

		memcpy(bytes + i, &number, 4);
	}
	if (digits == 8)
		redact_ipv4(words, bytes);
	else
		redact_ipv6(words, bytes);
	for (i = 0; i < digits / 2; i += 4) {
		uint32_t number;

		memcpy(&number, bytes + i, 4);
		str_addf(out, "%08X", number);
	}
	str_addn(out, word + digits, len - digits);
	return true;
}

void redact_hex_words(const struct words *words, const char *text, size_t len, struct str *out)
{
	const char *at = text, *end = text + len;

	while (at < end) {
		size_t n = separator(at, end), word = 0;

		if (n) {
			str_addn(out, at, n);
			at += n;
			continue;
		}
		while (at + word < end && !separator(at + word, end))
			word++;
		if (!add_hex_address(words, at, word, out))
			redact_add_word(words, at, word, NUMBERS_STAY, out);
		at += word;
	}
}
