/* SPDX-License-Identifier: GPL-2.0-only */
/* Is this word a name that somebody chose, an address, a number, or the kernel's own? */
#include "base/banned.h"

#include <ctype.h>

#include "redact/words.h"
#include "base/hex.h"
#include "base/str.h"
#include "redact/addresses.h"
#include "base/hash.h"
#include "redact/vocabulary.h"

/* What replaces a word: "x" and letters for 50 bits. */
#define HASH_LETTERS 10
#define KNOWN_MAX 256 /* no word of the kernel's is longer */
#define INNER_MAX 5   /* digits beside letters: an id has more */
#define PART_MAX 7    /* digits between punctuation: an address as one number has more */
#define VALUE_MAX 20  /* digits of 64 bits */
#define HEX_MAX 7     /* digits in hexadecimal: an address of 32 bits has one more */

static void redact_add_hash(
	const struct words *words, const char *text, size_t len, struct str *out)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz234567";
	uint64_t hash = siphash(words->key, 2, 4, text, len);
	int i;

	str_addc(out, 'x');
	for (i = 0; i < HASH_LETTERS; i++, hash >>= 5)
		str_addc(out, letters[hash & 31]);
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

/* "nvme0n1p2", "mmcblk0p1", "enp0s3": letters between numbers. */
static bool is_numbered(const char *word, size_t len)
{
	static const char *const kinds[] = {"nvme", "mmcblk", "enp", "eno", "ens", "md", "nbd"};
	size_t i, k, digits = 0;

	for (k = 0; k < ARRAY_SIZE(kinds); k++) {
		size_t n = strlen(kinds[k]);

		if (len <= n || memcmp(word, kinds[k], n) != 0)
			continue;
		for (i = n; i < len && digits <= INNER_MAX; i++) {
			digits = isdigit((unsigned char)word[i]) ? digits + 1 : 0;
			if (!digits &&
				(!strchr("nspfcb", word[i]) || i + 1 == len ||
					!isdigit((unsigned char)word[i + 1])))
				return false;
		}
		return digits <= INNER_MAX;
	}
	return false;
}

static size_t count_digits(const char *word, size_t len)
{
	size_t n = 0;

	while (n < len && isdigit((unsigned char)word[n]))
		n++;
	return n;
}

static size_t count_hex_digits(const char *word, size_t len)
{
	size_t n = 0;

	while (n < len && isxdigit((unsigned char)word[n]))
		n++;
	return n;
}

/* The numbers of a word that has no letters, and what stands between them. */
struct shape {
	size_t groups, digits, longest, first; /* digits of all, of the longest and of the first */
	size_t dots, colons;		       /* each between two numbers */
	bool doubled;			       /* two characters between two numbers */
};

static struct shape shape_of(const char *word, size_t len)
{
	struct shape shape = {.groups = 0};
	size_t at = 0, last = 0;

	while (at < len) {
		size_t n = count_digits(word + at, len - at);

		if (!n) {
			at++;
			continue;
		}
		shape.doubled |= shape.groups && at > last + 1;
		shape.dots += shape.groups && word[at - 1] == '.';
		shape.colons += shape.groups && word[at - 1] == ':';
		shape.first = shape.groups ? shape.first : n;
		shape.longest = n > shape.longest ? n : shape.longest;
		shape.digits += n;
		shape.groups++;
		at += n;
		last = at;
	}
	return shape;
}

/*
 * Whether digits and punctuation are a value, "-12.5", a device, "254:0", a time, "12:34:56", a
 * list of CPUs, "0-3", and not the serial number of something or an address without its letters.
 */
static bool is_value(const char *word, size_t len)
{
	struct shape shape = shape_of(word, len);

	if (shape.groups <= 1)
		return shape.digits <= VALUE_MAX;
	if (shape.doubled)
		return false;
	if (shape.groups == 2 && shape.dots)
		return shape.longest <= VALUE_MAX;
	/* A slot and its count, a port behind nothing. */
	if (shape.groups == 2 && shape.colons)
		return shape.first <= PART_MAX && shape.longest <= VALUE_MAX;
	return shape.groups <= 5 && shape.dots <= 2 && shape.longest <= PART_MAX &&
		shape.digits < 12;
}

