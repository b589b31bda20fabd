/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One JSON object on a line, written from its beginning to its end without a tree:
 *
 *	json_start(&json, &out);
 *	json_write_text(&json, "host", host);
 *	json_open(&json, "errors", '[');
 *	json_write_string(&json, NULL, error);
 *	json_close(&json);
 *	json_finish(&json);
 *
 * As all of our schemas have it, what is not known is left out, never null or 0; texts from outside
 * are made valid; a key's type does not change with its value.
 *
 * A value in an object has a key, one in an array has NULL. Whoever writes it otherwise, closes
 *what is not open or finishes what is, made a programmer's error: the process is aborted, since
 *nobody could read the text.
 */
#ifndef TUESDAY_BASE_JSON_WRITE_H
#define TUESDAY_BASE_JSON_WRITE_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "base/json_read.h"

struct json_writer {
	struct str *out;
	int digits;	    /* significant ones of a real: 15, so that 0.1 is written as 0.1 */
	bool first;	    /* nothing of the innermost container was written yet */
	unsigned int depth; /* containers that are open */
	char close[JSON_DEPTH_MAX]; /* the bracket that ends each of them */
};

/* The object begins, and ends. */
void json_start(struct json_writer *json, struct str *out);
void json_finish(struct json_writer *json);
/* The same, to standard output; the string is freed. */
void json_print(struct json_writer *json);

/* An object or an array within it, by its bracket: { or [. */
void json_open(struct json_writer *json, const char *key, char bracket);
void json_close(struct json_writer *json);

/* In ASCII, see escape_json. */
void json_write_string(struct json_writer *json, const char *key, const char *text);
/* The same, but nothing for NULL and the empty text. */
void json_write_text(struct json_writer *json, const char *key, const char *text);
/* An array of n strings. */
void json_write_texts(struct json_writer *json, const char *key, char *const *list, size_t n);
/* Always a real, with a point or an exponent; nothing for what is not finite. */
void json_write_number(struct json_writer *json, const char *key, double number);
/* More than INT64_MAX is that. */
void json_write_count(struct json_writer *json, const char *key, uint64_t count);
void json_write_bool(struct json_writer *json, const char *key, bool value);
/* true, or nothing. */
void json_write_if(struct json_writer *json, const char *key, bool holds);
/* "2026-11-20T14:05:00Z"; nothing for 0, which is not known. */
void json_write_time(struct json_writer *json, const char *key, time_t time);

#endif
