/* SPDX-License-Identifier: GPL-2.0-only */
/* How does a name stand in a command, so that the shell takes it for nothing but a name? */
#include "base/banned.h"

#include <ctype.h>

#include "base/escape.h"
#include "base/shellquote.h"
#include "base/str.h"

/* Whether a terminal shows the text as it is: what is pasted from there is the same then. */
static bool shows_as_it_is(const char *text)
{
	struct str shown = STR_INIT;
	bool same;

	escape_terminal(&shown, text);
	same = !strcmp(str_text(&shown), text);
	str_free(&shown);
	return same;
}

/* Whether a component of the path is "..". */
static bool climbs(const char *path)
{
	const char *at;

	for (at = path; (at = strstr(at, "..")); at++)
		if ((at == path || at[-1] == '/') && (!at[2] || at[2] == '/'))
			return true;
	return false;
}

static bool is_plain(const char *name)
{
	for (; *name; name++)
		if (!isalnum((unsigned char)*name) && !strchr("_./:@+,-", *name))
			return false;
	return true;
}

bool shellquote_add(struct str *out, const char *name)
{
	if (!*name || *name == '-' || climbs(name) || !shows_as_it_is(name))
		return false;
	if (is_plain(name)) {
		str_add(out, name);
		return true;
	}
	str_addc(out, '\'');
	for (; *name; name++) {
		/* A backslash would do, but a terminal shows two of them. */
		if (*name == '\'')
			str_add(out, "'\"'\"'");
		else
			str_addc(out, *name);
	}
	str_addc(out, '\'');
	return true;
}