/* "0x1f": a number, up to the digits that no address has; and what a counter of 64 bits says that
 * counts nothing. */
static bool redact_is_hexadecimal(const char *word, size_t len)
{
	if (len <= 2 || word[0] != '0' || word[1] != 'x')
		return false;
	if (len == 18 && !memcmp(word, "0xffffffffffffffff", 18))
		return true;
	return len - 2 <= HEX_MAX && count_hex_digits(word + 2, len - 2) == len - 2;
}

/* "10ms", "4kB", "0x1f": numbers too. */
static bool redact_is_number(const char *word, size_t len)
{
	static const char *const units[] = {
		"ns", "us", "ms", "s", "k", "K", "M", "G", "T", "kB", "KB", "MB", "GB", "B", "%"};
	size_t digits = 0, i;

	if (redact_is_hexadecimal(word, len))
		return true;
	while (digits < len && word[digits] && strchr("0123456789.:+-", word[digits]))
		digits++;
	if (!digits || !isdigit((unsigned char)word[digits - 1]) || !is_value(word, digits))
		return false;
	if (digits == len)
		return true;
	for (i = 0; i < ARRAY_SIZE(units); i++)
		if (strlen(units[i]) == len - digits &&
			!memcmp(units[i], word + digits, len - digits))
			return true;
	return false;
}

/* A part of a word between punctuation. */
static bool part_stays(const struct words *words, const char *part, size_t len)
{
	size_t letters = len, hex = count_hex_digits(part, len);

	if (len <= 1 || redact_is_hexadecimal(part, len))
		return true;
	while (letters && isdigit((unsigned char)part[letters - 1]))
		letters--;
	if (!letters)
		return len <= INNER_MAX;
	if (redact_is_known(words, part, len) || is_numbered(part, len))
		return true;
	if (hex == len && len > HEX_MAX)
		return false;
	/* One letter and a number is a version, a CPU list, a field; many digits are an id. */
	return len - letters <= INNER_MAX &&
		(letters <= 1 || redact_is_known(words, part, letters) ||
			is_lettered_disk(part, letters));
}

/* No letters, and nothing that stands for one. */
static bool has_digits_only(const char *word, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (isalpha((unsigned char)word[i]) || (unsigned char)word[i] >= 0x80 ||
			word[i] == '%' || word[i] == '\\')
			return false;
	return true;
}

/* The hexadecimal numbers of a word that stand one behind the other. */
struct run {
	size_t groups, digits;
	bool has_digit, doubled;
};

static bool run_is_address(const struct run *run)
{
	return run->has_digit &&
		(run->doubled || run->groups >= 5 || (run->groups >= 3 && run->digits >= 12));
}

static void run_add(struct run *run, const char *part, size_t len)
{
	size_t i;

	if (run->groups)
		run->doubled |= !isalnum((unsigned char)part[-2]);
	for (i = 0; i < len; i++)
		run->has_digit |= isdigit((unsigned char)part[i]) != 0;
	run->groups++;
	run->digits += len;
}

/* "eth010.0.0.1": four numbers with dots between them, wherever the first one begins. */
static bool has_four_numbers(const char *word, size_t len)
{
	size_t dots = 0, at;

	for (at = 1; at + 1 < len && dots < 3; at++) {
		if (word[at] == '.' && isdigit((unsigned char)word[at - 1]) &&
			isdigit((unsigned char)word[at + 1]))
			dots++;
		else if (!isdigit((unsigned char)word[at]))
			dots = 0;
	}
	return dots >= 3;
}

/* Whether a word has an address in it that is written as none is known to be: as numbers of some
 * digits each with something between them, as a GUID or 2001--db8--1 are. */
static bool hides_address(const char *word, size_t len)
{
	struct run run = {.groups = 0};
	size_t at = 0, n;

	for (; at < len; at += n ? n : 1) {
		for (n = 0; at + n < len && isalnum((unsigned char)word[at + n]);)
			n++;
		if (!n)
			continue;
		if (count_hex_digits(word + at, n) < n)
			run = (struct run){.groups = 0};
		else
			run_add(&run, word + at, n);
		if (run_is_address(&run))
			return true;
	}
	return false;
}

