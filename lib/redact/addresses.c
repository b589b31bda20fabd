/* SPDX-License-Identifier: GPL-2.0-only */
/* Where in this text is an address, and what is another one? */
#include "base/banned.h"

#include <arpa/inet.h>
#include <ctype.h>

#include "redact/addresses.h"
#include "base/hex.h"
#include "base/str.h"
#include "base/hash.h"

#define GROUPS 8     /* of an IPv6 address */
#define BYTES_MIN 4  /* a run of fewer is a time, or too little of an address to tell it by */
#define CARD_BYTES 6 /* so many at a time, since some print two addresses in one run */

static bool is_special_ipv4(const uint8_t a[4])
{
	return a[0] == 127 || !(a[0] | a[1] | a[2] | a[3]) || (a[0] & a[1] & a[2] & a[3]) == 255;
}

/* Four rounds of Feistel: another address for each address, so that no two become one. */
static void address_permute(const uint64_t key[2], uint8_t a[4])
{
	uint16_t left = (uint16_t)(a[0] << 8 | a[1]), right = (uint16_t)(a[2] << 8 | a[3]);
	int round;

	for (round = 0; round < 4; round++) {
		uint8_t input[] = {4, (uint8_t)round, (uint8_t)(right >> 8), (uint8_t)right};
		uint16_t next = (uint16_t)(left ^ siphash(key, 2, 4, input, sizeof(input)));

		left = right;
		right = next;
	}
	a[0] = (uint8_t)(left >> 8);
	a[1] = (uint8_t)left;
	a[2] = (uint8_t)(right >> 8);
	a[3] = (uint8_t)right;
}

void redact_ipv4(const uint64_t key[2], uint8_t address[4])
{
	if (is_special_ipv4(address))
		return;
	do
		address_permute(key, address);
	while (is_special_ipv4(address));
}

/* What stands before the IPv4 address in an IPv6 address that holds one: mapped, as NAT64, and
 * compatible. */
static bool holds_ipv4(const uint8_t address[16])
{
	static const uint8_t before[][12] = {{[10] = 255, [11] = 255}, {0, 0x64, 0xff, 0x9b}, {0}};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(before); i++)
		if (!memcmp(address, before[i], 12))
			return true;
	return false;
}

void redact_ipv6(const uint64_t key[2], uint8_t address[16])
{
	static const uint8_t zero[15];
	uint8_t input[17] = {6};
	uint64_t hash;

	/* "any" and loopback */
	if (!memcmp(address, zero, 15) && address[15] <= 1)
		return;
	if (holds_ipv4(address)) {
		redact_ipv4(key, address + 12);
		return;
	}
	memcpy(input + 1, address, 16);
	hash = siphash(key, 2, 4, input, sizeof(input));
	memcpy(address, &hash, 8);
	input[0] = 7;
	hash = siphash(key, 2, 4, input, sizeof(input));
	memcpy(address + 8, &hash, 8);
	address[0] = 0xfd;
}

uint32_t redact_ipv4_number(const uint64_t key[2], uint32_t number)
{
	uint32_t network = htonl(number);
	uint8_t bytes[4];

	if (number < 1u << 16)
		return number;
	memcpy(bytes, &network, 4);
	redact_ipv4(key, bytes);
	memcpy(&network, bytes, 4);
	return ntohl(network);
}

/* Of no card, and of all. */
static bool is_special_run(const uint8_t *bytes, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (bytes[i] != bytes[0])
			return false;
	return bytes[0] == 0 || bytes[0] == 255;
}

/* A card of nobody, administered locally. */
static void redact_bytes(const uint64_t key[2], uint8_t *bytes, size_t n)
{
	size_t at;

	if (is_special_run(bytes, n))
		return;
	for (at = 0; at < n; at += CARD_BYTES) {
		size_t some = n - at < CARD_BYTES ? n - at : CARD_BYTES;
		uint64_t hash = siphash(key, 2, 4, bytes + at, some);

		memcpy(bytes + at, &hash, some);
		if (some == CARD_BYTES)
			bytes[at] = 2;
	}
}

static bool is_digit_at(const char *text, size_t len, size_t at)
{
	return at < len && isdigit((unsigned char)text[at]);
}

static bool is_hex_at(const char *text, size_t len, size_t at)
{
	return at < len && isxdigit((unsigned char)text[at]);
}

/* A number of up to three digits. Returns how many, 0 where it is no byte. */
static size_t take_byte(const char *text, size_t len, size_t at, uint8_t *out)
{
	unsigned int value = 0;
	size_t n;

	for (n = 0; n < 3 && is_digit_at(text, len, at + n); n++)
		value = value * 10 + (unsigned int)(text[at + n] - '0');
	*out = (uint8_t)value;
	return value > 255 ? 0 : n;
}

/* Whether a character may stand between two numbers: the same one between all of them. */
static bool stands_between(const char *text, size_t len, size_t at, size_t n, struct address *out)
{
	if (at >= len ||
		(n == 1 ? !text[at] || !strchr(":.-_", text[at]) : text[at] != out->between))
		return false;
	out->between = text[at];
	return true;
}

