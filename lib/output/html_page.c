/* SPDX-License-Identifier: GPL-2.0-only */
/* What have all pages in common? */
#include "base/banned.h"

#include <stdio.h>
#include <sys/random.h>

#include "base/escape.h"
#include "base/hex.h"
#include "output/html_page.h"
#include "base/str.h"

extern const char output_html_page_css[], output_html_page_css_end[];

/* Style and script that are ours are told from those that a name may smuggle in. */
static void make_nonce(char nonce[PAGE_NONCE_BYTES])
{
	unsigned char bytes[(PAGE_NONCE_BYTES - 1) / 2] = {0};

	/* Without randomness there is none that could not be guessed. */
	if (getrandom(bytes, sizeof(bytes), GRND_NONBLOCK) != (ssize_t)sizeof(bytes)) {
		*nonce = 0;
		return;
	}
	hex_write(nonce, bytes, sizeof(bytes));
}

void page_begin(struct str *out, struct page *page)
{
	make_nonce(page->nonce);
	str_add(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
	str_addf(out,
		"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		"style-src 'nonce-%s'; script-src '%s%s'; base-uri 'none'; form-action "
		"'none'\">\n",
		page->nonce, page->script ? "nonce-" : "none", page->script ? page->nonce : "");
	str_add(out,
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		"<meta name=\"color-scheme\" content=\"light dark\">\n"
		"<meta name=\"referrer\" content=\"no-referrer\">\n<title>");
	escape_html(out, page->title);
	str_addf(out, "</title>\n<style nonce=\"%s\">\n", page->nonce);
	str_addn(out, output_html_page_css,
		(size_t)(output_html_page_css_end - output_html_page_css));
	str_addn(out, page->css, (size_t)(page->css_end - page->css));
	str_addf(out, "</style>\n</head>\n<body>\n<a class=\"jump\" href=\"%s\">%s</a>\n",
		page->jump, page->jump_text);
}

void page_script(struct str *out, const struct page *page, const char *js, const char *js_end)
{
	if (!*page->nonce)
		return;
	str_addf(out, "<script nonce=\"%s\">\n", page->nonce);
	str_addn(out, js, (size_t)(js_end - js));
	str_add(out, "</script>\n");
}

void page_end(struct str *out)
{
	str_add(out, "</body>\n</html>\n");
}

void page_verdict(struct str *out, enum verdict verdict)
{
	str_addf(out, "<span class=\"badge %s\">%s</span>", verdict_text(verdict),
		verdict_text(verdict));
}

void page_cut(struct str *out, const char *text, size_t columns)
{
	struct str shown = STR_INIT;

	escape_terminal_cut(&shown, text, columns);
	escape_html_only(out, str_text(&shown));
	str_free(&shown);
}

void page_unbroken(struct str *out, const char *text)
{
	char before = 0;

	for (; *text; before = *text++) {
		char one[2] = {*text, 0};

		if (*text == ' ' && before != ',' && before != ';')
			str_add(out, "&#160;");
		else
			escape_html_only(out, one);
	}
}
