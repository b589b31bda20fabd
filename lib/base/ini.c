/* SPDX-License-Identifier: GPL-2.0-only */
/* Which keys does an INI file give, and in which lines? */
#include "base/banned.h"

#include <ctype.h>
#include <ini.h>

#include "base/diag.h"
#include "base/ini.h"
#include "base/str.h"

#define LINE_MAX_BYTES 199
#define NAME_MAX_BYTES 49
#define VALUE_MAX_BYTES 4096
#define ENTRIES_MAX 4096

/*
 * Bytes that mean something to inih and nothing to us go through it as control characters, which
 * the file itself cannot hold: the n-th of these as the byte n.
 */
static const char disguised[] = ";:#", disguises[] = "\x01\x02\x03";
/* The key of a line that we add behind each section's header, so that inih calls back for it. */
static const char header_key[] = "\x04";

struct inifile {
	struct ini_entry *list;
	size_t n, room;
	/* Every string, each behind the one before. No line gives more bytes than it has: its '='
	 * and its end are the terminators of key and value, the blanks in front of a continuation
	 * are the one in the value. */
	char *text;
};

struct reader {
	struct inifile *ini;
	struct complaints *complaints;
	const char *file;
	const char *at, *end;
	int line;
	bool indented;	 /* the line that inih has now is a continuation */
	bool header_due; /* the next line for inih is that of header_key */
	bool owed;	 /* inih has a line that must come back as an entry */
	bool skip;	 /* the section is refused: so are its keys, without more messages */
	bool has_section;
	char *room;		/* behind the last string */
	size_t header;		/* the number of the entry that is the header of this section */
	struct ini_entry *last; /* what a continuation line belongs to, or NULL */
};

__attribute__((format(printf, 2, 3))) static void ini_complain(
	struct reader *r, const char *format, ...)
{
	struct str text = STR_INIT;
	va_list args;

	va_start(args, format);
	str_addv(&text, format, args);
	va_end(args);
	complain(r->complaints, r->file, r->line, "%s", text.text);
	str_free(&text);
}

static bool ini_is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Words separated by single blanks. */
static char *fold(const char *text, size_t len)
{
	struct str out = STR_INIT;
	size_t i;

	for (i = 0; i < len; i++) {
		if (!ini_is_blank(text[i]))
			str_addc(&out, text[i]);
		else if (out.len && i + 1 < len && !ini_is_blank(text[i + 1]))
			str_addc(&out, ' ');
	}
	return str_take(&out);
}

/* Keeps a string that inih had, as it was in the file. */
static char *ini_keep_text(struct reader *r, const char *text)
{
	char *copy = r->room, *p;

	r->room = stpcpy(copy, text) + 1;
	for (p = strpbrk(copy, disguises); p; p = strpbrk(p + 1, disguises))
		*p = disguised[*p - 1];
	return copy;
}

/* Hands a line to inih. Its own buffer may be smaller than packaged, but then it must not cut. */
static char *deliver(struct reader *r, char *out, int size, const char *text, size_t len)
{
	char *p;

	if (size < 1)
		return NULL;
	if (len >= (size_t)size) {
		ini_complain(
			r, "line longer than %d bytes: continue it on an indented line", size - 1);
		len = 0;
	}
	memcpy(out, text, len);
	out[len] = 0;
	for (p = strpbrk(out, disguised); p; p = strpbrk(p + 1, disguised))
		*p = (char)(strchr(disguised, *p) - disguised + 1);
	return out;
}

static bool has_control(const char *text, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (((unsigned char)text[i] < ' ' && text[i] != '\t') || text[i] == 0x7f)
			return true;
	return false;
}

/* "bad = > 10%" with blanks in front would silently become part of the value above. */
static bool looks_like_key(const char *text, size_t len)
{
	size_t n = 0, blanks;

	while (n < len &&
		(islower((unsigned char)text[n]) || isdigit((unsigned char)text[n]) ||
			text[n] == '_' || text[n] == '.'))
		n++;
	for (blanks = 0; n + blanks < len && ini_is_blank(text[n + blanks]); blanks++)
		;
	if (!n || !blanks || n + blanks >= len || text[n + blanks] != '=')
		return false;
	return n + blanks + 1 == len || text[n + blanks + 1] != '=';
}

