/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Addresses of machines in text, whatever is glued to them, and what they are replaced by.
 *
 * Found are IPv4 addresses as four numbers ("10.0.0.1", also with - or _ between them), IPv6
 * addresses as RFC 4291 writes them, and runs of four and more bytes in hexadecimal, as cards of
 * networks and their ports are called ("52:54:00:12:34:56", also with - . or _, and six with
 * nothing between them). An IPv4 address becomes the same one however it is written, and so do the
 * others.
 */
#ifndef TUESDAY_REDACT_ADDRESSES_H
#define TUESDAY_REDACT_ADDRESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct str;

enum address_form { ADDRESS_IPV4, ADDRESS_IPV6, ADDRESS_BYTES };

#define ADDRESS_BYTES_MAX 32

struct address {
	size_t start, len; /* in the text */
	enum address_form form;
	char between;			  /* what stands between its numbers, 0: nothing */
	size_t n;			  /* how many bytes */
	uint8_t bytes[ADDRESS_BYTES_MAX]; /* in network order */
};

/* The first address in text that begins at from or behind it. The time grows with the length. */
bool address_find(const char *text, size_t len, size_t from, struct address *out);

/* Appends another address in the form that this one has. */
void address_add(const uint64_t key[2], const struct address *address, struct str *out);

/* Appends text with the addresses in it replaced, and all else as it is. */
void redact_addresses(const uint64_t key[2], const char *text, size_t len, struct str *out);

/* Addresses as bytes, in network order, replaced in place. Loopback and "any" stay. */
void redact_ipv4(const uint64_t key[2], uint8_t address[4]);
void redact_ipv6(const uint64_t key[2], uint8_t address[16]);

/* An IPv4 address as one number that has its first byte first, or its last one. A number that can
 * be none, since its first two bytes are 0, stays. */
uint32_t redact_ipv4_number(const uint64_t key[2], uint32_t number);

/* Appends what 8 or 32 hexadecimal digits become as an address: each four bytes in the order of the
 * CPU, as /proc/net/tcp has them, or in network order. Letters are large or small as they are in
 * the text. */
void address_add_hex(
	const uint64_t key[2], const char *digits, size_t len, bool of_cpu, struct str *out);

#endif
