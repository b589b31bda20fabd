/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Keys of JSON objects as all of our schemas have them: what is not known is left out, never null
 * or 0; texts from outside are made valid; a key's type does not change with its value.
 */
#ifndef TUESDAY_JSONPUT_H
#define TUESDAY_JSONPUT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* ASCII, so that a report on a terminal is as harmless as one in a file; 15 digits, so that 0.1 is
 * written as 0.1. */
#define JSON_OURS (JSON_COMPACT | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(15))

/* A text as a JSON string, made valid UTF-8. The caller owns it. */
json_t *json_of_text(const char *text);

/* No key for NULL and the empty text. */
void json_put_text(json_t *object, const char *key, const char *text);
/* Always a real; no key for what is not finite. */
void json_put_number(json_t *object, const char *key, double number);
/* More than INT64_MAX is that. */
void json_put_count(json_t *object, const char *key, uint64_t count);
/* true, or no key. */
void json_put_if(json_t *object, const char *key, bool holds);
/* "2026-11-20T14:05:00Z"; no key for 0, which is not known. */
void json_put_time(json_t *object, const char *key, time_t time);

#endif
