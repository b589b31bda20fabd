/* SPDX-License-Identifier: GPL-2.0-only */
/* Replacing words and addresses: what redact.c uses for each kind of file. */
#ifndef TUESDAY_REDACT_WORDS_H
#define TUESDAY_REDACT_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct str;
struct vocabulary;

struct words {
	uint64_t key[2];
	const struct vocabulary *vocabulary;
	const struct vocabulary *more; /* another one that holds too, or NULL */
};

/* How numbers are taken. */
enum numbers {
	NUMBERS_STAY,	  /* they are values */
	NUMBERS_ARE_NAMES /* as in the name of a process or a cgroup: "10455" may be one */
};

/* Appends text with its words and addresses replaced, and everything between them as it is. */
void redact_words(const struct words *words, const char *text, size_t len, enum numbers numbers,
	struct str *out);

/* The same for a single word, whatever it holds: blanks, slashes. */
void redact_name(const struct words *words, const char *name, size_t len, struct str *out);

/* The same, and it never stays, known or not: the name of a host. */
void redact_always(const struct words *words, const char *name, size_t len, struct str *out);

/* The words of /proc/net/tcp and its like: addresses are hexadecimal there. */
void redact_hex_words(const struct words *words, const char *text, size_t len, struct str *out);

/* Addresses as bytes, in network order, replaced in place. Loopback and "any" stay. */
void redact_ipv4(const struct words *words, uint8_t address[4]);
void redact_ipv6(const struct words *words, uint8_t address[16]);

#endif
