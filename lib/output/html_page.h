/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A page for a browser that needs nothing else: one file, no request, in light and dark and on
 * paper. The page tells the browser so (Content-Security-Policy), which then refuses whatever a
 * hostile name might ask for. There are no style attributes: the page forbids them to all.
 */
#ifndef TUESDAY_OUTPUT_HTML_PAGE_H
#define TUESDAY_OUTPUT_HTML_PAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "report/report.h"

struct str;

#define PAGE_NONCE_BYTES 33

struct page {
	const char *title;	      /* not escaped */
	const char *css, *css_end;    /* of this kind of page, in addition to what all have */
	const char *jump, *jump_text; /* for who cannot see: "#hosts", "To the hosts" */
	bool script;		      /* there will be one; else the browser runs none */
	char nonce[PAGE_NONCE_BYTES]; /* set by page_begin; "" without randomness: no script then */
};

/* Appends all up to the beginning of the body. */
void page_begin(struct str *out, struct page *page);
/* Appends a script, if there may be one. */
void page_script(struct str *out, const struct page *page, const char *js, const char *js_end);
void page_end(struct str *out);

/* A verdict as a badge: the word is always there. */
void page_verdict(struct str *out, enum verdict verdict);

/* Our own words about numbers: a line is only broken behind a comma or a semicolon. */
void page_unbroken(struct str *out, const char *text);

/* Text from outside, in at most columns. */
void page_cut(struct str *out, const char *text, size_t columns);

#endif
