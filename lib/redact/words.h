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
	NUMBERS_STAY,		  /* they are values */
	NUMBERS_MAY_BE_ADDRESSES, /* as in options: 3232235777 is 192.168.1.1 */
	NUMBERS_ARE_NAMES	  /* as in the name of a process or a cgroup: "10455" may be one */
};

/* Appends text with its words and addresses replaced, and everything between them as it is. */
void redact_words(const struct words *words, const char *text, size_t len, enum numbers numbers,
	struct str *out);

/* The same, and no word stays, known or not: the names of hosts, serial numbers. */
void redact_all_words(const struct words *words, const char *text, size_t len, struct str *out);

/* The same for a single word, whatever it holds: blanks, slashes. */
void redact_name(const struct words *words, const char *name, size_t len, struct str *out);

/* A name of which nothing stays, not even that it is an address. */
void redact_always(const struct words *words, const char *name, size_t len, struct str *out);

/* The words of /proc/net/tcp and its like: addresses are hexadecimal there, each four bytes in the
 * order of the CPU or in network order. */
void redact_hex_words(
	const struct words *words, const char *text, size_t len, bool of_cpu, struct str *out);

#endif
