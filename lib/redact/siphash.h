/* SPDX-License-Identifier: GPL-2.0-only */
/* SipHash-2-4 by Aumasson and Bernstein: a keyed hash that cannot be tried without its key. */
#ifndef TUESDAY_REDACT_SIPHASH_H
#define TUESDAY_REDACT_SIPHASH_H

#include <stddef.h>
#include <stdint.h>

uint64_t siphash(const uint64_t key[2], const void *data, size_t len);

#endif