/* "10.0.0.1" with nothing but digits as its limits: "v10.0.0.1_22" has one. */
static bool is_ipv4(const char *text, size_t len, size_t at, struct address *out)
{
	size_t end = at;

	if (at && is_digit_at(text, len, at - 1))
		return false;
	for (out->n = 0;;) {
		size_t n = take_byte(text, len, end, &out->bytes[out->n]);

		end += n;
		if (!n || is_digit_at(text, len, end))
			return false;
		if (++out->n == 4)
			break;
		if (!stands_between(text, len, end, out->n, out) || out->between == ':')
			return false;
		end++;
	}
	out->start = at;
	out->len = end - at;
	out->form = ADDRESS_IPV4;
	return true;
}

/* The groups of an IPv6 address that were read so far. */
struct ipv6_groups {
	uint16_t list[GROUPS];
	size_t n;
	bool has_gap; /* "::" */
	size_t gap;   /* how many stand before it */
};

static bool ipv6_is_whole(const struct ipv6_groups *groups)
{
	return groups->has_gap ? groups->n < GROUPS : groups->n == GROUPS;
}

static void ipv6_take(const struct ipv6_groups *groups, size_t at, size_t end, struct address *out)
{
	size_t zeros = GROUPS - groups->n, i;

	memset(out->bytes, 0, 16);
	for (i = 0; i < groups->n; i++) {
		size_t to = groups->has_gap && i >= groups->gap ? i + zeros : i;

		out->bytes[2 * to] = (uint8_t)(groups->list[i] >> 8);
		out->bytes[2 * to + 1] = (uint8_t)groups->list[i];
	}
	out->start = at;
	out->len = end - at;
	out->form = ADDRESS_IPV6;
	out->n = 16;
}

/* The IPv4 address that an IPv6 address may end in. Returns its length, or 0. */
static size_t ipv6_take_ipv4(const char *text, size_t len, size_t at, struct ipv6_groups *groups)
{
	struct address ipv4;

	if (groups->n > GROUPS - 2 || (!groups->n && !groups->has_gap) ||
		!is_ipv4(text, len, at, &ipv4) || ipv4.between != '.')
		return 0;
	groups->list[groups->n++] = (uint16_t)(ipv4.bytes[0] << 8 | ipv4.bytes[1]);
	groups->list[groups->n++] = (uint16_t)(ipv4.bytes[2] << 8 | ipv4.bytes[3]);
	return ipv4.len;
}

/* One to four digits. Returns how many, or 0. */
static size_t ipv6_take_group(const char *text, size_t len, size_t at, struct ipv6_groups *groups)
{
	size_t n;

	if (groups->n == GROUPS)
		return 0;
	groups->list[groups->n] = 0;
	for (n = 0; is_hex_at(text, len, at + n); n++)
		groups->list[groups->n] = (uint16_t)((size_t)groups->list[groups->n] << 4 |
			(size_t)(strchr(HEX_LOWER, tolower((unsigned char)text[at + n])) -
				HEX_LOWER));
	if (!n || n > 4)
		return 0;
	groups->n++;
	return n;
}

static bool is_double_colon(const char *text, size_t len, size_t at)
{
	return at + 1 < len && text[at] == ':' && text[at + 1] == ':';
}

/* An address in hexadecimal cannot end where letters or digits go on. */
static bool may_end(const char *text, size_t len, size_t at)
{
	return at == len || !isalnum((unsigned char)text[at]);
}

/* Moves behind what stands between two groups, or before the first. */
static bool ipv6_pass_colons(
	const char *text, size_t len, size_t at, size_t *end, struct ipv6_groups *groups)
{
	if (!groups->has_gap && is_double_colon(text, len, *end)) {
		groups->has_gap = true;
		groups->gap = groups->n;
		*end += 2;
		return true;
	}
	if (*end == at)
		return true;
	if (*end == len || text[*end] != ':')
		return false;
	++*end;
	return true;
}

/* Takes the longest address that begins here. */
static bool ipv6_read(const char *text, size_t len, size_t at, struct address *out)
{
	struct ipv6_groups groups = {.n = 0};
	size_t end = at, n = 1, ipv4 = 0;
	bool found = false;

	while (n && !ipv4 && ipv6_pass_colons(text, len, at, &end, &groups)) {
		/* "2001:db8::" is one, "2001:db8::1:" is one without its end. */
		bool ends_in_gap = groups.has_gap && groups.gap == groups.n;

		ipv4 = ipv6_take_ipv4(text, len, end, &groups);
		n = ipv4;
		if (!n)
			n = ipv6_take_group(text, len, end, &groups);
		if (!n && !ends_in_gap)
			break;
		end += n;
		if (ipv6_is_whole(&groups) && may_end(text, len, end)) {
			ipv6_take(&groups, at, end, out);
			found = true;
		}
	}
	return found;
}