/* A line "[name]" as inih shall see it, or NULL where it is wrong. The caller frees. */
static char *take_header(struct reader *r, const char *text, size_t len)
{
	const char *close = memchr(text, ']', len);
	char *name, *header = NULL;

	if (!close) {
		ini_complain(r, "']' is missing at the end of the section's name");
		return NULL;
	}
	if (close + 1 != text + len) {
		ini_complain(r, "text behind the ']' of a section");
		return NULL;
	}
	name = fold(text + 1, (size_t)(close - text - 1));
	if (!*name)
		ini_complain(r, "a section without a name");
	else if (strlen(name) > NAME_MAX_BYTES)
		ini_complain(r, "the section's name is longer than %d bytes", NAME_MAX_BYTES);
	else
		header = mem_printf("[%s]", name);
	free(name);
	return header;
}

static char *deliver_header(struct reader *r, char *out, int size, const char *text, size_t len)
{
	char *header = take_header(r, text, len);

	r->has_section = true;
	r->header_due = header != NULL;
	r->skip = !header;
	r->last = NULL;
	deliver(r, out, size, header ? header : "", header ? strlen(header) : 0);
	free(header);
	return out;
}

/* One line without its end and without the blanks there. */
static const char *next_line(struct reader *r, size_t *len)
{
	const char *text = r->at;
	const char *end = memchr(text, '\n', (size_t)(r->end - text));

	r->at = end ? end + 1 : r->end;
	end = end ? end : r->end;
	if (end > text && end[-1] == '\r')
		end--;
	while (end > text && ini_is_blank(end[-1]))
		end--;
	r->line++;
	*len = (size_t)(end - text);
	return text;
}

/* Whether a line that is neither blank nor comment nor header can go to inih as it is. */
static bool accept_line(struct reader *r, const char *text, size_t len, size_t indent)
{
	if (len > LINE_MAX_BYTES)
		ini_complain(r, "line longer than %d bytes: continue it on an indented line",
			LINE_MAX_BYTES);
	else if (!r->has_section)
		ini_complain(r, "outside of a section: a file begins with [check]");
	else if (r->indented &&
		(text[indent] == '[' || looks_like_key(text + indent, len - indent)))
		ini_complain(r,
			"blanks in front make this a continuation of the line above; remove them");
	else
		return true;
	return false;
}

/* The reader that inih takes its lines from, in the place of fgets. */
static char *ini_read_line(char *out, int size, void *stream)
{
	struct reader *r = stream;
	const char *text;
	size_t len, indent = 0;

	if (r->owed)
		ini_complain(r, "neither a [section] nor 'key = value'");
	r->owed = false;
	r->indented = false;
	if (r->header_due) {
		r->header_due = false;
		/* Not through deliver: this one is not disguised, it is a disguise. */
		snprintf(out, (size_t)size, "%s=", header_key);
		return out;
	}
	/* Nobody reads more messages. */
	if (r->at == r->end || r->complaints->n > COMPLAINTS_MAX)
		return NULL;
	text = next_line(r, &len);
	while (indent < len && ini_is_blank(text[indent]))
		indent++;
	if (has_control(text, len)) {
		ini_complain(r, memchr(text, 0, len) ? "a NUL byte" : "a control character");
		return deliver(r, out, size, "", 0);
	}
	if (indent == len || text[indent] == ';' || text[indent] == '#')
		return deliver(r, out, size, "", 0);
	if (*text == '[')
		return deliver_header(r, out, size, text, len);
	r->indented = indent > 0;
	if (!accept_line(r, text, len, indent))
		return deliver(r, out, size, "", 0);
	r->owed = true;
	return deliver(r, out, size, text, len);
}

/* The entry of that name that is there already. A section stands in one place, so the twin of a key
 * can only be behind the last header. */
static const struct ini_entry *ini_find_entry(
	const struct reader *r, const char *section, const char *key)
{
	const struct ini_entry *list = r->ini->list;
	size_t i;

	for (i = *key ? r->header : 0; i < r->ini->n; i++)
		if (!strcmp(list[i].key, key) && !strcmp(list[i].section, section))
			return &list[i];
	return NULL;
}