/* "somebody@somewhere" */
static bool has_at_inside(const char *word, size_t len)
{
	const char *at = memchr(word, '@', len);

	return at && at > word && at < word + len - 1;
}

/* "oos:1047552": what has a key stays as long as a number may be. */
static bool is_keyed_value(const char *word, size_t at, size_t len)
{
	return at && word[at - 1] == ':' && len <= VALUE_MAX && count_digits(word + at, len) == len;
}

/* Whether every part of a word may stay, numbers behind a key too where there are values. Bytes
 * beyond ASCII are nobody's but its writer's. */
static bool word_stays(const struct words *words, const char *word, size_t len, bool has_values)
{
	size_t at = 0;

	if (len > KNOWN_MAX || has_at_inside(word, len) || has_four_numbers(word, len) ||
		hides_address(word, len))
		return false;
	while (at < len) {
		size_t n = 0;

		while (at + n < len && isalnum((unsigned char)word[at + n]))
			n++;
		if (!(has_values && is_keyed_value(word, at, n)) &&
			!part_stays(words, word + at, n))
			return false;
		at += n;
		if (at == len)
			break;
		if ((unsigned char)word[at] >= 0x80 || word[at] == '%' || word[at] == '\\')
			return false;
		at++;
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

/* "0x0a000001". Returns false where it is none. */
static bool add_hex_number(const struct words *words, const char *word, size_t len, struct str *out)
{
	uint32_t number = 0;
	size_t i;

	if (len != 10 || word[0] != '0' || word[1] != 'x' || count_hex_digits(word + 2, 8) != 8)
		return false;
	for (i = 2; i < len; i += 2)
		number = number << 8 | (uint32_t)hex_byte(word + i, HEX_ANY);
	str_addf(out, "0x%08x", redact_ipv4_number(words->key, number));
	return true;
}

/* "3232235777", which is 192.168.1.1. Powers of two are sizes. */
static bool add_decimal_address(
	const struct words *words, const char *word, size_t len, struct str *out)
{
	uint64_t number = 0;
	size_t i;

	if (len <= PART_MAX || len > 10 || count_digits(word, len) < len)
		return false;
	for (i = 0; i < len; i++)
		number = number * 10 + (uint64_t)(word[i] - '0');
	if (number < 1u << 24 || number > UINT32_MAX || !(number & (number - 1)))
		return false;
	str_addf(out, "%u", redact_ipv4_number(words->key, (uint32_t)number));
	return true;
}

static void add_number(const struct words *words, const char *word, size_t len,
	enum numbers numbers, struct str *out)
{
	bool is_port =
		*word == ':' && len <= INNER_MAX + 1 && count_digits(word + 1, len - 1) == len - 1;

	if (numbers == NUMBERS_MAY_BE_ADDRESSES && add_decimal_address(words, word, len, out))
		return;
	if (shape_of(word, len).groups && !is_port &&
		(numbers == NUMBERS_ARE_NAMES ||
			(!redact_is_number(word, len) && !is_value(word, len))))
		redact_add_hash(words, word, len, out);
	else
		str_addn(out, word, len);
}

/* What a word becomes that has no address in it. */
static void add_plain(const struct words *words, const char *word, size_t len, enum numbers numbers,
	bool always, struct str *out)
{
	if (always)
		numbers = NUMBERS_ARE_NAMES;
	if (numbers != NUMBERS_ARE_NAMES && add_hex_number(words, word, len, out))
		return;
	if ((!always && redact_is_number(word, len)) || has_digits_only(word, len))
		add_number(words, word, len, numbers, out);
	else if (!always &&
		(is_pci_address(word, len) ||
			word_stays(words, word, len, numbers == NUMBERS_STAY)))
		str_addn(out, word, len);
	else
		add_replaced(words, word, len, out);
}

static bool is_punctuation(char c)
{
	return c && strchr("_-.:@+", c);
}

/* What is before or behind an address: what stands between them stays, so that both can be seen. */
static void add_piece(const struct words *words, const char *piece, size_t len,
	enum numbers numbers, bool always, struct str *out)
{
	size_t at = 0, end = len;

	if (*piece != ':' || !has_digits_only(piece, len))
		while (at < end && is_punctuation(piece[at]))
			at++;
	while (end > at && is_punctuation(piece[end - 1]))
		end--;
	str_addn(out, piece, at);
	if (end > at)
		add_plain(words, piece + at, end - at, numbers, always, out);
	str_addn(out, piece + end, len - end);
}

/* An address stands for itself, whatever is glued to it. */
static void redact_add_word(const struct words *words, const char *word, size_t len,
	enum numbers numbers, bool always, struct str *out)
{
	struct address address;
	size_t at = 0;

	if (!address_find(word, len, 0, &address)) {
		add_plain(words, word, len, numbers, always, out);
		return;
	}
	do {
		if (address.start > at)
			add_piece(words, word + at, address.start - at, numbers, always, out);
		address_add(words->key, &address, out);
		at = address.start + address.len;
	} while (address_find(word, len, at, &address));
	if (len > at)
		add_piece(words, word + at, len - at, numbers, always, out);
}

/* The byte that is written as an escape here, "%20", "\040", "\x20", and how long that is. */
static int escaped_byte(const char *at, const char *end, size_t *len)
{
	size_t i;
	int byte = 0;

	*len = *at == '%' ? 3 : 4;
	if ((size_t)(end - at) < *len)
		return -1;
	if (*at == '%')
		return hex_byte(at + 1, HEX_ANY);
	if (*at != '\\')
		return -1;
	if (at[1] == 'x')
		return hex_byte(at + 2, HEX_ANY);
	for (i = 1; i < 4; i++) {
		if (at[i] < '0' || at[i] > '7')
			return -1;
		byte = byte * 8 + (at[i] - '0');
	}
	return byte;
}

static bool is_of_words(unsigned char c)
{
	return isalnum(c) || c >= 0x80 || (c && strchr("_-.:@+", c));
}

/* The length of what stands between words: one character, or one that is written as an escape.
 * 0: a word begins here, be its first letter written as an escape. */
static size_t separator(const char *at, const char *end)
{
	size_t len;
	int byte;

	if (is_of_words((unsigned char)*at))
		return 0;
	byte = escaped_byte(at, end, &len);
	if (byte < 0)
		return 1;
	return is_of_words((unsigned char)byte) ? 0 : len;
}

static size_t redact_word_length(const char *at, const char *end)
{
	size_t n = 0;

	while (at + n < end && !separator(at + n, end))
		n++;
	return n;
}

/* A word and what stands around it. */
struct place {
	const char *text, *end; /* all of it */
	const char *before;	/* the word before, NULL where there is none */
	size_t before_len;
	const char *at;
	size_t len;
};

static bool word_is(const char *word, size_t len, const char *list)
{
	while (*list) {
		size_t n = strcspn(list, " ");

		if (n == len && !strncasecmp(word, list, n))
			return true;
		list += n + strspn(list + n, " ");
	}
	return false;
}

/* "serial=…", "SerialNumber: …", "wwn …" */
static bool is_behind_serial(const struct place *place, const char *gap, size_t n)
{
	size_t len = place->before_len, i;

	while (len && (place->before[len - 1] == ':' || place->before[len - 1] == '.'))
		len--;
	for (i = 0; i < n; i++)
		if (!strchr(" =:\"'", gap[i]) || !gap[i])
			return false;
	if (len >= 6 && !strncasecmp(place->before, "serial", 6))
		return true;
	return word_is(place->before, len, "sn wwn wwid wwpn wwnn guid uuid nguid eui ssid");
}

/* "server:/export", and not "4:memory:/group" or "unix:/run/socket". */
static bool is_server(const struct place *place)
{
	const char *behind = place->at + place->len;

	if (place->len < 2 || memchr(place->at, ':', place->len) != behind - 1)
		return false;
	if (place->end - behind < 2 || *behind != '/' || behind[1] == '/')
		return false;
	return (place->at == place->text || isspace((unsigned char)place->at[-1])) &&
		!word_is(place->at, place->len, "unix:");
}

/*
 * Whether what stands around a word says that somebody chose it, so that it goes even where
 * everybody knows the word: homes and mounts of "mark", the server "data:/export", "username=node".
 */
static bool is_chosen(const struct place *place)
{
	const char *gap = place->before ? place->before + place->before_len : place->text;
	size_t n = (size_t)(place->at - gap);

	if (n >= 2 && !memcmp(gap + n - 2, "//", 2))
		return true;
	if (is_server(place))
		return true;
	if (!place->before)
		return false;
	if (n == 1 && *gap == '/' && word_is(place->before, place->before_len, "home users"))
		return place->before > place->text && place->before[-1] == '/';
	if (n == 1 && *gap == '=' &&
		word_is(place->before, place->before_len,
			"user username login domain hostname password passwd pass token secret"))
		return true;
	return is_behind_serial(place, gap, n);
}

/* The end of "task tar:78." in the kernel's log, whose number is a thread's and nobody's name; 0
 * where the word has none. */
static size_t thread_number_length(const struct place *place)
{
	size_t len = place->len, digits = 0;
	struct address address;

	if (!place->before || !word_is(place->before, place->before_len, "task") ||
		address_find(place->at, len, 0, &address))
		return 0;
	if (len && place->at[len - 1] == '.')
		len--;
	while (digits < len && isdigit((unsigned char)place->at[len - 1 - digits]))
		digits++;
	if (!digits || len < digits + 2 || place->at[len - digits - 1] != ':')
		return 0;
	return place->len - (len - digits - 1);
}

static void each_word(const struct words *words, const char *text, size_t len, enum numbers numbers,
	bool always, struct str *out)
{
	struct place place = {.text = text, .end = text + len};
	const char *at = text;
	bool in_path = false;

	while (at < place.end) {
		size_t n = separator(at, place.end), behind;

		if (n) {
			/* "/a/b" and "host:/a" are paths, "12/34" is none. */
			in_path = *at == '/' &&
				(in_path || at == text || at[-1] == ':' ||
					separator(at - 1, place.end) > 0);
			str_addn(out, at, n);
			at += n;
			continue;
		}
		place.at = at;
		place.len = redact_word_length(at, place.end);
		/* A directory of digits alone is named by somebody. */
		behind = thread_number_length(&place);
		redact_add_word(words, at, place.len - behind,
			in_path ? NUMBERS_ARE_NAMES : numbers, always || is_chosen(&place), out);
		str_addn(out, at + place.len - behind, behind);
		place.before = at;
		place.before_len = place.len;
		at += place.len;
	}
}

void redact_words(const struct words *words, const char *text, size_t len, enum numbers numbers,
	struct str *out)
{
	each_word(words, text, len, numbers, false, out);
}

void redact_all_words(const struct words *words, const char *text, size_t len, struct str *out)
{
	each_word(words, text, len, NUMBERS_ARE_NAMES, true, out);
}

void redact_name(const struct words *words, const char *name, size_t len, struct str *out)
{
	struct str replaced = STR_INIT;
	bool letters = !has_digits_only(name, len);

	/* "kworker/0:1" is the kernel's, "10455" may be anybody's. */
	redact_words(words, name, len, letters ? NUMBERS_MAY_BE_ADDRESSES : NUMBERS_ARE_NAMES,
		&replaced);
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

/* ":1F90", or nothing. */
static bool is_hex_port(const char *text, size_t len)
{
	return !len || (*text == ':' && len <= 5 && count_hex_digits(text + 1, len - 1) == len - 1);
}

/* "0100007F", "0100007F:1F90", and 32 digits for IPv6. */
static bool add_hex_address(
	const struct words *words, const char *word, size_t len, bool of_cpu, struct str *out)
{
	size_t digits = count_hex_digits(word, len);

	if ((digits != 8 && digits != 32) || !is_hex_port(word + digits, len - digits))
		return false;
	address_add_hex(words->key, word, digits, of_cpu, out);
	str_addn(out, word + digits, len - digits);
	return true;
}

void redact_hex_words(
	const struct words *words, const char *text, size_t len, bool of_cpu, struct str *out)
{
	const char *at = text, *end = text + len;

	while (at < end) {
		size_t n = separator(at, end), word;

		if (n) {
			str_addn(out, at, n);
			at += n;
			continue;
		}
		word = redact_word_length(at, end);
		if (!add_hex_address(words, at, word, of_cpu, out))
			redact_add_word(words, at, word, NUMBERS_STAY, false, out);
		at += word;
	}
}