static bool is_ipv6(const char *text, size_t len, size_t at, size_t from, struct address *out)
{
	char before = at > from ? text[at - 1] : ' ';

	if (isxdigit((unsigned char)before) || !memchr(text + at, ':', len - at < 5 ? len - at : 5))
		return false;
	if (text[at] == ':' && (before == ':' || !is_double_colon(text, len, at)))
		return false;
	return ipv6_read(text, len, at, out);
}

/* "52:54:00:12:34:56", of the length that it has. */
static bool is_run_of_bytes(
	const char *text, size_t len, size_t at, size_t from, struct address *out)
{
	size_t end = at;

	if (at > from && is_hex_at(text, len, at - 1))
		return false;
	out->start = at;
	out->form = ADDRESS_BYTES;
	for (out->n = 0; out->n < ADDRESS_BYTES_MAX;) {
		if (!is_hex_at(text, len, end) || !is_hex_at(text, len, end + 1) ||
			is_hex_at(text, len, end + 2))
			break;
		out->bytes[out->n++] = (uint8_t)hex_byte(text + end, HEX_ANY);
		out->len = end + 2 - at;
		if (!stands_between(text, len, end + 2, out->n, out))
			break;
		end += 3;
	}
	return out->n >= BYTES_MIN;
}

/* "5254001234ab": with no letter it may be a number, and with more digits it is something else. */
static bool is_bare_card(const char *text, size_t len, size_t at, struct address *out)
{
	size_t digits = 0, n = 0, i;

	if (at && is_hex_at(text, len, at - 1))
		return false;
	while (n <= 2 * CARD_BYTES && is_hex_at(text, len, at + n))
		digits += is_digit_at(text, len, at + n++);
	if (n != 2 * CARD_BYTES || !digits || digits == n || !may_end(text, len, at + n))
		return false;
	for (i = 0; i < CARD_BYTES; i++)
		out->bytes[i] = (uint8_t)hex_byte(text + at + 2 * i, HEX_ANY);
	out->start = at;
	out->len = n;
	out->form = ADDRESS_BYTES;
	out->n = CARD_BYTES;
	out->between = 0;
	return true;
}

bool address_find(const char *text, size_t len, size_t from, struct address *out)
{
	size_t at;

	for (at = from; at < len; at++) {
		bool is_bytes;

		if (!isxdigit((unsigned char)text[at]) && text[at] != ':')
			continue;
		is_bytes = is_run_of_bytes(text, len, at, from, out);
		if ((is_bytes && out->n >= CARD_BYTES) || is_bare_card(text, len, at, out))
			return true;
		if (is_ipv6(text, len, at, from, out) || is_ipv4(text, len, at, out))
			return true;
		if (is_bytes)
			return is_run_of_bytes(text, len, at, from, out);
	}
	return false;
}

void address_add(const uint64_t key[2], const struct address *address, struct str *out)
{
	struct address other = *address;
	char text[INET6_ADDRSTRLEN];
	size_t i;

	if (other.form == ADDRESS_IPV6) {
		redact_ipv6(key, other.bytes);
		inet_ntop(AF_INET6, other.bytes, text, sizeof(text));
		str_add(out, text);
		return;
	}
	if (other.form == ADDRESS_IPV4)
		redact_ipv4(key, other.bytes);
	else
		redact_bytes(key, other.bytes, other.n);
	for (i = 0; i < other.n; i++) {
		if (i && other.between)
			str_addc(out, other.between);
		str_addf(out, other.form == ADDRESS_IPV4 ? "%u" : "%02x", other.bytes[i]);
	}
}

void redact_addresses(const uint64_t key[2], const char *text, size_t len, struct str *out)
{
	struct address address;
	size_t at = 0;

	while (address_find(text, len, at, &address)) {
		str_addn(out, text + at, address.start - at);
		address_add(key, &address, out);
		at = address.start + address.len;
	}
	str_addn(out, text + at, len - at);
}

/* Four bytes each the other way round, where the CPU has its last byte first. */
static void turn_words(uint8_t *bytes, size_t n)
{
	size_t i;

	for (i = 0; i < n; i += 4) {
		uint32_t number = (uint32_t)bytes[i] << 24 | (uint32_t)bytes[i + 1] << 16 |
			(uint32_t)bytes[i + 2] << 8 | bytes[i + 3];

		memcpy(bytes + i, &number, 4);
	}
}

static bool has_small_letters(const char *digits, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (islower((unsigned char)digits[i]))
			return true;
	return false;
}

void address_add_hex(
	const uint64_t key[2], const char *digits, size_t len, bool of_cpu, struct str *out)
{
	bool small = has_small_letters(digits, len);
	uint8_t bytes[16];
	size_t n = len / 2, i;

	for (i = 0; i < n; i++)
		bytes[i] = (uint8_t)hex_byte(digits + 2 * i, HEX_ANY);
	if (of_cpu)
		turn_words(bytes, n);
	if (n == 4)
		redact_ipv4(key, bytes);
	else
		redact_ipv6(key, bytes);
	if (of_cpu)
		turn_words(bytes, n);
	for (i = 0; i < n; i++)
		str_addf(out, small ? "%02x" : "%02X", bytes[i]);
}
