/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Text that came from outside, made harmless for the place it goes to. Process names, paths, unit
 * names and addresses are written by whoever runs on the machine; a terminal, a Prometheus file and
 * a JSON string each can be attacked with different bytes.
 */
#ifndef TUESDAY_BASE_ESCAPE_H
#define TUESDAY_BASE_ESCAPE_H

#include <stddef.h>

struct str;

/*
 * Appends text for a terminal: control characters, DEL, C1 codes, invalid UTF-8, and the Unicode
 * characters that reorder or hide text (bidi controls, zero width) come out as \xNN of each byte;
 * printable UTF-8 stays. A backslash is doubled, so the escaping is unambiguous.
 */
void escape_terminal(struct str *out, const char *text);

/* The same, in at most columns columns: what is longer is cut between characters and ends in "...".
 * columns is at least 3. */
void escape_terminal_cut(struct str *out, const char *text, size_t columns);

/* The same, and a blank is \x20: a name in a list stays one word, and cannot pose as several or as
 * a sentence. */
void escape_name(struct str *out, const char *text);
void escape_name_cut(struct str *out, const char *text, size_t columns);

/* A word of the command line, for a message about it: escaped for a terminal, at most 40 columns.
 * The caller frees. */
char *escape_word(const char *text);

/* The same without a cut, for paths. The caller frees. */
char *escape_path(const char *text);

/* Appends text for a place that escapes it again: a '?' for each character that may not show. */
void escape_plain(struct str *out, const char *text);

/* The columns that text, escaped for a terminal, takes there. */
size_t escape_columns(const char *text);

/* Appends text as valid UTF-8: each invalid byte becomes U+FFFD. */
void escape_utf8(struct str *out, const char *text);

/* Appends the inside of a JSON string (RFC 8259), in printable ASCII and DEL: invalid bytes as
 * U+FFFD, and what is beyond the 16 bits of an escape as a pair of surrogates. */
void escape_json(struct str *out, const char *text);

/* Appends the inside of a Prometheus label value: backslash, double quote and newline escaped,
 * invalid UTF-8 as U+FFFD, other control characters as '?'. */
void escape_prometheus(struct str *out, const char *text);

/* Appends text for a monitoring plugin's line: as for a terminal, and without '|' (replaced by
 * '/'), which would start performance data. In a label ' and = are replaced by _ too. */
void escape_nagios(struct str *out, const char *text);
void escape_nagios_label(struct str *out, const char *text);

/* Appends text for HTML, in an element or in a quoted attribute: as for a terminal, so that what
 * hides or reorders shows as \xNN, and with & < > " ' as character references. */
void escape_html(struct str *out, const char *text);

/* The same for text that was made visible already, and for XML: only the character references. */
void escape_html_only(struct str *out, const char *shown);

/* Appends text as a JSON string with its quotes for a script element: no < > & and no line
 * separator stands in it as it is. Made visible as for HTML. */
void escape_script(struct str *out, const char *text);

#endif
