/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Taking apart the text that the kernel writes, or that somebody put into a recording: lines, words
 * and numbers of bytes that may end anywhere.
 *
 * The parsers of sources are made of it: pure functions from bytes to numbers, each declared by its
 * source's header so that it can be tested and fuzzed without a machine. They take any bytes; what
 * they do not understand they leave out, and what is missing has no value. text is valid for the
 * length of the call only. Where a parser takes an instance, "" makes plain fields.
 */
#ifndef TUESDAY_SOURCES_COMMON_PARSE_TEXT_H
#define TUESDAY_SOURCES_COMMON_PARSE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "capture/capture.h"

struct sink;

/* Takes the next line, without its newline. A line that is not ended was cut, and its last number
 * with it: it is not taken. */
bool text_line(struct bytes *rest, struct bytes *line);

/* The same for files that people write, whose last line may lack its end. */
bool text_any_line(struct bytes *rest, struct bytes *line);

/* Takes the next word between blanks or tabs. */
bool text_word(struct bytes *rest, struct bytes *word);

/* Takes what stands before the first c, and c. False, and nothing taken, where there is no c. */
bool text_until(struct bytes *rest, char c, struct bytes *before);

bool text_is(struct bytes text, const char *what);
bool text_starts(struct bytes text, const char *prefix);

/* Takes off an ending ("kB:" without ':'). False where the text does not end so. */
bool text_cut_end(struct bytes *text, const char *end);

/* The whole word as a decimal number, with a sign and a fraction if it has them. */
bool text_number(struct bytes word, double *out);

/* The next word, if it is a number; else nothing is taken. */
bool text_next_number(struct bytes *rest, double *out);

/* Copies and terminates. False where it does not fit, is empty, or has a 0 inside. */
bool text_copy(struct bytes text, char *buf, size_t size);

/* sink_put of prefix and name together. A name that is too long to be one is left out. */
void text_put(struct sink *sink, const char *instance, const char *prefix, struct bytes name,
	double value);

/* Hands out words of a line as the fields names[0..n): as many as there are. */
void text_put_columns(struct sink *sink, const char *instance, const char *const *names, size_t n,
	struct bytes words);

/* Lines of "NAME VALUE", as fields PREFIXNAME. */
void text_put_pairs(struct bytes text, struct sink *sink, const char *instance, const char *prefix);

/* The read of a source that is one file. */
int text_source(struct capture *fs, const char *path,
	void (*parse)(struct bytes text, struct sink *sink), struct sink *sink);

#endif
