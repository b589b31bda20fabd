/* SPDX-License-Identifier: GPL-2.0-only */
/* How is it said that a file is wrong? */
#include "base/banned.h"

#include <stdarg.h>

#include "base/diag.h"
#include "base/escape.h"
#include "base/str.h"

void complain(struct complaints *complaints, const char *file, int line, const char *format, ...)
{
	struct str text = STR_INIT;
	va_list args;

	complaints->n++;
	if (!complaints->out || complaints->n > COMPLAINTS_MAX + 1)
		return;
	if (line)
		str_addf(&text, "%s:%d: ", file, line);
	else
		str_addf(&text, "%s: ", file);
	if (complaints->n <= COMPLAINTS_MAX) {
		va_start(args, format);
		str_addv(&text, format, args);
		va_end(args);
	} else {
		str_add(&text, "and more that is not shown");
	}
	escape_plain(complaints->out, text.text);
	str_addc(complaints->out, '\n');
	str_free(&text);
}