static struct ini_entry *ini_add_entry(
	struct reader *r, const char *section, const char *key, const char *value)
{
	struct inifile *ini = r->ini;
	const struct ini_entry *twin = ini_find_entry(r, section, key);

	if (!twin && ini->n < ENTRIES_MAX) {
		ARRAY_GROW(ini->list, ini->n, ini->room);
		ini->list[ini->n] = (struct ini_entry){section, key, value, r->line};
		return &ini->list[ini->n++];
	}
	if (!twin)
		ini_complain(r, "more than %d keys in one file", ENTRIES_MAX);
	else if (*key)
		ini_complain(r, "'%s' is already given in line %d", key, twin->line);
	else
		ini_complain(r, "[%s] is already in line %d", section, twin->line);
	return NULL;
}

static void ini_add_header(struct reader *r, const char *section)
{
	r->header = r->ini->n;
	r->skip = !ini_add_entry(r, ini_keep_text(r, section), "", "");
	r->last = NULL;
}

static void add_key(struct reader *r, const char *name, const char *value)
{
	const char *key;

	r->last = NULL;
	if (!*name) {
		ini_complain(r, "there is no key in front of '='");
	} else if (strlen(name) > NAME_MAX_BYTES) {
		ini_complain(r, "the key is longer than %d bytes", NAME_MAX_BYTES);
	} else {
		key = ini_keep_text(r, name);
		r->last = ini_add_entry(
			r, r->ini->list[r->header].section, key, ini_keep_text(r, value));
	}
}

static void continue_value(struct reader *r, const char *more)
{
	size_t len;

	if (!r->last)
		return;
	len = strlen(r->last->value);
	if (len + strlen(more) >= VALUE_MAX_BYTES) {
		ini_complain(r, "the value is longer than %d bytes", VALUE_MAX_BYTES);
		r->last = NULL;
		return;
	}
	/* The value is the last string that was kept: more of it goes where it ends. */
	if (len)
		r->room[-1] = ' ';
	else
		r->room--;
	ini_keep_text(r, more);
}

/* inih calls this for each key, each continuation line, and our own line behind a header. */
static int ini_take_entry(void *user, const char *section, const char *name, const char *value)
{
	struct reader *r = user;

	r->owed = false;
	if (r->skip && (strcmp(name, header_key) != 0 || r->indented))
		return 1;
	if (!strcmp(name, header_key)) {
		if (r->indented)
			ini_complain(r, "blanks in front, but there is no key above to continue");
		else
			ini_add_header(r, section);
	} else if (r->indented) {
		continue_value(r, value);
	} else {
		add_key(r, name, value);
	}
	return 1;
}

struct inifile *inifile_parse(
	const char *file, const char *text, size_t len, struct complaints *complaints)
{
	static const char bom[] = "\xef\xbb\xbf";
	size_t before = complaints->n;
	struct reader r = {
		.ini = mem_zalloc(sizeof(struct inifile)),
		.complaints = complaints,
		.file = file,
		.at = text,
		.end = text + len,
	};

	r.room = r.ini->text = mem_alloc(len + 1);
	if (len >= 3 && !memcmp(text, bom, 3))
		r.at += 3;
	if (len > INIFILE_MAX_BYTES)
		complain(complaints, file, 0, "larger than 1 MiB");
	else if (ini_parse_stream(ini_read_line, &r, ini_take_entry, &r) && complaints->n == before)
		complain(complaints, file, 0, "could not be parsed");
	if (complaints->n == before)
		return r.ini;
	inifile_free(r.ini);
	return NULL;
}

void inifile_free(struct inifile *ini)
{
	if (!ini)
		return;
	free(ini->text);
	free(ini->list);
	free(ini);
}

char *inifile_take_text(struct inifile *ini)
{
	char *text = ini->text;

	ini->text = NULL;
	return text;
}

size_t inifile_count(const struct inifile *ini)
{
	return ini->n;
}

const struct ini_entry *inifile_entry(const struct inifile *ini, size_t i)
{
	return &ini->list[i];
}
