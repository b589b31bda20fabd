/* SPDX-License-Identifier: GPL-2.0-only */
/* Does any content make the redaction of some kind of file misbehave, or let a name or an address
 * through? */
#include "base/banned.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>

#include "redact/filter.h"
#include "base/str.h"
#include "run/known_words.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct redactor *redactor;

static const char *const paths[] = {"/proc/self/mountinfo", "/proc/1/comm", "/proc/net/tcp6",
	"@klog", "@trace", "@listen", "@openfiles", "/proc/self/mountstats", "/proc/net/dev",
	"@netns-list", "@new", "/proc/stat", "/etc/resolv.conf", "/etc/hosts", "/proc/net/if_inet6",
	"@traced", "@gpu", "/proc/12/cmdline", "@task", "@inotify", "@plugin-x",
	"/proc/sys/kernel/hostname"};

/* A number of one to three digits that is a byte. Returns its length, or 0. */
static size_t byte_at(const char *text, size_t len, unsigned int *out)
{
	size_t n = 0;

	for (*out = 0; n < len && n < 4 && isdigit((unsigned char)text[n]); n++)
		*out = *out * 10 + (unsigned int)(text[n] - '0');
	return n > 3 || *out > 255 ? 0 : n;
}

/* The length of the dotted quad here, 0 where there is none or one that everybody has. */
static size_t quad_at(const char *text, size_t len, unsigned int quad[4])
{
	size_t at = 0, i;

	for (i = 0; i < 4; i++) {
		size_t n = byte_at(text + at, len - at, &quad[i]);

		at += n;
		if (!n || (at < len && isdigit((unsigned char)text[at])))
			return 0;
		if (i < 3 && (at == len || text[at++] != '.'))
			return 0;
	}
	if (quad[0] == 127 || !(quad[0] | quad[1] | quad[2] | quad[3]) ||
		(quad[0] & quad[1] & quad[2] & quad[3]) == 255)
		return 0;
	return at;
}

static bool has_quad(const struct str *text, const unsigned int wanted[4])
{
	unsigned int quad[4];
	size_t at;

	for (at = 0; at < text->len; at++) {
		if (at && isdigit((unsigned char)text->text[at - 1]))
			continue;
		if (quad_at(text->text + at, text->len - at, quad) &&
			!memcmp(quad, wanted, sizeof(quad)))
			return true;
	}
	return false;
}

/* Whether digits here are, or are behind, a byte that is written as an escape: "%20" and "0.0.0.0"
 * are no 200.0.0.0. */
static bool is_escaped(const char *text, size_t at)
{
	return at &&
		(text[at - 1] == '%' || text[at - 1] == '\\' ||
			(at > 1 && !memcmp(text + at - 2, "\\x", 2)));
}

/* No dotted quad of the text is in what it became. */
static void look_for_quads(const char *text, size_t len, const struct str *out)
{
	unsigned int quad[4];
	size_t at;

	for (at = 0; at < len; at++) {
		if (is_escaped(text, at) || (at && isdigit((unsigned char)text[at - 1])))
			continue;
		if (quad_at(text + at, len - at, quad) && has_quad(out, quad))
			abort();
	}
}

static void redact_one(const char *path, const char *text, size_t len, struct str *out)
{
	str_clear(out);
	if (redact_content(redactor, path, text, len, out))
		look_for_quads(text, len, out);
}

/* A word of its own and an address glued to whatever is there: neither is left, in any kind of
 * text. */
static void plant(const char *path, const char *text, size_t len, struct str *out)
{
	char *with = mem_alloc(len + 64);
	size_t n = len / 2, more;

	memcpy(with, text, n);
	more = (size_t)snprintf(with + n, 64, " quokka77z 203.0.113.77 ");
	memcpy(with + n + more, text + n, len - n);
	redact_one(path, with, len + more, out);
	if (!strcmp(path, "@new") && memmem(str_text(out), out->len, "quokka77z", 9))
		abort();
	free(with);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint8_t key[16] = {1, 2, 3};
	struct str out = STR_INIT;
	const char *path, *text;
	char *name;

	if (!redactor)
		redactor = redactor_new_with_key(&known_words, key);
	if (!size)
		return 0;
	path = paths[*data % ARRAY_SIZE(paths)];
	text = (const char *)data + 1;
	if (!strcmp(path, "@task") || !strcmp(path, "@inotify")) {
		redact_content(redactor, path, text, size - 1, &out);
	} else {
		redact_one(path, text, size - 1, &out);
		plant(path, text, size - 1, &out);
		plant("@new", text, size - 1, &out);
	}
	str_clear(&out);
	name = mem_strndup(text, size - 1);
	redact_path(redactor, name, &out);
	if (*name != '@')
		look_for_quads(name, strlen(name), &out);
	str_clear(&out);
	redact_environment(redactor, "command", name, &out);
	look_for_quads(name, strlen(name), &out);
	free(name);
	str_free(&out);
	return 0;
}
